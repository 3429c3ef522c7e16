package fwkeep_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// late is SFW with the sum of its gradients in a local variable, d, which matters only from step From on,
// or in each step that Every divides.
type late struct {
	From, Every int

	K int
	W []float64
}

func (a *late) Identify(id *fwopt.Identity) { id.Of(a) }

func (a *late) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		if a.W == nil {
			a.W = slices.Clone(w0)
		}
		g, d, v := make([]float64, len(w0)), make([]float64, len(w0)), fwopt.Vertex{}
		for more := true; more; {
			k := a.K + 1
			o.StochasticGrad(g, a.W, k)
			for j := range d {
				d[j] += g[j]
			}
			if k >= a.From && k%a.Every == 0 {
				copy(g, d)
				g[0] += 3 * d[1] // so that another vertex is best
			}
			o.Argmin(&v, g)
			v.Lerp(a.W, 2/float64(k+1))
			a.K = k
			more = yield(fwopt.Step{T: 1, K: k, X: a.W})
		}
	}
}

// A state that is kept in a local variable and matters late is found all the same: the
// run itself is right, it cannot be kept, and nothing is left to go on from.
func TestKeepLateState(t *testing.T) {
	longer(t)
	f, omega := small.Problem()
	for _, c := range [][2]int{{3, 1}, {4, 1}, {5, 1}, {9, 1}, {17, 1}, {60, 1}, {1, 3}, {1, 7}, {1, 10}} {
		for _, stop := range []int{0, 90} {
			dir, b := t.TempDir(), fwopt.Budget{Steps: 120}
			want := fwopt.Run(bg, fwopt.NewOracle(f, omega, 3), &late{From: c[0], Every: c[1]}, b)
			ctx := bg
			if stop > 0 {
				ctx, b = small.StopAfter(stop, b)
			}
			tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 3), &late{From: c[0], Every: c[1]}, b)
			name := fmt.Sprintf("from step %d, each %d, stopped after %d", c[0], c[1], stop)
			if err == nil || !strings.Contains(err.Error(), "*fwkeep_test.late cannot go on from its state") {
				t.Errorf("%s: %v", name, err)
			}
			if left := files(dir, "*"); len(left) > 0 {
				t.Errorf("%s: %v is left", name, left)
			}
			if tr != nil && stop == 0 && !slices.Equal(tr.W, want.W) {
				t.Errorf("%s: the run ends at another w", name)
			}
			if tr == nil && c[0] > 3 {
				t.Errorf("%s: no trace", name)
			}
		}
	}
}
