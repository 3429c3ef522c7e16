package fwtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/floats"
)

// bowl is f_i(w) = ½ Σ_j i·(w_j − i)² for i < n, in the plainest way. A function that is there
// spoils what the method of its name has done.
type bowl struct {
	n, d   int
	value  func(w []float64, v float64) float64
	grad   func(dst, w []float64, b fwopt.Batch)
	smooth func(L float64) float64
	diff   func(dst, w, w0 []float64, b fwopt.Batch)
	slopes func(p, w []float64)
	rows   func(dst, p []float64)
	search func(w, v []float64, gamma float64) float64
	scores func(s []float64)
	at     func(dst, s []float64)
	along  func(gamma float64) float64
	curve  func(dst, w, d []float64)
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
	if sum /= float64(f.n); f.value != nil {
		return f.value(w, sum)
	}
	return sum
}

func (f *bowl) Grad(dst, w []float64, b fwopt.Batch) {
	clear(dst)
	for i, weight := range b.All(f.n) {
		for j := range dst {
			dst[j] += weight * float64(i) * (w[j] - float64(i))
		}
	}
	if f.grad != nil {
		f.grad(dst, w, b)
	}
}

func (f *bowl) Smoothness() float64 {
	if f.smooth != nil {
		return f.smooth(float64(f.n - 1))
	}
	return float64(f.n - 1)
}

func (f *bowl) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	for i, weight := range b.All(f.n) {
		for j := range dst {
			dst[j] += weight * float64(i) * (w[j] - w0[j])
		}
	}
	if f.diff != nil {
		f.diff(dst, w, w0, b)
	}
}

func (f *bowl) Shape() (h, m int) { return f.d, 1 }

func (f *bowl) Slopes(p, w []float64, index []int) {
	r := 0
	for i := range (fwopt.Batch{Index: index, Weight: make([]float64, len(index))}).All(f.n) {
		for j := range w {
			p[r] = float64(i) * (w[j] - float64(i))
			r++
		}
	}
	if f.slopes != nil {
		f.slopes(p, w)
	}
}

func (f *bowl) AddRows(dst, p []float64, _ []int) {
	for r, x := range p {
		dst[r%f.d] += x
	}
	if f.rows != nil {
		f.rows(dst, p)
	}
}

func (f *bowl) AddScores(s []float64, c float64, v *fwopt.Vertex) {
	for lo := 0; lo < len(s); lo += f.d {
		v.AddTo(s[lo:lo+f.d], c)
	}
	if f.scores != nil {
		f.scores(s)
	}
}

func (f *bowl) GradAt(dst, s []float64) {
	f.Grad(dst, s[:f.d], fwopt.Batch{})
	if f.at != nil {
		f.at(dst, s)
	}
}

func (f *bowl) SearchAt(_, _, d []float64, slope float64) float64 {
	gamma := max(0, min(1, slope/(float64(f.n-1)/2*floats.Dot(d, d))))
	if f.along != nil {
		return f.along(gamma)
	}
	return gamma
}

func (f *bowl) LineSearch(w, v []float64) float64 {
	g := make([]float64, f.d)
	f.Grad(g, w, fwopt.Batch{})
	u := floats.SubTo(make([]float64, f.d), v, w)
	gamma := -floats.Dot(g, u) / (float64(f.n-1) / 2 * floats.Dot(u, u))
	if f.search != nil {
		return f.search(w, v, gamma)
	}
	return max(0, min(1, gamma))
}

func (f *bowl) Curve(dst, w, d []float64) {
	floats.ScaleTo(dst, float64(f.n-1)/2, d)
	if f.curve != nil {
		f.curve(dst, w, d)
	}
}

// sampled is bowl that draws its own batches.
type sampled struct {
	bowl
	draw func(b *fwopt.Batch, m int, rng *rand.Rand)
}

func (f *sampled) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) { f.draw(b, m, rng) }

