package fwmore_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

func TestTry(t *testing.T) {
	name := os.Getenv("TRY")
	s, err := fwdata.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	f := s.UnitRows().Logistic()
	omega := fwset.TraceNorm{H: s.H(), M: s.M(), Tau: 50}
	fw0 := 0.
	// f*: long adaptive
	m0 := fwmore.NewAdaptiveSTORC()
	o := fwopt.NewOracle(f, omega, 99)
	w0 := o.Start()
	fw0 = f.Value(w0)
	o = fwopt.NewOracle(f, omega, 99)
	sec := 60.
	m0.Tolerance = 1e-5 * fw0
	tr := fwopt.Run(context.Background(), o, m0, w0, fwopt.Budget{Seconds: sec, Every: 1.02})
	fstar := math.Inf(1)
	for _, p := range tr.Points {
		fstar = min(fstar, p.F)
	}
	fmt.Println(tr.Status, "f(w0)", fw0, "f*", fstar, "B", m0.B, tr.Last().Calls, tr.Last().Step, tr.Last().Seconds)
	for seed := range uint64(3) {
		for _, size := range []int{8, 16} {
			m := fwmore.NewAdaptiveSTORC()
			m.Memory.Size = size
			o := fwopt.NewOracle(f, omega, seed+1)
			lev := []float64{1e-1, 1e-2, 1e-3}
			start := time.Now()
			ctx, cancel := context.WithCancel(context.Background())
			tr := fwopt.Run(ctx, o, m, w0, fwopt.Budget{Seconds: 60, Every: math.Inf(1), Watch: func(tr *fwopt.Trace, now fwopt.Point) {
				v := f.Value(tr.W)
				for len(lev) > 0 && v-fstar <= lev[0]*(fw0-fstar) {
					g := now.Calls.Exact*f.Len() + now.Calls.Stochastic
					fmt.Printf("seed %d size %d level %g: %.1f k gradients, %d LMO, step %d t %d k %d m %d L %.3g B %.3g true %.3g  %.2fs\n", seed, size, lev[0], float64(g)/1000, now.Calls.Linear, now.Step, now.T, now.K, m.M, m.L, m.B/(fw0-fstar), (v-fstar)/(fw0-fstar), now.Seconds)
					lev = lev[1:]
				}
				if len(lev) == 0 {
					cancel()
				}
			}})
			cancel()
			fmt.Println(tr.Status, time.Since(start))
		}
	}
}
