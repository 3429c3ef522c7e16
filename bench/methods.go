package main

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

const (
	tau     = 50
	optimum = 2.477171957 // f(w*) of news20, unit rows, τ = 50
	slideL  = 0.02        // the L that the sliding methods are given
)

// methodItems are P6: the six methods of Section 5 on news20 until they are 1e-2 above
// the optimum, SVRG also 1e-3. Ours is run once to see how many steps that takes; then
// both sides make so many, from the same w_0, by the same schedules, each with its own
// draws. That they do the same is seen before from the first steps, with our draws.
func (b *bench) methodItems(d data) (all []item) {
	f := d.logistic()
	ball := fwset.TraceNorm{H: d.h, M: d.m, Tau: tau}
	start := fwopt.NewOracle(f, ball, 1).Start()
	writeNumbers(d.path+".w0", start)
	svrg := func() fwopt.Method { return fwopt.SVRGExperiments(300) }
	sgd := func() fwopt.Method { return fwopt.SGDExperiments(100) }
	for _, p := range []struct {
		name  string
		above float64
		more  map[string]any
		m     func() fwopt.Method
		most  int // steps, also where it is not reached

		samples func(k int) int
	}{
		{"SVRG", 1e-2, map[string]any{"rate": 300}, svrg, 1000, hundred},
		{"SVRG", 1e-3, map[string]any{"rate": 300}, svrg, 1000, hundred},
		{"SGD", 1e-2, map[string]any{"rate": 100}, sgd, 3000, hundred},
		{"SVRF", 1e-2, nil, func() fwopt.Method { return fwopt.SVRFExperiments() }, 1500, linear},
		{"SFW", 1e-2, nil, func() fwopt.Method { return fwopt.SFWExperiments() }, 500, square},
		{"SCGS", 1e-2, map[string]any{"L": slideL, "eta": 0.1}, slidingSCGS, 200, cube},
		{"STORC", 1e-2, map[string]any{"L": slideL, "eta": 1.0}, slidingSTORC, 600, hundred},
	} {
		name := fmt.Sprintf("P6 %s to %.0e", p.name, p.above)
		if !b.wanted(name) || b.quick && p.above < 1e-2 {
			continue
		}
		for seed := range uint64(2) {
			if b.quick && seed > 0 {
				break
			}
			it := item{name: fmt.Sprintf("%s, seed %d", name, seed+1), peer: "method", tol: 1e-5}
			draws := fmt.Sprintf("%s.%s%d", d.path, p.name, seed+1)
			saveDraws(draws, fwopt.NewOracle(f, ball, seed+1), p.samples)
			steps := checked
			if !b.quick {
				steps = stepsTo(f, ball, p.m(), start, seed+1, optimum+p.above, p.most)
			}
			args := d.args(map[string]any{"name": p.name, "steps": steps, "tau": tau, "seed": seed + 1,
				"draws": draws, "checked": checked})
			maps.Copy(args, p.more)
			it.args, it.rounds = args, 5
			it.start = func() side {
				first := startRun(f, ball, p.m, start, seed+1, checked)
				whole := startRun(f, ball, p.m, start, seed+1, steps)
				return side{whole.work, func() []float64 { first.work(); return first.value() }}
			}
			all = append(all, it)
		}
	}
	return all
}

func hundred(int) int  { return 100 }
func linear(k int) int { return k }
func square(k int) int { return k * k }
func cube(k int) int   { return k * k * k }

// checked is the number of steps that both sides make with the same draws: more than an epoch.
const checked = 60

// saveDraws writes the samples that a run with this oracle draws in its first steps.
func saveDraws(path string, o *fwopt.Oracle, samples func(k int) int) {
	ptr, index, weight := []int64{0}, []int32{}, []float64{}
	for k := 1; k <= checked; k++ {
		for i, w := range o.Sample(samples(k)).All(o.F.Len()) {
			index, weight = append(index, int32(i)), append(weight, w)
		}
		ptr = append(ptr, int64(len(index)))
	}
	writeNumbers(path+".ptr", ptr)
	writeNumbers(path+".index", index)
	writeNumbers(path+".weight", weight)
}

// slidingSCGS has a tenth of the preset's η.
func slidingSCGS() fwopt.Method {
	a := fwopt.SCGSExperiments(fwopt.Constants{L: slideL, D: 2 * tau})
	eta := a.Eta
	a.Eta = func(k int) float64 { return eta(k) / 10 }
	return a
}

// slidingSTORC halves the preset's η from epoch to epoch.
func slidingSTORC() fwopt.Method {
	a := fwopt.STORCExperiments(fwopt.Constants{L: slideL, D: 2 * tau})
	eta := a.Eta
	a.Eta = func(t, k int) float64 { return eta(t, k) / math.Exp2(float64(t-1)) }
	return a
}

// stepsTo returns how many steps a method takes until f is at most goal, looked at every
// 2 percent.
func stepsTo(f fwopt.FiniteSum, omega fwopt.Domain, m fwopt.Method, w0 []float64, seed uint64, goal float64,
	most int) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	o := fwopt.NewOracle(f, omega, seed).From(w0)
	tr := fwopt.Run(ctx, o, m, fwopt.Budget{Steps: most, Every: 1.02, NoW: true,
		Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			if now.F <= goal {
				stop()
			}
		}})
	return tr.Last().Step
}
