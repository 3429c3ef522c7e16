package fwtest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// bowl is f_i(w) = ½ Σ_j i·(w_j − i)² for i < n, in the plainest way, with one
// fault.
type bowl struct {
	n, d  int
	fault string
	calls int // that a fault counts
}

func (f *bowl) Dim() int { return f.d }
func (f *bowl) Len() int { return f.n }

func (f *bowl) Value(w []float64) float64 {
	sum := 0.0
	for i := range f.n {
		for _, x := range w {
			sum += float64(i) * (x - float64(i)) * (x - float64(i)) / 2
		}
	}
	switch f.fault {
	case "value writes w":
		w[0]++
	case "value is NaN":
		return math.NaN()
	case "value is concave":
		return -sum / float64(f.n)
	}
	return sum / float64(f.n)
}

func (f *bowl) Grad(dst, w []float64, b fwopt.Batch) {
	if f.fault == "last coordinate not written" {
		dst = dst[:f.d-1]
	}
	if f.fault != "dst not cleared" {
		clear(dst)
	}
	seen := map[int]bool{}
	for i, weight := range b.All(f.n) {
		if f.fault == "exact gradient is the sum" && b.Index == nil {
			weight = 1
		}
		if f.fault == "weights ignored" {
			weight = 1 / float64(max(1, len(b.Index)))
			if b.Index == nil {
				weight = 1 / float64(f.n)
			}
		}
		if f.fault == "duplicates dropped" && seen[i] {
			continue
		}
		seen[i] = true
		for j := range dst {
			dst[j] += weight * float64(i) * (w[j] - float64(i))
		}
	}
	switch f.fault {
	case "gradient off in one coordinate":
		dst[1] += 1e-3 * w[1]
	case "gradient writes w":
		w[0] = 0
	case "gradient writes the batch":
		if b.Weight != nil {
			b.Weight[0] = 0
		}
	case "gradient writes the indices":
		if b.Index != nil {
			b.Index[0] = (b.Index[0] + 1) % f.n
		}
	case "gradient remembers":
		f.calls++
		dst[0] += 1e-13 * float64(f.calls)
	case "large batches wrong":
		if len(b.Index) > f.n {
			dst[0] *= 1.001
		}
	case "terms are not convex":
		if len(b.Index) > 0 { // ∇f_i + (−1)^i 100w has the same mean
			for i, weight := range b.All(f.n) {
				for j := range dst {
					dst[j] += weight * 100 * float64(1-2*(i%2)) * w[j]
				}
			}
		}
	}
}

func (f *bowl) Smoothness() float64 {
	if f.fault == "L too small" {
		return 0.99 * float64(f.n-1)
	}
	return float64(f.n - 1)
}

func (f *bowl) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	if f.fault == "difference overwrites" {
		clear(dst)
	}
	for i, weight := range b.All(f.n) {
		for j := range dst {
			dst[j] += weight * float64(i) * (w[j] - w0[j])
		}
	}
	switch f.fault {
	case "difference writes w0":
		w0[0]++
	case "difference writes the indices":
		if b.Index != nil {
			b.Index[0] = (b.Index[0] + 1) % f.n
		}
	case "difference reversed":
		for i, weight := range b.All(f.n) {
			for j := range dst {
				dst[j] -= 2 * weight * float64(i) * (w[j] - w0[j])
			}
		}
	}
}

func (f *bowl) LineSearch(w, v []float64) float64 {
	g := make([]float64, f.d)
	f.Grad(g, w, fwopt.Batch{})
	slope, curve := 0.0, 0.0
	for j := range g {
		u := v[j] - w[j]
		slope += g[j] * u
		curve += float64(f.n-1) / 2 * u * u
	}
	switch f.fault {
	case "line search not clipped":
		return -slope / curve
	case "line search writes v":
		v[0]++
	case "line search too short":
		return 0.5 * max(0, min(1, -slope/curve))
	case "line search at the end":
		return 1
	}
	return max(0, min(1, -slope/curve))
}

func (f *bowl) Curve(dst, w, d []float64) {
	for j := range dst {
		dst[j] = float64(f.n-1) / 2 * d[j]
	}
	switch f.fault {
	case "curve of the sum":
		for j := range dst {
			dst[j] *= float64(f.n)
		}
	case "curve not symmetric":
		dst[0] += d[1]
	case "curve of the other sign":
		for j := range dst {
			dst[j] = -dst[j]
		}
	case "curve not linear": // at the sum of two directions, which is asked for after them
		if f.calls++; f.calls > 20 && f.calls%3 == 2 {
			dst[0] *= 2
		}
	case "curve adds to dst":
		dst[2] = math.NaN()
	case "curve writes d":
		d[0]++
	case "curve writes w":
		w[0]++
	}
}

// sampled is bowl that draws its own batches.
type sampled struct{ bowl }

func (f *sampled) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	n, draws := f.n, m
	switch f.fault {
	case "a term left out":
		n--
	case "a term too many":
		n++
	case "half as many samples":
		draws = (m + 1) / 2
	}
	if f.fault != "batch of the call before" {
		b.Index, b.Weight = b.Index[:0], b.Weight[:0]
	}
	b.Index, b.Weight = sample.Uniform(b.Index, b.Weight, rng, draws, n)
}