// uniform draws from n terms.
func uniform(n int) func(b *fwopt.Batch, m int, rng *rand.Rand) {
	return func(b *fwopt.Batch, m int, rng *rand.Rand) {
		b.Index, b.Weight = sample.Uniform(b.Index[:0], b.Weight[:0], rng, m, n)
	}
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
	type Batch = fwopt.Batch
	six, nan, calls := bowl{n: 6, d: 3}, math.NaN(), 0.
	TestFiniteSum(t, &sampled{six, uniform(6)})
	writesIndex := func(b Batch) {
		if b.Index != nil {
			b.Index[0] = (b.Index[0] + 1) % 6
		}
	}
	exactSums := func(dst, _ []float64, b Batch) {
		if b.Index == nil {
			floats.Scale(6, dst)
		}
	}
	for _, c := range []struct {
		want string
		f    bowl
	}{
		{"call of Value wrote to w", bowl{value: func(w []float64, v float64) float64 {
			w[0]++
			return v
		}}},
		{"Value(w) = NaN", bowl{value: func([]float64, float64) float64 { return nan }}},
		{"not convex", bowl{value: func(_ []float64, v float64) float64 { return -v }}},

		{"must overwrite", bowl{grad: func(dst, _ []float64, _ Batch) { dst[2] = nan }}},
		{"gradient of Value", bowl{grad: exactSums}},
		{"is under the tangent", bowl{grad: exactSums}},
		{"of the zero Batch out of 6 against its terms", bowl{grad: exactSums}},
		{"with weights [0 1] against its terms one by one", bowl{grad: func(dst, w []float64, b Batch) {
			if b.Index != nil {
				equal := 1 / float64(len(b.Index))
				six.Grad(dst, w, Batch{Index: b.Index, Weight: slices.Repeat([]float64{equal}, len(b.Index))})
			}
		}}},
		{"one by one", bowl{grad: func(dst, w []float64, b Batch) { // without duplicates
			var once Batch
			for j, i := range b.Index {
				if !slices.Contains(once.Index, i) {
					once.Index, once.Weight = append(once.Index, i), append(once.Weight, b.Weight[j])
				}
			}
			six.Grad(dst, w, once)
		}}},
		{"along coordinate 1", bowl{grad: func(dst, w []float64, _ Batch) { dst[1] += 1e-3 * w[1] }}},
		{"wrote to w", bowl{grad: func(_, w []float64, _ Batch) { w[0] = 0 }}},
		{"wrote to the batch", bowl{grad: func(_, _ []float64, b Batch) {
			if b.Weight != nil {
				b.Weight[0] = 0
			}
		}}},
		{"wrote to the batch", bowl{grad: func(_, _ []float64, b Batch) { writesIndex(b) }}},
		{"two calls with the same arguments", bowl{grad: func(dst, _ []float64, _ Batch) {
			calls++
			dst[0] += 1e-13 * calls
		}}},
		{"Grad of a batch of 13 out of 6", bowl{grad: func(dst, _ []float64, b Batch) {
			if len(b.Index) > 6 {
				dst[0] *= 1.001
			}
		}}},
		// ∇f_i + (−1)^i 100w has the same mean
		{"is not convex: ⟨∇f_i(v) − ∇f_i(w), v−w⟩", bowl{grad: func(dst, w []float64, b Batch) {
			for i, weight := range b.All(6) {
				floats.AddScaled(dst, weight*100*float64(1-2*(i%2)), w)
			}
		}}},
		{"Smoothness() = ", bowl{smooth: func(L float64) float64 { return 0.99 * L }}},

		{"AddGradDiff", bowl{diff: func(dst, w, w0 []float64, b Batch) { // overwrites
			clear(dst)
			six.AddGradDiff(dst, w, w0, b)
		}}},
		{"AddGradDiff", bowl{diff: func(dst, w, w0 []float64, b Batch) { // reversed
			six.AddGradDiff(dst, w0, w, b)
			six.AddGradDiff(dst, w0, w, b)
		}}},
		{"AddGradDiff wrote to", bowl{diff: func(_, _, w0 []float64, _ Batch) { w0[0]++ }}},
		{"AddGradDiff wrote to", bowl{diff: func(_, _, _ []float64, b Batch) { writesIndex(b) }}},

		{"AddRows of Slopes", bowl{slopes: func(p, _ []float64) { floats.Scale(1./6, p) }}}, // of a mean
		{"AddRows of Slopes", bowl{rows: func(dst, p []float64) { // overwrites
			clear(dst)
			six.AddRows(dst, p, nil)
		}}},
		{"Slopes wrote to w", bowl{slopes: func(_, w []float64) { w[0]++ }}},
		{"AddRows wrote to p", bowl{rows: func(_, p []float64) { p[0]++ }}},

		{"GradAt of AddScores", bowl{scores: func(s []float64) { s[0]++ }}},
		{"GradAt of AddScores", bowl{at: func(dst, _ []float64) { floats.Scale(6, dst) }}}, // of a sum
		{"GradAt wrote to s", bowl{at: func(_, s []float64) { s[0]++ }}},
		{"SearchAt", bowl{along: func(gamma float64) float64 { return gamma / 2 }}},

		{"LineSearch wrote to", bowl{search: func(_, v []float64, gamma float64) float64 {
			v[0]++
			return max(0, min(1, gamma))
		}}},
		{"want a γ in [0, 1]", bowl{search: func(_, _ []float64, gamma float64) float64 { return gamma }}},
		{"LineSearch returns", bowl{search: func(_, _ []float64, gamma float64) float64 {
			return 0.5 * max(0, min(1, gamma))
		}}},
		{"LineSearch returns", bowl{search: func(_, _ []float64, _ float64) float64 { return 1 }}},

		{"Curve is not the derivative of Grad at 20 of 20 points", bowl{curve: func(dst, _, _ []float64) {
			floats.Scale(6, dst)
		}}},
		{"the first two must be the same", bowl{curve: func(dst, _, d []float64) { dst[0] += d[1] }}},
		{"not negative", bowl{curve: func(dst, _, _ []float64) { floats.Scale(-1, dst) }}},
		// at the sum of two directions, which is asked for after them
		{"Curve is not linear in d", bowl{curve: func(dst, _, _ []float64) {
			if calls++; calls > 20 && int(calls)%3 == 2 {
				dst[0] *= 2
			}
		}}},
		{"coordinate 2 of ∇²f(w)d is NaN", bowl{curve: func(dst, _, _ []float64) { dst[2] = nan }}},
		{"Curve wrote to w or d", bowl{curve: func(_, _, d []float64) { d[0]++ }}},
		{"Curve wrote to w or d", bowl{curve: func(_, w, _ []float64) { w[0]++ }}},
	} {
		var r recorder
		calls, c.f.n, c.f.d = 0, 6, 3
		finiteSum(&r, &c.f)
		expect(t, r.msgs, c.want)
	}
	for _, c := range []struct {
		f    fwopt.FiniteSum
		want string // alone
	}{
		{&sampled{six, uniform(5)}, "SampleBatch, m = 1: the mean"},
		{&sampled{six, uniform(7)}, "want some of {0, …, 5}"},
		{&sampled{six, func(b *Batch, m int, rng *rand.Rand) { uniform(6)(b, (m+1)/2, rng) }},
			"SampleBatch, m = 3: coordinate"},
		{&sampled{six, func(b *Batch, m int, rng *rand.Rand) {
			b.Index, b.Weight = sample.Uniform(b.Index, b.Weight, rng, m, 6) // beside that of the call before
		}}, "the weights add up to 2"},
		{&flat{six}, "Lipschitz() = 0.001"},
		{&crowded{bowl: six}, "called from four goroutines at once"},
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
