//go:build js && wasm

// Command live is the solver of the site's page "in the browser": real fwopt, compiled to
// WebAssembly. worker.js calls it; live.js draws what it says.
package main

import (
	"bytes"
	"context"
	"fmt"
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
}

// sets are the Ω that can be chosen, of size r, for weights of h classes and m features.
var sets = map[string]func(h, m int, r float64) fwopt.Domain{
	"trace norm": func(h, m int, r float64) fwopt.Domain { return fwset.TraceNorm{H: h, M: m, Tau: r} },
	"l1":         func(h, m int, r float64) fwopt.Domain { return fwset.L1Ball{D: h * m, R: r} },
	"l2":         func(h, m int, r float64) fwopt.Domain { return fwset.L2Ball{D: h * m, R: r} },
}

func main() {
	js.Global().Set("fwlabLoad", js.FuncOf(safely(load)))
	js.Global().Set("fwlabRun", js.FuncOf(safely(run)))
	select {}
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

// run makes a run on what was loaded: run(method, set, radius, seed, gap, terms, point) ends
// when it has proven a duality gap, or has computed so many gradients of terms. It calls point
// with the terms, linear optimisations, duality gap and seconds of each look, and returns why
// it ended. A look reads f and its gradient, 2n terms that no account holds: the next one
// waits until the method has computed as many, and a fiftieth of all.
func run(args []js.Value) (any, error) {
	method, set := methods[args[0].String()], sets[args[1].String()]
	n := data.Len()
	h, m := data.Shape()
	o := fwopt.NewOracle(data, set(h, m, args[2].Float()), uint64(args[3].Float()))
	terms, point, next := args[5].Int(), args[6], 0
	count := func(c fwopt.Calls) int { return c.Stochastic + n*c.Exact }
	look := func(fwopt.Step) (look, last bool) {
		spent := count(o.Calls)
		if look = spent >= next; look {
			next = spent + max(2*n, spent/50)
		}
		return look, spent >= terms
	}
	seen := func(p fwopt.Point) {
		point.Invoke(count(p.Calls), p.Calls.Linear, p.DualityGap+p.Slack, p.Seconds)
	}
	tr := fwopt.Run(context.Background(), o, method(), fwopt.Budget{Tolerance: args[4].Float(), Record: look,
		NoW: true,
		Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			if now.DualityGap == now.DualityGap { // it was recorded
				seen(now)
			}
		}})
	seen(tr.Last())
	return tr.Status.String(), nil
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
