package fwopt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

// The loss that is reached on the digits and on news20 agrees with an optimum found by other code and
// another algorithm (testdata/reference.py), within the sum of both duality gaps.
func TestReferenceOptima(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Cases []struct {
			Data   string
			N      int
			Tau    float64
			F, Gap float64
		}
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, c := range reference.Cases {
		t.Run(fmt.Sprintf("%s n=%d tau=%g", c.Data, c.N, c.Tau), func(t *testing.T) {
			t.Parallel()
			if c.Data != "digits" && testing.Short() {
				t.Skip("seconds")
			}
			set, err := fwdata.Load(c.Data)
			if errors.Is(err, fwdata.ErrNotHere) {
				t.Skipf("%s is not on this machine", c.Data)
			}
			if err != nil {
				t.Fatal(err)
			}
			first := make([]int, c.N)
			for i := range first {
				first[i] = i
			}
			f := set.Subset(first).UnitRows().Logistic()
			omega := fwset.TraceNorm{H: set.H(), M: set.M(), Tau: c.Tau}
			w0 := fwopt.NewOracle(f, omega, 1).Start()
			for _, m := range []fwopt.Method{&fwmore.FISTA{L: 0.001}, fwopt.SVRGExperiments(20),
				&fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.SVRFExperiments()} {
				b := fwopt.Budget{Tolerance: 1e-5, Seconds: 600, Every: 1.3}
				switch m.(type) {
				case *fwmore.FISTA:
				case *fwopt.SVRG:
					if b.Tolerance = 1e-4; c.Data != "digits" {
						continue // a minute
					}
				default:
					if b.Tolerance = 1e-4; c.Data != "digits" || c.Tau > 10 || testing.Short() {
						continue // thousands of steps
					}
				}
				tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From(w0), m, b)
				p := tr.Last()
				t.Logf("%v f − reference %.2g, gap %.2g after %d steps, %.2g s", m, p.F-c.F, p.DualityGap,
					p.Step, p.Seconds)
				if tr.Status != fwopt.Converged || c.Gap > 1e-4 {
					t.Errorf("%v, %v at gap %g; reference gap %g", m, tr.Status, p.DualityGap, c.Gap)
				}
				if p.F < c.F-c.Gap-1e-12 || p.F > c.F+p.DualityGap+p.Slack {
					t.Errorf("%v reached f = %.10f with gap %g, the reference is %.10f with gap %g", m, p.F,
						p.DualityGap, c.F, c.Gap)
				}
			}
		})
	}
}
