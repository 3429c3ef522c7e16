package fwmore_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// followed are sums whose scores are kept up, with sets of sparse vertices, of rank one and dense ones.
func followed() map[string]struct {
	f     fwopt.FiniteSum
	omega fwopt.Domain
} {
	video, boxes := small.Video()
	rng := rand.New(rand.NewPCG(5, 5))
	x, y := &fwsum.Dense{N: 40, M: 6, Val: make([]float64, 240)}, make([]int, 40)
	for i := range x.Val {
		x.Val[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = rng.IntN(3)
	}
	sum, simplex := small.Problem()
	type pair = struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
	}
	return map[string]pair{
		"video":              {video, boxes},
		"least squares":      {sum, simplex},
		"logistic, rank one": {fwsum.NewLogistic(x, y, 3), fwset.TraceNorm{H: 3, M: 6, Tau: 2}},
		"logistic, ℓ1 ball":  {fwsum.NewLogistic(x, y, 3), fwset.L1Ball{D: 18, R: 3}},
		"logistic, ℓ2 ball":  {fwsum.NewLogistic(x, y, 3), fwset.L2Ball{D: 18, R: 3}},
		"one row": {fwsum.NewLeastSquares(&fwsum.Dense{N: 1, M: 3, Val: []float64{1, 2, 3}}, []float64{1}),
			fwset.Simplex{D: 3, R: 1}},
		"a loss of one's own": {fwsum.NewRowSum(x, 3, cubes{}), fwset.L1Ball{D: 18, R: 3}},
	}
}

// cubes is a loss of one's own, not quadratic: Σ_l (s_l − 1)² + s_l⁴/4.
type cubes struct{}

func (cubes) Value(_ int, s []float64) (sum float64) {
	for _, x := range s {
		sum += (x-1)*(x-1) + x*x*x*x/4
	}
	return sum
}
func (cubes) Grad(_ int, s []float64, c float64) {
	for l, x := range s {
		s[l] = c * (2*(x-1) + x*x*x)
	}
}
func (cubes) Smoothness() float64 { return 1e3 }

// The gradient that is kept up by what changes is that of a fresh pass, between two passes, too, and so are the
// steps: f never goes up. The counts are those of a run that asks f itself.
func TestFollowed(t *testing.T) {
	for what, c := range followed() {
		with := func() map[string]active {
			all := actives(func() fwopt.StepRule { return fwopt.LineSearch{} })
			all["FW"] = active{Method: &fwopt.FW{Rule: fwopt.LineSearch{}}}
			return all
		}
		for name, m := range with() {
			where := fmt.Sprintf("%s, %s", what, name)
			o, kept := fwopt.NewOracle(c.f, c.omega, 1), []float64(nil)
			plain := fwopt.NewOracle(struct {
				fwopt.FiniteSum
				fwopt.LineSearcher
			}{c.f, c.f.(fwopt.LineSearcher)}, c.omega, 1)
			w0, at := o.Start(), 0.0
			plain.Start()
			g, want := make([]float64, len(w0)), make([]float64, len(w0))
			value := c.f.Value(w0)
			for s := range m.Steps(o, w0) {
				switch a := m.Method.(type) {
				case *fwopt.FW:
					kept = a.Scores
				case *fwmore.PairwiseFW:
					kept = a.Scores
				case *fwmore.AwayFW:
					kept = a.Scores
				case *fwmore.BlendedPairwise:
					kept = a.Scores
				}
				c.f.(fwopt.Scorer).GradAt(g, kept)
				c.f.Grad(want, s.X, fwopt.Batch{})
				at = max(at, floats.Norm(want, 2))
				if e := floats.Distance(g, want, 2); !(e <= 1e-13*at) {
					t.Fatalf("%s, step %d: the gradient kept up is %g off, of %g", where, s.K, e, at)
				}
				if v := c.f.Value(s.X); v > value+1e-13*(1+value) {
					t.Fatalf("%s, step %d: f went up from %g to %g", where, s.K, value, v)
				} else {
					value = v
				}
				if s.K == 250 {
					break
				}
			}
			again := with()[name]
			for s := range again.Steps(plain, w0) {
				if s.K == 250 {
					if v := c.f.Value(s.X); v < value-1e-6*(1e-3+value) || v > value+1e-6*(1e-3+value) {
						t.Errorf("%s: f = %.12g, without what is kept up %.12g", where, value, v)
					}
					break
				}
			}
			if o.Calls != plain.Calls {
				t.Errorf("%s: calls %+v, without what is kept up %+v", where, o.Calls, plain.Calls)
			}
		}
	}
}

