//go:build js && wasm

// Command live is the solver of the site's page "in the browser": real fwopt, compiled to
// WebAssembly. worker.js calls it; live.js draws what it tells.
package main

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"syscall/js"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// methods are what can be raced, with the schedules of Section 5 where the paper has them.
var methods = map[string]func() fwopt.Method{
	"FW":              func() fwopt.Method { return &fwopt.FW{} },
	"FW, line search": func() fwopt.Method { return &fwopt.FW{Rule: fwopt.LineSearch{}} },
	"SFW":             func() fwopt.Method { return fwopt.SFWExperiments() },
	"SVRF":            func() fwopt.Method { return fwopt.SVRFExperiments() },
	"STORC, adaptive": func() fwopt.Method { return fwmore.NewAdaptiveSTORC() },
	"FISTA":           func() fwopt.Method { return &fwmore.FISTA{L: 1e-3} },
}

// sets are the Ω that can be chosen, of size r, for weights of h classes and m features.
var sets = map[string]func(h, m int, r float64) fwopt.Domain{
	"trace norm": func(h, m int, r float64) fwopt.Domain { return fwset.TraceNorm{H: h, M: m, Tau: r} },
	"l1":         func(h, m int, r float64) fwopt.Domain { return fwset.L1Ball{D: h * m, R: r} },
	"l2":         func(h, m int, r float64) fwopt.Domain { return fwset.L2Ball{D: h * m, R: r} },
}

func main() {
	js.Global().Set("fwlabStyles", styles())
	js.Global().Set("fwlabLoad", js.FuncOf(safely(load)))
	js.Global().Set("fwlabRace", js.FuncOf(safely(race)))
	select {}
}

// styles are the lines of the methods as the library's figures draw them, for SVG.
func styles() js.Value {
	out := map[string]any{}
	for _, e := range fwopt.Methods() {
		if methods[e.Name] != nil {
			out[e.Name] = style(e.Colour, e.Width, e.Dashes)
		}
		if e.Name == "FW" {
			out["FW, line search"] = style(e.Colour, e.Width, []float64{3, 5}) // fwplot's second line of a method
		}
	}
	return js.ValueOf(out)
}

func style(colour uint32, width float64, dashes []float64) map[string]any {
	return map[string]any{"stroke": fmt.Sprintf("#%06x", colour), "stroke-width": width,
		"stroke-dasharray": strings.Trim(fmt.Sprint(dashes), "[]")}
}

var data *fwsum.Logistic // what load has read

// load reads a file, LIBSVM, gzip or bzip2, or without arguments the handwritten digits, and
// returns what it is.
func load(args []js.Value) (any, error) {
	var set *fwdata.Set
	var err error
	if len(args) == 0 {
		set, err = fwdata.Load("digits")
	} else {
		file := make([]byte, args[1].Get("length").Int())
		js.CopyBytesToGo(file, args[1])
		set, err = fwdata.Read(bytes.NewReader(file), args[0].String())
	}
	if err != nil {
		return nil, err
	}
	data = set.UnitRows().Logistic()
	return set.String(), nil
}

// look is what is seen of a run now and then.
type look struct {
	terms, linear, projections int
	gap, seconds               float64
	ended                      string // why, at its end
}

// runner is a method that races.
type runner struct {
	name string
	last look
	next func() (look, bool) // runs to the next look
}

// race runs methods on what was loaded: race(methods, set, radius, seed, gap, terms, seen). A method ends when it has
// proven the duality gap, or has computed so many gradients of terms; until then it is always the turn of the one that
// has computed the fewest, up to its next look. Each look is told by seen(method, terms, linear optimisations, duality
// gap, seconds, projections, why the run has ended or "").
func race(args []js.Value) (any, error) {
	var running []*runner
	for i := range args[0].Length() {
		r := &runner{name: args[0].Index(i).String()}
		r.next, _ = iter.Pull(looks(r.name, args)) // after an error the whole worker ends
		running = append(running, r)
	}
	for len(running) > 0 {
		r := slices.MinFunc(running, func(a, b *runner) int { return a.last.terms - b.last.terms })
		if err := r.turn(); err != nil {
			return nil, err
		}
		l := r.last
		args[6].Invoke(r.name, l.terms, l.linear, l.gap, l.seconds, l.projections, l.ended)
		running = slices.DeleteFunc(running, func(r *runner) bool { return r.last.ended != "" })
	}
	return nil, nil
}

func (r *runner) turn() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s has failed: %v", r.name, p)
		}
	}()
	r.last, _ = r.next()
	return nil
}

// looks makes a run with the arguments of race. A look reads f and its gradient, 2n terms that no account holds: the
// first waits until the method has computed n, and the next one for as many as it costs and a fiftieth of all.
func looks(method string, args []js.Value) iter.Seq[look] {
	return func(yield func(look) bool) {
		n := data.Len()
		h, m := data.Shape()
		o := fwopt.NewOracle(data, sets[args[1].String()](h, m, args[2].Float()), uint64(args[3].Float()))
		terms, next := args[5].Int(), n
		count := func(c fwopt.Calls) int { return c.Stochastic + n*c.Exact }
		see := func(p fwopt.Point, ended string) {
			yield(look{count(p.Calls), p.Calls.Linear, p.Calls.Projections, p.DualityGap + p.Slack, p.Seconds,
				ended})
		}
		tr := fwopt.Run(context.Background(), o, methods[method](), fwopt.Budget{
			Tolerance: args[4].Float(), NoW: true,
			Record: func(fwopt.Step) (look, last bool) {
				spent := count(o.Calls)
				if look = spent >= next; look {
					next = spent + max(2*n, spent/50)
				}
				return look, spent >= terms
			},
			Watch: func(_ *fwopt.Trace, now fwopt.Point) {
				if now.DualityGap == now.DualityGap { // it was recorded
					see(now, "")
				}
			}})
		see(tr.Last(), tr.Status.String())
	}
}

// safely makes a function for JavaScript of f: an error or a panic becomes {error: "…"}.
func safely(f func(args []js.Value) (any, error)) func(js.Value, []js.Value) any {
	return func(_ js.Value, args []js.Value) (answer any) {
		defer func() {
			if r := recover(); r != nil {
				answer = map[string]any{"error": fmt.Sprint(r)}
			}
		}()
		value, err := f(args)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"value": value}
	}
}
