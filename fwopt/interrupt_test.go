package fwopt_test

import (
	"context"
	"math"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// countdown is a context that is cancelled when its Err has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// Interrupts at every place, those inside the inner loop included, and a budget of
// linear optimisations that ends there.
func TestInterruptInsideAwaySteps(t *testing.T) {
	exact := func(m *fwopt.STORC) *fwopt.STORC {
		m.Beta = func(int) float64 { return 50 }
		m.Eta = func(int, int) float64 { return 1e-9 }
		return m
	}
	t.Run("away", func(t *testing.T) {
		interruptInside(t, func() fwopt.Method { return away(exact(fwopt.STORCExperiments(fwopt.Constants{L: 20, D: math.Sqrt2}))) })
	})
	t.Run("memory", func(t *testing.T) {
		interruptInside(t, func() fwopt.Method {
			m := exact(fwopt.STORCExperiments(fwopt.Constants{L: 20, D: math.Sqrt2}))
			m.Memory.Size = 2
			m.Eta = func(int, int) float64 { return 3e-4 }
			return m
		})
	})
}

func interruptInside(t *testing.T, fresh func() fwopt.Method) {
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 60}
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fresh(), b)
	dir, inside, at := t.TempDir(), 0, 0
	for n := 1; ; n++ {
		if n > 2000 {
			t.Fatal("a step asks more often whether it is to stop than any of these interrupts lets it")
		}
		tr, err := fwkeep.Keep(&countdown{context.Background(), n % 97}, dir, fwopt.NewOracle(f, omega, 1), fresh(), b)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status == fwopt.Done {
			if small.Bits(tr) != small.Bits(whole) {
				t.Errorf("after %d interrupts, %d inside an inner loop, the run is not the same", n, inside)
			}
			break
		}
		if tr.Status != fwopt.Interrupted || tr.Last().Step < at {
			t.Fatalf("%v at step %d after step %d", tr.Status, tr.Last().Step, at)
		}
		if n%97 > 2 && tr.Last().Step == at {
			inside++
		}
		at = tr.Last().Step
	}
	t.Logf("%d interrupts inside an inner loop; %+v", inside, whole.Last().Calls)
	if inside < 5 {
		t.Errorf("%d interrupts inside an inner loop: the test tests little", inside)
	}
	for limit := 2; limit < 200; limit++ {
		o := fwopt.NewOracle(f, omega, 1)
		tr := fwopt.Run(context.Background(), o, fresh(), fwopt.Budget{Linear: limit})
		if tr.Status != fwopt.Done || tr.Last().Calls.Linear > limit || o.Calls != tr.Last().Calls {
			t.Fatalf("with %d linear optimisations: %v after %d, the oracle at %+v", limit, tr.Status, tr.Last().Calls.Linear, o.Calls)
		}
	}
}

func away(m *fwopt.STORC) *fwopt.STORCAway { return &fwopt.STORCAway{STORC: *m} }
