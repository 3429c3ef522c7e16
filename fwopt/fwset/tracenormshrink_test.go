package fwset

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// spectrumCase draws s singular values and a radius of which the projection is to be hard.
func spectrumCase(rng *rand.Rand, s int) (name string, sigma []float64, tau float64) {
	r := 1 + rng.IntN(s/10) // so many are to stay
	gap, u := math.Pow(10, -12*rng.Float64()), rng.Float64
	p, q, k, clusters := 0.3+2*u(), 0.7+0.29*u(), rng.IntN(40), 1+rng.IntN(6)
	first := func(i, n int, x, y float64) float64 { // x for the first n
		if i < n {
			return x
		}
		return y
	}
	const θ = 0.5
	kinds := []struct {
		name  string
		theta float64 // 0 if it is to be between two values
		sigma func(i int) float64
	}{
		{"falling", 0, func(i int) float64 { return math.Pow(float64(i+1), -p) }},
		{"geometric", 0, func(i int) float64 { return math.Pow(q, float64(i)) }},
		{"low rank and noise", 0, func(i int) float64 { return first(i, r, 1+u(), gap*u()) }},
		{"low rank", 0, func(i int) float64 { return max(0, float64(r-i)) * u() }},
		{"clusters", 0, func(i int) float64 {
			return first(i, r, 1,
				0.3) * (float64(1+rng.IntN(clusters)) + gap*u())
		}},
		{"equal above", 0, func(i int) float64 { return first(i, r, 1, 0.5*u()) }},
		{"flat", 0, func(int) float64 { return 1 + gap*u() }},
		{"equal at the threshold", θ, func(i int) float64 {
			return θ * first(i, r, 2+u(), first(i, r+k, 1,
				gap*u()))
		}},
		{"nearly at the threshold", θ, func(i int) float64 {
			return θ * first(i, r, 2+u(), first(i, 2*r, 1+gap*rng.NormFloat64(), 0.5*u()))
		}},
		{"one missed", θ, func(i int) float64 {
			return first(i, r, 1, θ*first(i, r+1, 1+10*gap,
				1-gap*u()))
		}},
	}
	kind := kinds[rng.IntN(len(kinds))]
	for i := range s {
		sigma = append(sigma, kind.sigma(i))
	}
	theta := kind.theta
	if theta == 0 {
		order := slices.Sorted(slices.Values(sigma))
		theta = order[s-1-r] * (1 + 0.1*gap)
		if rng.IntN(3) == 0 {
			theta = (order[s-1-r] + order[s-r]) / 2
		}
	}
	for _, c := range sigma {
		tau += max(0, c-theta)
	}
	if tau == 0 {
		tau = 1e-3
	}
	c := math.Pow(10, 16*u()-8)
	floats.Scale(c, sigma)
	return kind.name, sigma, tau * c
}

// few is the number of random matrices of TestTraceNormFew: make verify takes 10,000.
var few = flag.Int("few", 2000, "random matrices of TestTraceNormFew")

// A projection by few singular values is that by all of them, to the accuracy that Project
// promises, whatever the spectrum, or it is refused.
func TestTraceNormFew(t *testing.T) {
	cases := *few
	if testing.Short() {
		cases /= 4
	}
	done, worst := map[string][2]int{}, 0.0
	for k := range cases {
		rng := rand.New(rand.NewPCG(uint64(k), 99))
		s := 150 + rng.IntN(150)
		name, sigma, tau := spectrumCase(rng, s)
		b := TraceNorm{H: s, M: s + rng.IntN(20), Tau: tau}
		if k%2 == 0 {
			b.H, b.M = b.M, b.H
		}
		x := Reflected(rng, b.H, b.M, sigma)
		got, want := make([]float64, len(x)), make([]float64, len(x))
		gram := make([]float64, s*s)
		ok := b.projectFew(got, x, func() []float64 { kern.Gram(gram, x, b.M, b.H); return gram }, s/8, nil)
		d := done[name]
		d[1]++
		if ok {
			d[0]++
		}
		done[name] = d
		if !ok {
			continue
		}
		kern.Gram(gram, x, b.M, b.H)
		b.projectAll(want, x, gram)
		top, below := threshold(sigma, tau)
		eps := float64(s) * 0x1p-52
		dist := floats.Distance(got, want, 2)
		limit := eps * top * top / (top + below)
		worst = max(worst, dist/limit)
		if dist > limit {
			t.Errorf("case %d, %s, order %d: off by %.3g, more than %.3g; θ = %g", k, name, s, dist, limit,
				top+below)
		}
	}
	for _, name := range []string{"falling", "geometric", "low rank", "low rank and noise", "clusters"} {
		if d := done[name]; d[0] < d[1]/10 || d[0] == d[1] {
			t.Errorf("%s: %d of %d are certified: too few, or none is hard", name, d[0], d[1])
		}
	}
	if worst < 1e-3 {
		t.Errorf("never off by more than %.3g of what is promised: the comment is out of date", worst)
	}
}

