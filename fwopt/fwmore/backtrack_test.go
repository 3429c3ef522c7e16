package fwmore_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// plain is Backtracking once more, from the paper's text alone. It asks f behind the back
// of the oracle and counts by itself.
type plain struct {
	f     fwopt.FiniteSum
	L     float64
	calls int
	close bool // rounding has decided
}

func (r *plain) Step(_ *fwopt.Oracle, k int, seg fwopt.Segment) float64 {
	norm2, f := dot(seg.D, seg.D), r.f.Value(seg.X)
	M := 0.9 * r.L
	r.calls++
	if k == 1 {
		M = (r.f.Value(sub(seg.X, seg.D)) - f + seg.Slope) * 2 / norm2
		r.calls++
	}
	for {
		γ := math.Min(seg.Slope/(M*norm2), seg.Most)
		Q := f - γ*seg.Slope + γ*γ*M*norm2/2
		at := r.f.Value(comb(1, seg.X, -γ, seg.D))
		r.calls++
		r.close = r.close || math.Abs(at-Q) < 1e-13*math.Abs(f) || f-Q < 1e-11*math.Abs(f)
		if at <= Q {
			r.L = M
			return γ
		}
		M *= 2
	}
}

func (r *plain) Identify(id *fwopt.Identity) { id.Of(r) }

// ruled are the methods that take a rule.
func ruled(rule fwopt.StepRule) map[string]fwopt.Method {
	return map[string]fwopt.Method{
		"FW": &fwopt.FW{Rule: rule}, "AwayFW": &fwmore.AwayFW{Rule: rule},
		"pairwise": &fwmore.PairwiseFW{Rule: rule}, "blended": &fwmore.BlendedPairwise{Rule: rule},
	}
}

// classes is a logistic loss of 3 classes over 40 rows of 4 numbers.
func classes(seed uint64) *fwsum.Logistic {
	r := rand.New(rand.NewPCG(seed, 7))
	x, y := &fwsum.Dense{N: 40, M: 4, Val: make([]float64, 160)}, make([]int, 40)
	for i := range x.Val {
		x.Val[i] = 2 * r.NormFloat64()
	}
	for i := range y {
		y[i] = r.IntN(3)
	}
	return fwsum.NewLogistic(x, y, 3)
}

// Runs of all methods beside the naive rule: the same points, L and counts. On the way:
// f falls by half of γ_k times the slope at least where γ_k is short, and L_k ≤ 2L.
func TestBacktrackingAgainstNaive(t *testing.T) {
	steps, doubled := 0, 0
	for seed := range uint64(20) {
		for _, p := range []struct {
			f interface {
				fwopt.FiniteSum
				Smoothness() float64
			}
			omega fwopt.Domain
		}{
			{squares(6, seed), hulls(6)["box"].Domain}, {squares(6, seed), hulls(6)["simplex"].Domain},
			{classes(seed), fwset.L1Ball{D: 12, R: 5}}, {classes(seed), fwset.TraceNorm{H: 3, M: 4, Tau: 4}},
		} {
			for name := range ruled(nil) {
				where := fmt.Sprintf("%s, %T on %T, seed %d", name, p.f, p.omega, seed)
				rule, twin := &fwmore.Backtracking{}, &plain{f: p.f}
				o, o1 := fwopt.NewOracle(p.f, p.omega, seed), fwopt.NewOracle(p.f, p.omega, seed)
				w0 := o.Start()
				o1.Start()
				next, stop := iter.Pull(ruled(twin)[name].Steps(o1, w0))
				value, last := p.f.Value(w0), 0.0
				for s := range ruled(rule)[name].Steps(o, w0) {
					want, _ := next()
					if twin.close || s.K > 60 {
						break
					}
					if e := norm(sub(s.X, want.X)); e > 1e-9 || math.Abs(rule.L-twin.L) > 1e-6*twin.L {
						t.Fatalf("%s, step %d: %g off, L = %g, want %g", where, s.K, e, rule.L, twin.L)
					}
					if o.Calls.Exact != o1.Calls.Exact+twin.calls {
						t.Fatalf("%s, step %d: %d exact gradients, want %d and %d", where, s.K,
							o.Calls.Exact, o1.Calls.Exact, twin.calls)
					}
					if v := p.f.Value(s.X); v >= value || rule.L > 2*p.f.Smoothness() {
						t.Fatalf("%s, step %d: f from %g to %g, L = %g, true %g", where, s.K, value, v,
							rule.L, p.f.Smoothness())
					} else {
						value = v
					}
					if steps++; rule.L > last && s.K > 1 {
						doubled++
					}
					last = rule.L
				}
				stop()
			}
		}
	}
	t.Logf("%d steps, L grew in %d", steps, doubled)
	if steps < 5000 || doubled < steps/20 {
		t.Errorf("%d steps, L grew in %d: the test tests little", steps, doubled)
	}
}

