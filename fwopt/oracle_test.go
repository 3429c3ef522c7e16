package fwopt_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/stat/distuv"
)

// Sample follows the law of m independent uniform indices, drawn one by one (m < n) and as multinomial
// counts (m ≥ n): every outcome against its exact probability, by χ².
func TestSampleLaw(t *testing.T) {
	for _, c := range []struct{ n, m int }{{5, 1}, {4, 3}, {1, 3}, {3, 3}, {3, 4}, {2, 9}} {
		f, h := instance(1, c.n, 2, 2)
		o := fwopt.NewOracle(f, h, 11)
		exact := map[string]float64{}
		outcomes := int(math.Pow(float64(c.n), float64(c.m)))
		for code := range outcomes {
			count := make([]int, c.n)
			for x, j := code, 0; j < c.m; x, j = x/c.n, j+1 {
				count[x%c.n]++
			}
			exact[fmt.Sprint(count)] += 1 / float64(outcomes)
		}
		const draws = 100000
		seen := map[string]int{}
		for range draws {
			seen[fmt.Sprint(counts(t, o.Sample(c.m), c.n, c.m))]++
		}
		chi2 := 0.
		for k, p := range exact {
			chi2 += math.Pow(float64(seen[k])-draws*p, 2) / (draws * p)
			delete(seen, k)
		}
		if len(seen) > 0 {
			t.Errorf("n %d, m %d: impossible outcomes %v", c.n, c.m, seen)
		}
		if len(exact) > 1 {
			if p := 1 - (distuv.ChiSquared{K: float64(len(exact) - 1)}).CDF(chi2); p < 1e-5 {
				t.Errorf("n %d, m %d: χ² %.1f over %d outcomes, probability %.1g", c.n, c.m, chi2, len(exact),
					p)
			}
		}
	}
}

// drawer is an lsq that draws its own batches: the term m mod 2, with weight 1.
type drawer struct {
	*lsq
	asked []int
}

func (f *drawer) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	f.asked = append(f.asked, m)
	b.Index, b.Weight = append(b.Index[:0], m%2), append(b.Weight[:0], 1)
	rng.Uint64()
}

// A Sampler's batches are used as they are, and counted like any others.
func TestSampler(t *testing.T) {
	f, h := instance(1, 4, 3, 2)
	s := &drawer{lsq: f}
	o := fwopt.NewOracle(s, h, 1)
	before := o.RNG
	w, w0, g := h.points[0], h.points[1], make([]float64, 3)
	o.StochasticGrad(g, w, 7)
	if e := norm(sub(g, f.gradTerm(1, w))); e > 0 {
		t.Errorf("StochasticGrad is %g off the batch of the Sampler", e)
	}
	g0 := f.gradAll(w0)
	o.VRGrad(g, w, w0, g0, 1000)
	if e := norm(sub(g, sub(f.gradTerm(0, w), sub(f.gradTerm(0, w0), g0)))); e > 1e-15 {
		t.Errorf("VRGrad is %g off the batch of the Sampler", e)
	}
	if want := (fwopt.Calls{Stochastic: 2007}); o.Calls != want || !slices.Equal(s.asked, []int{7, 1000}) {
		t.Errorf("calls %+v, want %+v; batches of %d", o.Calls, want, s.asked)
	}
	if o.RNG == before {
		t.Error("the Sampler was not handed the oracle's numbers")
	}
	if small.Panics(func() { o.Sample(0) }) == "" {
		t.Error("a batch of no samples was left to the Sampler")
	}
}

// What a method allocates in a step does not grow with n, d or the steps.
func TestStepsDoNotAllocate(t *testing.T) {
	for _, size := range []struct{ n, d int }{{30, 8}, {4000, 3000}} {
		f := fwsum.NewLeastSquares(small.Rows(size.n, size.d), make([]float64, size.n))
		omega := fwset.Simplex{D: size.d, R: 1}
		for name, m := range small.Methods() {
			o := fwopt.NewOracle(f, omega, 1)
			next, stop := iter.Pull(m.Steps(o, o.Start()))
			for range 110 { // past the start, and batches of all sizes up to n
				next()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 20 {
				next()
			}
			runtime.ReadMemStats(&after)
			if b := (after.TotalAlloc - before.TotalAlloc) / 20; b > 4000 {
				t.Errorf("n %d, d %d: %s allocates %d bytes a step", size.n, size.d, name, b)
			}
			stop()
		}
	}
}

// k³ is a whole number, however large, and stops at 2⁵³.
func TestLargeBatches(t *testing.T) {
	a := fwopt.SCGSExperiments(fwopt.Constants{L: 1, D: 1})
	for _, k := range []int{1, 3, 10_000, 20_000, 100_000, 200_000} {
		if got := a.M(k); got != k*k*k {
			t.Errorf("m_%d = %d, want %d", k, got, k*k*k)
		}
	}
	if got := a.M(300_000); got != 1<<53 {
		t.Errorf("m_300000 = %d, want 2⁵³", got)
	}
}

// differ is lsq with a correction of its own, term by term.
type differ struct{ *lsq }

func (f differ) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	for i, weight := range b.All(f.Len()) {
		copy(dst, comb(1, dst, weight, sub(f.gradTerm(i, w), f.gradTerm(i, w0))))
	}
	f.drawn = append(f.drawn, fwopt.Batch{Index: slices.Clone(b.Index), Weight: slices.Clone(b.Weight)})
}

// VRGrad gives the same bits whether dst is g0 or not, also where f is a Differ, writes nothing
// else, and at the snapshot is g0 itself.
func TestVRGradInPlace(t *testing.T) {
	plain, h := instance(4, 12, 3, 5)
	w, w0 := h.points[0], h.points[1]
	g0 := plain.gradAll(w0)
	for _, f := range []fwopt.FiniteSum{plain, differ{plain}} {
		apart, in := fwopt.NewOracle(f, h, 3), fwopt.NewOracle(f, h, 3)
		for _, m := range []int{1, 3, 12, 100, 2} {
			dst, g := slices.Repeat([]float64{math.NaN()}, 3), slices.Clone(g0)
			before := fmt.Sprint(w, w0, g0)
			apart.VRGrad(dst, w, w0, g0, m)
			in.VRGrad(g, w, w0, g, m)
			if !slices.Equal(dst, g) || fmt.Sprint(w, w0, g0) != before {
				t.Errorf("%T, m = %d: %v in place of g0, %v elsewhere, or w, w0 or g0 was written to", f, m,
					g, dst)
			}
			want := plain.reduced(counts(t, plain.drawn[len(plain.drawn)-1], 12, m), w, w0)
			if e := norm(sub(dst, want)); !(e <= 1e-13) {
				t.Errorf("%T, m = %d: %v, want %v", f, m, dst, want)
			}
			if in.VRGrad(g, w0, w0, g0, m); !slices.Equal(g, g0) {
				t.Errorf("%T: ∇̃f(w; w) = %v, ∇f(w) = %v", f, g, g0)
			}
			apart.VRGrad(g, w0, w0, g0, m)
		}
		if apart.Calls != in.Calls || apart.RNG != in.RNG {
			t.Errorf("%T: in place %+v, elsewhere %+v, or other draws", f, in.Calls, apart.Calls)
		}
	}
}