// hidden returns an s × s matrix with five singular values from 10 on, one at missed, the
// vector of which is orthogonal to the rows of start, and others from rest on downwards; and
// the ball for which the threshold of all but missed is 1.
func hidden(rng *rand.Rand, s int, rest, missed float64, start []float64) (TraceNorm, []float64) {
	const r = 5
	b := TraceNorm{H: s, M: s}
	sigma := make([]float64, s-1)
	for i := range sigma {
		if sigma[i] = 10 + float64(i); i >= r {
			sigma[i] = rest / float64(1+i-r)
		}
		b.Tau += max(0, sigma[i]-1)
	}
	x, u := Reflected(rng, s-1, s-1, sigma), direction(rng, s)
	for range 2 {
		for q := start; len(q) > 0; q = q[s:] {
			floats.AddScaled(u, -floats.Dot(q[:s], u)/floats.Dot(q[:s], q[:s]), q[:s])
		}
	}
	toSphere(u, u, 1)
	w := slices.Clone(u) // I − 2wwᵀ maps the last unit vector to u, and the others to its complement
	w[s-1]--
	toSphere(w, w, 1)
	full := make([]float64, s*s)
	for j := range s - 1 {
		col := full[j*s : j*s+s]
		copy(col, x[j*(s-1):(j+1)*(s-1)])
		floats.AddScaled(col, -2*floats.Dot(col, w), w)
	}
	floats.AddScaled(full[(s-1)*s:], missed, u)
	return b, full
}

// A singular vector that is orthogonal to the start of the search is missed, and its value
// is above the threshold: the certificate sees it.
func TestTraceNormFewMisses(t *testing.T) {
	const s = 300
	rng := rand.New(rand.NewPCG(31, 32))
	var start []float64
	eigen.Largest(make([]float64, s/2*s), make([]float64, s/2), s, nil, 0, func(w, q []float64, n int) {
		start = slices.Clone(q)
		clear(w)
	}, func([]float64) (int, float64) { return -1, 0 })
	for _, rest := range []float64{0.2, 0.99} { // of the threshold: a wide gap, and a small one
		for _, missed := range []float64{0, 1.01, 1.3} { // of the threshold
			b, x := hidden(rng, s, rest, missed, start)
			ok := b.projectFew(make([]float64, s*s), x, nil, s/8, nil)
			if ok != (missed == 0) {
				t.Errorf("the rest at %g, one value at %g of the threshold that is missed: certified is %t",
					rest, missed, ok)
			}
		}
	}
	// A warm start that misses it costs time only.
	old := Normal(rng, eigen.Block*s)
	for i := range eigen.Block {
		for j := range i {
			p, q := old[i*s:i*s+s], old[j*s:j*s+s]
			floats.AddScaled(p, -floats.Dot(p, q)/floats.Dot(q, q), q)
		}
	}
	b, x := hidden(rng, s, 0.2, 1.3, old)
	got, want := make([]float64, s*s), make([]float64, s*s)
	if !b.projectFew(got, x, nil, s/8, &Warm{P: append([]float64{36}, old...)}) {
		t.Error("a warm start that misses a singular value is not made up for")
	}
	if b.Project(want, x); !floats.EqualApprox(got, want, 1e-11) {
		t.Error("a warm start that misses a singular value leads elsewhere")
	}
}