// scaled is c·f.
type scaled struct {
	fwopt.FiniteSum
	c float64
}

func (s scaled) Value(w []float64) float64 { return s.c * s.FiniteSum.Value(w) }
func (s scaled) Grad(dst, w []float64, b fwopt.Batch) {
	s.FiniteSum.Grad(dst, w, b)
	for j := range dst {
		dst[j] *= s.c
	}
}

// wall is w_1 − w_0 − ln(0.6 − w_0)/10, least at w_0 = ½ and w_1 = 0, which has no value, or
// an infinite one, at the end of the first seg.
type wall struct{ beyond float64 }

func (f wall) Dim() int { return 2 }
func (f wall) Len() int { return 1 }
func (f wall) Value(w []float64) float64 {
	if w[0] >= 0.6 {
		return f.beyond
	}
	return w[1] - w[0] - math.Log(0.6-w[0])/10
}
func (f wall) Grad(dst, w []float64, _ fwopt.Batch) { dst[0], dst[1] = 0.1/(0.6-w[0])-1, 1 }

// Where f is linear, flat, infinite or no number.
func TestBacktrackingOddSums(t *testing.T) {
	omega := fwset.Box{Lo: []float64{0, 0}, Hi: []float64{1, 1}}
	linear := fwsum.NewQuadratic(2, make([]float64, 2), []float64{1, 1})
	run := func(f fwopt.FiniteSum, w0 ...float64) (*fwopt.Trace, *fwmore.Backtracking) {
		rule := &fwmore.Backtracking{}
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From(w0), &fwopt.FW{Rule: rule},
			fwopt.Budget{Steps: 30}), rule
	}
	if tr, rule := run(linear, 1, 0); tr.W[0] != 1 || tr.W[1] != 0 || rule.L != 0 ||
		tr.Last().Calls.Exact != 30 {
		t.Errorf("a constant: %v, L = %g, %+v", tr.W, rule.L, tr.Last().Calls)
	}
	if tr, rule := run(tilt{}, 1, 1); tr.W[0] != 0 || tr.W[1] != 0 || rule.L != 0 {
		t.Errorf("a linear f: %v, L = %g", tr.W, rule.L)
	}
	for _, beyond := range []float64{math.Inf(1), math.NaN()} {
		if tr, rule := run(wall{beyond}, 0, 1); !(math.Abs(tr.W[0]-0.5) < 0.02 && tr.W[1] < 0.1) {
			t.Errorf("f = %g beyond a wall: %v, L = %g", beyond, tr.W, rule.L)
		}
	}
	if got := small.Panics(func() {
		m := &fwopt.FW{Rule: &fwmore.Backtracking{}}
		for range m.Steps(fwopt.NewOracle(wall{math.NaN()}, omega, 1), []float64{1, 1}) {
			return
		}
	}); !strings.Contains(got, "gives γ_1 = NaN") {
		t.Errorf("f = NaN: panic %q", got)
	}
}

// tilt is w_0 + w_1.
type tilt struct{}

func (tilt) Dim() int                             { return 2 }
func (tilt) Len() int                             { return 1 }
func (tilt) Value(w []float64) float64            { return w[0] + w[1] }
func (tilt) Grad(dst, _ []float64, _ fwopt.Batch) { dst[0], dst[1] = 1, 1 }

// Where nothing is left but rounding, be it of an f or of a gradient that vanishes, L stays.
func TestBacktrackingAtTheFloor(t *testing.T) {
	for _, p := range []*fwinst.Instance{fwinst.IllBox(2, 1, 1, 1), fwinst.IllBox(4, 4, 8, 1),
		fwinst.Face(16, 8, 1, 1), fwinst.Simplex(16, 8, 1)} {
		for name, rule := range map[string]*fwmore.Backtracking{"FW": {}, "AwayFW": {}, "pairwise": {},
			"blended": {}} {
			o := fwopt.NewOracle(p.F, p.Omega, 1).From(p.W0)
			for s := range ruled(rule)[name].Steps(o, o.Start()) {
				if rule.L > 2*p.LF*(1+1e-9) || rule.L < 1e-3*p.LF {
					t.Fatalf("%s on %s, step %d: L = %g, true %g", name, p.Name, s.K, rule.L, p.LF)
				}
				if s.K == 1000 {
					break
				}
			}
		}
	}
}

// The step is found without L.
func ExampleBacktracking() {
	f, omega := squares(5, 1), fwset.Simplex{D: 5, R: 2}
	rule := &fwmore.Backtracking{}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwmore.PairwiseFW{Rule: rule},
		fwopt.Budget{Tolerance: 1e-9, Steps: 100})
	fmt.Printf("%v after %d steps, w = %.3f, L = %.2f where %.1f is safe\n", tr.Status, tr.Last().Step, tr.W,
		rule.L, f.Smoothness())
	// Output:
	// converged after 19 steps, w = [0.000 1.344 0.000 0.155 0.501], L = 1.06 where 14.1 is safe
}