// flat is bowl with a false G.
type flat struct{ bowl }

func (f *flat) Lipschitz() float64 { return 1e-3 }

func TestFiniteSumPasses(t *testing.T) {
	for _, n := range []int{2, 6} {
		TestFiniteSum(t, &bowl{n: n, d: 3})
	}
}

// crowded passes all tests that call it from one goroutine.
type crowded struct {
	bowl
	turns
}

func (f *crowded) Grad(dst, w []float64, b fwopt.Batch) {
	f.turn(dst, func() { f.bowl.Grad(dst, w, b) })
}

// Each fault must be found, by a message that says what is wrong.
func TestFiniteSumFindsFaults(t *testing.T) {
	TestFiniteSum(t, &sampled{bowl{n: 6, d: 3}})
	for fault, want := range map[string]string{
		"value writes w":                 "call of Value wrote to w",
		"value is NaN":                   "Value(w) = NaN",
		"value is concave":               "not convex",
		"dst not cleared":                "must overwrite",
		"last coordinate not written":    "must overwrite",
		"exact gradient is the sum":      "gradient of Value | is under the tangent",
		"weights ignored":                "one by one",
		"duplicates dropped":             "one by one",
		"gradient off in one coordinate": "along coordinate 1",
		"gradient writes w":              "wrote to w",
		"gradient writes the batch":      "wrote to the batch",
		"gradient writes the indices":    "wrote to the batch",
		"gradient remembers":             "two calls with the same arguments",
		"large batches wrong":            "Grad of a batch of 13 out of 6",
		"terms are not convex":           "is not convex: ⟨∇f_i(v) − ∇f_i(w), v−w⟩",
		"L too small":                    "Smoothness() = ",
		"difference overwrites":          "AddGradDiff",
		"difference reversed":            "AddGradDiff",
		"difference writes w0":           "AddGradDiff wrote to",
		"difference writes the indices":  "AddGradDiff wrote to",
		"line search writes v":           "LineSearch wrote to",
		"line search not clipped":        "want a γ in [0, 1]",
		"line search too short":          "LineSearch returns",
		"line search at the end":         "LineSearch returns",
		"curve of the sum":               "Curve is not the derivative of Grad at 20 of 20 points",
		"curve not symmetric":            "the first two must be the same",
		"curve of the other sign":        "not negative",
		"curve not linear":               "Curve is not linear in d",
		"curve adds to dst":              "coordinate 2 of ∇²f(w)d is NaN",
		"curve writes d":                 "Curve wrote to w or d",
		"curve writes w":                 "Curve wrote to w or d",
	} {
		var r recorder
		finiteSum(&r, &bowl{n: 6, d: 3, fault: fault})
		for _, want := range strings.Split(want, " | ") {
			expect(t, r.msgs, want)
		}
	}
	six := func(fault string) bowl { return bowl{n: 6, d: 3, fault: fault} }
	for _, c := range []struct {
		f    fwopt.FiniteSum
		want string // alone
	}{
		{&sampled{six("a term left out")}, "SampleBatch, m = 1: the mean"},
		{&sampled{six("a term too many")}, "want some of {0, …, 5}"},
		{&sampled{six("half as many samples")}, "SampleBatch, m = 3: coordinate"},
		{&sampled{six("batch of the call before")}, "the weights add up to 2"},
		{&flat{six("")}, "Lipschitz() = 0.001"},
		{&crowded{bowl: six("")}, "called from four goroutines at once"},
		{&bowl{}, "Dim() = 0"},
	} {
		var r recorder
		finiteSum(&r, c.f)
		if expect(t, r.msgs, c.want); len(r.msgs) > 1 {
			t.Errorf("%q, want one message", r.msgs)
		}
	}
}

// hasty is a sum that says a smoothness a little too small.
type hasty struct {
	*fwsum.RowSum
	share float64
}

func (f hasty) Smoothness() float64 { return f.share * f.RowSum.Smoothness() }

// A smoothness that is too small by a fifth is found where the curvature is
// everywhere, and where it is between two kinks only.
func TestFiniteSumFindsSmoothness(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 30, 4
	x, y := &fwsum.Sparse{N: n, M: d, Ptr: []int{0}}, make([]float64, n)
	for i := range n {
		for j := range d {
			x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, rng.NormFloat64())
		}
		x.Ptr = append(x.Ptr, len(x.Val))
		y[i] = rng.NormFloat64()
	}
	for _, delta := range []float64{10, 0.5, 0.1} {
		for share, want := range map[float64]string{1: "", 0.8: "Smoothness() = "} {
			var r recorder
			finiteSum(&r, hasty{fwsum.NewHuber(x, y, delta), share})
			got := strings.Join(r.msgs, "; ")
			if len(r.msgs) > 1 || !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("δ = %g, %g of L: %q", delta, share, r.msgs)
			}
		}
	}
}