// A warm start saves multiplications, is as accurate where x moves on, finds what is new,
// and does no harm whatever it is.
func TestTraceNormFewWarm(t *testing.T) {
	const s, m = 510, 520
	rng := rand.New(rand.NewPCG(35, 36))
	sigma := make([]float64, s)
	for i := range sigma {
		sigma[i] = math.Pow(float64(i+1), -1.5)
	}
	b := TraceNorm{H: s, M: m, Tau: 0.6 * floats.Sum(sigma)}
	x := Reflected(rng, s, m, sigma)
	got, want, other := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	check := func(what string, warm *Warm) {
		gram := make([]float64, s*s)
		form := func() []float64 { kern.Gram(gram, x, b.M, b.H); return gram }
		if !b.projectFew(got, x, form, fewOf(s), warm) {
			t.Fatalf("%s: not certified", what)
		}
		b.projectAll(want, x, form())
		lambda := Singular(b.H, b.M, x)
		top, below := threshold(lambda, b.Tau)
		limit := s * 0x1p-52 * top * top / (top + below)
		if d := floats.Distance(got, want, 2); d > limit {
			t.Errorf("%s: off by %.3g, more than %.3g", what, d, limit)
		}
	}
	warm := new(Warm)
	check("first", warm)
	first := warm.P[0]
	if b.Project(other, x); !slices.Equal(other, got) {
		t.Error("a Warm that is empty gives other bits than none")
	}
	noise := Normal(rng, len(x))
	for k := range 6 { // the next points of a run
		floats.AddScaled(x, 1e-6*math.Pow(-1, float64(k)), noise)
		check("near", warm)
	}
	if warm.P[0] > 0.85*first {
		t.Errorf("near by it takes a basis of %g vectors, at first %g: nothing is saved", warm.P[0], first)
	}
	again, last := &Warm{P: slices.Clone(warm.P)}, slices.Clone(warm.P)
	check("as before", warm)
	copy(other, got)
	if check("as before", again); !slices.Equal(other, got) || !slices.Equal(warm.P, again.P) {
		t.Error("the same Warm gives other bits")
	}
	fresh := Reflected(rng, s, m, []float64{3})
	floats.Add(x, fresh)
	check("something new", warm)
	for name, p := range map[string][]float64{
		"zeros": make([]float64, len(last)), "NaN": slices.Repeat([]float64{math.NaN()}, len(last)),
		"huge":           slices.Repeat([]float64{1e300}, len(last)),
		"a start of NaN": append([]float64{100}, slices.Repeat([]float64{math.NaN()}, len(last)-1)...),
		"too short":      {1, 2, 3}, "all equal": slices.Repeat([]float64{200}, len(last)),
		"below 0": slices.Repeat([]float64{-1}, len(last)),
	} {
		check(name, &Warm{P: p})
	}
	floats.Scale(1e-9, x)
	if b.ProjectWarm(got, x, warm); !slices.Equal(got, x) {
		t.Error("a point of Ω moves")
	}
}

// Where few singular values are looked for in vain, the next projections do not look, and
// then one does.
func TestTraceNormFewWaits(t *testing.T) {
	const s = 150
	b := TraceNorm{H: s, M: s, Tau: 1}
	x, warm := Normal(rand.New(rand.NewPCG(39, 1)), s*s), new(Warm)
	gram, dst := make([]float64, s*s), make([]float64, s*s)
	form := func() []float64 { kern.Gram(gram, x, s, s); return gram }
	var waits []float64
	for range 120 {
		if b.projectFew(dst, x, form, s/8, warm) {
			t.Fatal("certified: this test needs a case that is not")
		}
		if warm.P[0] == warm.P[1] {
			waits = append(waits, warm.P[0])
		}
	}
	if want := []float64{1, 3, 7, 15, 31, 33, 33}; !slices.Equal(waits, want) {
		t.Errorf("it waits for %g projections, want %g", waits, want)
	}
	for _, p := range [][]float64{{math.NaN(), math.NaN()}, {0, -5}, {-1, 1e300}, {0, math.Inf(1)}} {
		warm.P = p
		if b.projectFew(dst, x, form, s/8, warm); !(warm.P[0] >= 1 && warm.P[0] <= 33) {
			t.Errorf("from %g it waits for %g projections", p, warm.P[0])
		}
	}
}