// faulty is a reader's own sum, whose rows are another's, and whose derivatives at scores end a run.
type faulty struct{ *fwsum.LeastSquares }

func (faulty) GradAt(_, _ []float64) { panic("asked for the gradient at scores") }
func (f faulty) Tested() any         { return f.LeastSquares }

// passed has been through fwtest, or says so; long has, too, and more scores than are kept.
type passed struct{ faulty }

func (f passed) Tested() any { return f }

type long struct{ passed }

func (f long) Tested() any       { return f }
func (f long) Shape() (h, m int) { return 1 << 22, 1 }

// What has not passed fwtest, has no scores or has too many of them is asked for its gradients as ever, to the
// bits of the same sum without the scores.
func TestFollowerAsksTheSum(t *testing.T) {
	sum, omega := small.Problem()
	rows := faulty{sum.(*fwsum.LeastSquares)}
	end := func(f fwopt.FiniteSum) (w []float64, panicked any) {
		defer func() { panicked = recover() }()
		m := &fwmore.PairwiseFW{Rule: fwopt.Short{L: 20}}
		return fwopt.Run(t.Context(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 50}).W, nil
	}
	want, _ := end(struct{ fwopt.FiniteSum }{rows})
	for name, f := range map[string]fwopt.FiniteSum{"untested": rows, "long": long{passed{rows}}} {
		if w, p := end(f); p != nil || !slices.Equal(w, want) {
			t.Errorf("%s: %v, %v, want %v", name, w, p, want)
		}
	}
	if _, p := end(passed{rows}); p == nil {
		t.Error("a sum that has passed fwtest is not asked at its scores")
	}
}

// What is wrong with the scores is gone after the next pass, and a gradient at scores that is no number ends a run.
func TestFollowerBeginsAnew(t *testing.T) {
	f, omega := small.Problem()
	o := fwopt.NewOracle(f, omega, 1)
	var scores []float64
	at, w, g := o.Follow(&scores), o.Start(), make([]float64, f.Dim())
	want := make([]float64, f.Dim())
	f.Grad(want, w, fwopt.Batch{})
	for k := 1; k <= 101; k++ {
		if at.Grad(g, w, k); k == 50 {
			scores[3]++
		}
		if off := floats.Distance(g, want, 2); (off > 1e-13) != (k > 50 && k <= 100) {
			t.Fatalf("step %d: the gradient is %g off", k, off)
		}
	}
	x := &fwsum.Dense{N: 2, M: 2, Val: []float64{1, 2, 3, 4}}
	m := &fwmore.PairwiseFW{Rule: fwopt.Short{L: 4}}
	o = fwopt.NewOracle(fwsum.NewRowSum(x, 1, hole{}), fwset.Simplex{D: 2, R: 1}, 1)
	tr := fwopt.Run(t.Context(), o, m, fwopt.Budget{Steps: 50})
	if tr.Status != fwopt.Diverged || !strings.Contains(tr.Note, "the exact gradient of") {
		t.Errorf("%v, %q", tr.Status, tr.Note)
	}
}

// hole is (s − 2.4)²/2, and no number near its minimiser.
type hole struct{}

func (hole) Value(_ int, s []float64) float64 { return (s[0] - 2.4) * (s[0] - 2.4) / 2 }
func (hole) Grad(_ int, s []float64, c float64) {
	x := s[0] - 2.4
	if s[0] = c * x; 0.9 < x && x < 1.1 {
		s[0] = math.NaN()
	}
}
func (hole) Smoothness() float64 { return 1 }
