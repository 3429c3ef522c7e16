package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// A row is what the tests of all sets need of one.
type row struct {
	name string
	some []fwset.Domain             // a few, small and large
	bad  map[string]fwset.Domain    // senseless ones of 4 numbers, and what their panics say
	more map[string]func()          // other calls that panic
	near func(rng *rand.Rand) naive // a projection by other means
	// A linear optimisation of whole numbers, as testdata/solve.py has it, too, which has left the
	// least values in testdata/NAME.txt; and how far they may be off.
	draw func(r *draw) (omega fwset.Domain, g []float64)
	tol  float64
}

type naive struct {
	set     fwset.Projector
	x, want []float64
	gauge   float64 // of x; NaN if it is not said
}

var nan, inf, one, own = math.NaN(), math.Inf(1), []fwset.Entry{{}}, fwset.Product{plainBall{2}}

var sets = []row{
	{
		name: "simplex",
		some: []fwset.Domain{
			fwset.Simplex{D: 1, R: 2}, fwset.Simplex{D: 2, R: 1}, fwset.Simplex{D: 50, R: 1},
			fwset.Simplex{D: 9, R: 1e-6}, fwset.Simplex{D: 2000, R: 1e-6},
		},
		bad: map[string]fwset.Domain{
			"a Simplex with R = 0,":     fwset.Simplex{D: 4},
			"a Simplex with R = -1":     fwset.Simplex{D: 4, R: -1},
			"a Simplex with R = NaN":    fwset.Simplex{D: 4, R: nan},
			"a Simplex with R = +Inf":   fwset.Simplex{D: 4, R: inf},
			"a Simplex of dimension 0":  fwset.Simplex{R: 1},
			"a Simplex of dimension -1": fwset.Simplex{D: -1, R: 1},
		},
		more: map[string]func(){"a radius of -1": func() {
			fwset.Simplex{D: 1, R: 1}.ArgminLocal([]float64{0}, []float64{0}, []float64{0}, -1)
		}},
		near: func(rng *rand.Rand) naive {
			s := fwset.Simplex{D: 1 + rng.IntN(12), R: math.Exp(rng.NormFloat64())}
			if rng.IntN(50) == 0 {
				s.D = 1000
			}
			x, y := randomPoint(rng, s.D), make([]float64, s.D)
			move := []float64{0, 0, 1, -1e3, 1e12}[rng.IntN(5)] // which moves no projection
			for j := range x {
				x[j] += move
				y[j] = x[j] - move // what is left of it
			}
			return naive{s, x, threshold(y, floats.Min(y)-s.R, s.R, cut), nan}
		},
		draw: balls(func(d int, r float64) fwset.Domain { return fwset.Simplex{D: d, R: r} }),
	}, {
		name: "l1",
		some: []fwset.Domain{
			fwset.L1Ball{D: 1, R: 2}, fwset.L1Ball{D: 50, R: 1}, fwset.L1Ball{D: 9, R: 1e6},
			fwset.L1Ball{D: 5000, R: 1e6},
		},
		bad: map[string]fwset.Domain{
			"an L1Ball with R = 0,":     fwset.L1Ball{D: 4},
			"an L1Ball with R = NaN":    fwset.L1Ball{D: 4, R: nan},
			"an L1Ball of dimension -1": fwset.L1Ball{D: -1, R: 1},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.L1Ball{D: 1 + rng.IntN(12), R: math.Exp(2 * rng.NormFloat64())}
			x := randomPoint(rng, b.D)
			return naive{b, x, threshold(x, 0, b.R, soft), floats.Norm(x, 1) / b.R}
		},
		draw: balls(func(d int, r float64) fwset.Domain { return fwset.L1Ball{D: d, R: r} }),
	}, {
		name: "l2",
		some: []fwset.Domain{
			fwset.L2Ball{D: 1, R: 2}, fwset.L2Ball{D: 50, R: 1}, fwset.L2Ball{D: 9, R: 1e-6},
		},
		bad: map[string]fwset.Domain{
			"an L2Ball with R = -1":    fwset.L2Ball{D: 4, R: -1},
			"an L2Ball with R = +Inf":  fwset.L2Ball{D: 4, R: inf},
			"an L2Ball of dimension 0": fwset.L2Ball{R: 1},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.L2Ball{D: 1 + rng.IntN(30), R: math.Exp(2 * rng.NormFloat64())}
			x := randomPoint(rng, b.D)
			gauge := floats.Norm(x, 2) / b.R
			return naive{b, x, floats.ScaleTo(make([]float64, b.D), 1/max(1, gauge), x), gauge}
		},
		draw: balls(func(d int, r float64) fwset.Domain { return fwset.L2Ball{D: d, R: r} }),
		tol:  1e-11,
	}, {
		name: "box",
		some: []fwset.Domain{
			fwset.Box{Lo: []float64{-1}, Hi: []float64{1}},
			fwset.Box{Lo: []float64{0, 2}, Hi: []float64{0, 2}},
			fwset.Box{Lo: []float64{-1, 0, 2, 0.3, -7, 1e-6}, Hi: []float64{1, 1e-6, 2, 1.1, -5, 1e-6}},
		},
		bad: map[string]fwset.Domain{
			"0 lower and 0 upper":      fwset.Box{},
			"4 lower and 2 upper":      fwset.Box{Lo: make([]float64, 4), Hi: make([]float64, 2)},
			"[0, -1] in coordinate 2":  fwset.Box{Lo: make([]float64, 4), Hi: []float64{0, 0, -1, 0}},
			"[NaN, 0] in coordinate 0": fwset.Box{Lo: []float64{nan, 0, 0, 0}, Hi: make([]float64, 4)},
			"[0, +Inf] in coordinate":  fwset.Box{Lo: make([]float64, 4), Hi: []float64{0, inf, 0, 0}},
			"[-Inf, 0] in coordinate":  fwset.Box{Lo: []float64{0, 0, 0, -inf}, Hi: make([]float64, 4)},
		},
		near: func(rng *rand.Rand) naive {
			d := 1 + rng.IntN(6)
			b, x, want, gauge := fwset.Box{Lo: randomPoint(rng, d), Hi: randomPoint(rng, d)},
				randomPoint(rng, d), make([]float64, d), 0.0
			for j, v := range x {
				b.Lo[j], b.Hi[j] = min(b.Lo[j], b.Hi[j]), max(b.Lo[j], b.Hi[j])+1
				want[j] = max(b.Lo[j], min(b.Hi[j], v))
				gauge = max(gauge, math.Abs(2*v-b.Lo[j]-b.Hi[j])/(b.Hi[j]-b.Lo[j]))
			}
			return naive{b, x, want, gauge}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			d := r.int(1, 12)
			lo, hi := r.floats(d, -9, 9), r.floats(d, 0, 9)
			floats.Add(hi, lo)
			return fwset.Box{Lo: lo, Hi: hi}, r.floats(d, -9, 9)
		},
	}, {
		name: "ksparse",
		some: []fwset.Domain{
			fwset.KSparse{D: 1, K: 1, R: 2}, fwset.KSparse{D: 30, K: 4, R: 1},
			fwset.KSparse{D: 9, K: 1, R: 1e6}, fwset.KSparse{D: 9, K: 9, R: 1e-6},
			fwset.KSparse{D: 1000, K: 300, R: 0.1},
		},
		bad: map[string]fwset.Domain{
			"K = 0, want 1 to D = 4":            fwset.KSparse{D: 4, R: 1},
			"K = 5, want 1 to D = 4":            fwset.KSparse{D: 4, K: 5, R: 1},
			"R = NaN":                           fwset.KSparse{D: 4, K: 1, R: nan},
			"a KSparse polytope of dimension 0": fwset.KSparse{K: 1, R: 1},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.KSparse{D: 1 + rng.IntN(12), R: math.Exp(rng.NormFloat64())}
			b.K = 1 + rng.IntN(b.D)
			x := randomPoint(rng, b.D)
			want := threshold(x, 0, float64(b.K)*b.R, func(v, θ float64) float64 {
				return min(b.R, max(-b.R, soft(v, θ)))
			})
			return naive{b, x, want, max(floats.Norm(x, inf)/b.R, floats.Norm(x, 1)/b.R/float64(b.K))}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			d := r.int(1, 12)
			return fwset.KSparse{D: d, K: r.int(1, d), R: 1}, r.floats(d, -9, 9)
		},
	}, {
		name: "group",
		some: []fwset.Domain{
			fwset.GroupBall{Size: []int{1}, R: 2}, fwset.GroupBall{Size: []int{3, 1, 5, 2}, R: 1},
			fwset.GroupBall{Size: slices.Repeat([]int{4}, 10), R: 1e6},
			fwset.GroupBall{Size: []int{40, 40}, R: 1e6},
		},
		bad: map[string]fwset.Domain{
			"group 2 has 0 numbers":      fwset.GroupBall{Size: []int{4, 0}, R: 1},
			"a GroupBall of dimension 0": fwset.GroupBall{R: 1},
			"R = -1":                     fwset.GroupBall{Size: []int{4}, R: -1},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.GroupBall{R: math.Exp(rng.NormFloat64())}
			for range 1 + rng.IntN(6) {
				b.Size = append(b.Size, 1+rng.IntN(4))
			}
			x := randomPoint(rng, b.Dim())
			var norms, want []float64
			for i, at := 0, 0; i < len(b.Size); at, i = at+b.Size[i], i+1 {
				norms = append(norms, floats.Norm(x[at:at+b.Size[i]], 2))
			}
			for i, left := range threshold(norms, 0, b.R, soft) {
				for range b.Size[i] {
					want = append(want, x[len(want)]*left/max(norms[i], 1e-300))
				}
			}
			return naive{b, x, want, floats.Sum(norms) / b.R}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			b := fwset.GroupBall{Size: r.ints(r.int(1, 6), 1, 5), R: 1}
			return b, r.floats(b.Dim(), -9, 9)
		}, tol: 1e-11,
	}, {
		name: "hull",
		some: []fwset.Domain{
			fwset.Hull{Points: normals(7, 20, 5)}, fwset.Hull{Points: normals(8, 1, 3)},
			fwset.Hull{Points: [][]float64{{0, 0, 1}, {0, 2, 0}, {0, 0, 0}}},
		},
		bad: map[string]fwset.Domain{
			"a Hull of no points":                fwset.Hull{},
			"or of points of length 0":           fwset.Hull{Points: [][]float64{{}}},
			"points of length 4 and, point 1, 3": fwset.Hull{Points: [][]float64{{1, 2, 3, 4}, {1, 2, 3}}},
		},
		more: map[string]func(){
			"a Hull with NaN in coordinate 1 of point 0":  hull([]float64{1, nan}),
			"a Hull with -Inf in coordinate 0 of point 1": hull([]float64{1}, []float64{-inf}),
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			n, d := r.int(1, 15), r.int(1, 8)
			var b fwset.Hull
			for range n {
				b.Points = append(b.Points, r.floats(d, -9, 9))
			}
			return b, r.floats(d, -9, 9)
		},
	}, {
		name: "trace",
		some: []fwset.Domain{
			fwset.TraceNorm{H: 1, M: 1, Tau: 2}, fwset.TraceNorm{H: 1, M: 9, Tau: 2},
			fwset.TraceNorm{H: 9, M: 1, Tau: 2, SVD: true}, fwset.TraceNorm{H: 5, M: 8, Tau: 3},
			fwset.TraceNorm{H: 8, M: 5, Tau: 1e-3}, fwset.TraceNorm{H: 5, M: 8, Tau: 1e-3, SVD: true},
			fwset.TraceNorm{H: 8, M: 5, Tau: 1e3, SVD: true}, fwset.TraceNorm{H: 66, M: 70, Tau: 1},
			fwset.TraceNorm{H: 20, M: 30, Tau: 1},
		},
		bad: map[string]fwset.Domain{
			"a TraceNorm ball with Tau = 0,": fwset.TraceNorm{H: 1, M: 4},
			"Tau = NaN":                      fwset.TraceNorm{H: 4, M: 1, Tau: nan, SVD: true},
			"a TraceNorm ball of 0 x 4 mat":  fwset.TraceNorm{M: 4, Tau: 1},
			"of 4 x -4 matrices":             fwset.TraceNorm{H: 4, M: -4, Tau: 1},
		},
		near: func(rng *rand.Rand) naive {
			h, m := 1+rng.IntN(9), 1+rng.IntN(9)
			if rng.IntN(40) == 0 {
				h, m = []int{20, 300, 110, 120}[rng.IntN(4)], []int{21, 120, 115}[rng.IntN(3)]
			}
			σ := randomPoint(rng, min(h, m))
			σ[0]++
			b := fwset.TraceNorm{H: h, M: m, Tau: floats.Norm(σ, 1) * (1e-3 + 0.7*rng.Float64()),
				SVD: rng.IntN(2) == 0}
			gauge := nan // which is less accurate without SVD
			if b.SVD {
				gauge = floats.Norm(σ, 1) / b.Tau
			}
			x, want := turned(rng, h, m, σ, threshold(σ, 0, b.Tau, soft))
			return naive{b, x, want, gauge}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			h, m := r.int(1, 9), r.int(1, 9)
			if r.int(1, 50) == 1 {
				h, m = r.int(65, 75), r.int(65, 75)
			}
			return fwset.TraceNorm{H: h, M: m, Tau: 1}, r.floats(h*m, -9, 9)
		}, tol: 1e-11,
	}, {
		name: "line",
		some: []fwset.Domain{
			fwset.LineNorm{H: 1, M: 1, R: 2}, fwset.LineNorm{H: 3, M: 5, R: 1},
			fwset.LineNorm{H: 6, M: 2, R: 1e6, Rows: true},
			fwset.LineNorm{H: 20, M: 30, R: 1e-6, Rows: true}, fwset.OneToRMS(4, 3, 2),
			fwset.RMSToMax(3, 4, 5), fwset.OneToMax(2, 5, 3), fwset.RMSToRMS(2, 8, 3),
		},
		bad: map[string]fwset.Domain{
			"a LineNorm ball of 0 x 4 matrices": fwset.LineNorm{M: 4, R: 1},
			"a LineNorm ball with R = 0":        fwset.LineNorm{H: 2, M: 2, Rows: true},
			"a LineNorm ball with R = +Inf":     fwset.OneToRMS(1, 4, inf),
		},
		more: map[string]func(){
			"a OneToMax ball of 0 x 4 matrices": func() { fwset.OneToMax(0, 4, 1) },
			"a OneToMax ball with rho = 0":      func() { fwset.OneToMax(4, 4, 0) },
			"a SpectralNorm ball with R = NaN":  func() { fwset.RMSToRMS(4, 1, nan).Dim() },
			"a SpectralNorm ball with R = 0":    func() { fwset.RandomVertex(fwset.RMSToRMS(4, 1, 0), 1) },
			"an L2Ball with R = 0":              func() { fwset.RandomVertex(fwset.RMS(4, 0), 1) },
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.LineNorm{H: 1 + rng.IntN(5), M: 1 + rng.IntN(5), R: math.Exp(rng.NormFloat64()),
				Rows: rng.IntN(2) == 0}
			x := randomPoint(rng, b.H*b.M)
			want, gauge := slices.Clone(x), 0.0
			norm := func(k int) (n float64) { // of the line of number k
				for j, v := range x {
					if b.Rows && j%b.H == k%b.H || !b.Rows && j/b.H == k/b.H {
						n = math.Hypot(n, v)
					}
				}
				return n
			}
			for k := range want {
				want[k] /= max(1, norm(k)/b.R)
				gauge = max(gauge, norm(k)/b.R)
			}
			return naive{b, x, want, gauge}
		},
	}, {
		name: "spectral",
		some: []fwset.Domain{
			fwset.SpectralNorm{H: 1, M: 1, R: 2}, fwset.SpectralNorm{H: 3, M: 5, R: 1},
			fwset.SpectralNorm{H: 6, M: 2, R: 1e6}, fwset.SpectralNorm{H: 4, M: 4, R: 1e-6},
			fwset.SpectralNorm{H: 20, M: 30, R: 1e-6},
		},
		bad: map[string]fwset.Domain{
			"a SpectralNorm ball of 0 x 4 matrices": fwset.SpectralNorm{M: 4, R: 1},
			"R = 0":                                 fwset.SpectralNorm{H: 2, M: 2},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.SpectralNorm{H: 1 + rng.IntN(5), M: 1 + rng.IntN(5), R: math.Exp(rng.NormFloat64())}
			σ := fwset.Normal(rng, min(b.H, b.M))
			floats.Scale(2*b.R, σ)
			p := mapped(σ, func(v float64) float64 { return max(-b.R, min(b.R, v)) })
			x, want := turned(rng, b.H, b.M, σ, p)
			return naive{b, x, want, floats.Norm(σ, inf) / b.R}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			h, m := r.int(1, 7), r.int(1, 7)
			return fwset.SpectralNorm{H: h, M: m, R: 1}, r.floats(h*m, -9, 9)
		}, tol: 1e-11,
	}, {
		name: "rotations",
		some: []fwset.Domain{
			fwset.Rotations{N: 1}, fwset.Rotations{N: 2}, fwset.Rotations{N: 3}, fwset.Rotations{N: 4},
			fwset.Rotations{N: 5}, fwset.Rotations{N: 6}, fwset.Rotations{N: 20}, fwset.Rotations{N: 64},
		},
		bad: map[string]fwset.Domain{"Rotations of 0 x 0 matrices": fwset.Rotations{}},
		draw: func(r *draw) (fwset.Domain, []float64) {
			n := r.int(2, 6)
			return fwset.Rotations{N: n}, r.floats(n*n, -9, 9)
		}, tol: 1e-11,
	}, {
		name: "spectraplex",
		some: []fwset.Domain{
			fwset.Spectraplex{N: 1, R: 2}, fwset.Spectraplex{N: 2, R: 1}, fwset.Spectraplex{N: 7, R: 1e6},
			fwset.Spectraplex{N: 24, R: 1}, fwset.Spectraplex{N: 66, R: 1e-3},
		},
		bad: map[string]fwset.Domain{
			"a Spectraplex of 0 x 0 matrices": fwset.Spectraplex{R: 1},
			"R = -1":                          fwset.Spectraplex{N: 2, R: -1},
		},
		near: func(rng *rand.Rand) naive {
			b := fwset.Spectraplex{N: 1 + rng.IntN(8), R: math.Exp(rng.NormFloat64())}
			λ, seed := fwset.Normal(rng, b.N), rng.Uint64()
			x := fwset.Symmetric(rand.New(rand.NewPCG(seed, 0)), λ)
			want := fwset.Symmetric(rand.New(rand.NewPCG(seed, 0)),
				threshold(λ, floats.Min(λ)-b.R, b.R, cut))
			gauge := 1 + math.Abs(floats.Sum(λ)-b.R)/b.R
			for _, l := range λ {
				gauge += max(0, -l) / b.R
			}
			return naive{b, x, want, gauge}
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			n := r.int(1, 9)
			if r.int(1, 50) == 1 {
				n = r.int(65, 75)
			}
			return fwset.Spectraplex{N: n, R: 1}, r.floats(n*n, -9, 9)
		}, tol: 1e-11,
	}, {
		name: "birkhoff",
		some: []fwset.Domain{
			fwset.Birkhoff{N: 1}, fwset.Birkhoff{N: 2}, fwset.Birkhoff{N: 3}, fwset.Birkhoff{N: 7},
			fwset.Birkhoff{N: 12}, fwset.Birkhoff{N: 30},
		},
		bad: map[string]fwset.Domain{"a Birkhoff polytope of 0 x 0 matrices": fwset.Birkhoff{}},
		more: map[string]func(){
			"NaN in the matrix of an assignment, at place 2":  assign(1, 2, nan, 0),
			"+Inf in the matrix of an assignment, at place 0": assign(inf, 2, 1, 0),
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			n := r.int(1, 12)
			return fwset.Birkhoff{N: n}, r.floats(n*n, -20, 20)
		},
	}, {
		name: "completion",
		some: []fwset.Domain{
			fwset.NewCompletion(1, 1, one, 2), fwset.NewCompletion(1, 6, entries(1, 1, 6, 4), 2),
			fwset.NewCompletion(6, 1, entries(2, 6, 1, 6), 1e-6),
			fwset.NewCompletion(5, 7, entries(3, 5, 7, 35), 3),
			fwset.NewCompletion(9, 4, entries(4, 9, 4, 17), 1e6),
			fwset.NewCompletion(80, 70, entries(5, 80, 70, 300), 1),
			fwset.NewCompletion(70, 90, entries(6, 70, 90, 3000), 1),
		},
		more: map[string]func(){
			"a Completion of a 0 x 3 matrix":       completion(0, 3, 1, one...),
			"a Completion of a 2 x -1 matrix":      completion(2, -1, 1, one...),
			"a Completion of dimension 0":          completion(2, 3, 1),
			"a Completion with tau = NaN":          completion(2, 3, nan, one...),
			"a Completion with tau = 0":            completion(2, 3, 0, one...),
			"entry 1 of a Completion is in row 2":  completion(2, 3, 1, at(1, 2, 2, 2)...),
			"row 1 and column 3 of a 2 x 3 matrix": completion(2, 3, 1, at(1, 3)...),
			"entry 0 of a Completion is in row -1": completion(2, 3, 1, at(-1, 0)...),
			"entry 2 of a Completion, row 1 and column 2, is there twice": completion(2, 3, 1,
				at(1, 2, 0, 2, 1, 2)...),
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			h, m := r.int(1, 9), r.int(1, 9)
			if r.int(1, 50) == 1 {
				h, m = r.int(65, 75), r.int(65, 75)
			}
			var e []fwset.Entry
			var g []float64
			for k := range h * m {
				if k == 0 || r.int(1, 3) == 1 {
					e, g = append(e, fwset.Entry{Row: k % h, Col: k / h}), append(g, float64(r.int(-9, 9)))
				}
			}
			return fwset.NewCompletion(h, m, e, 1), g
		}, tol: 1e-11,
	}, {
		name: "product",
		some: []fwset.Domain{
			fwset.Product{fwset.Simplex{D: 4, R: 1}},
			fwset.Product{fwset.Simplex{D: 4, R: 1}, fwset.L1Ball{D: 3, R: 2}},
			fwset.Product{fwset.L2Ball{D: 2, R: 3}, fwset.Box{Lo: []float64{-1, 0}, Hi: []float64{1, 2}},
				fwset.Simplex{D: 3, R: 2}},
			fwset.Product{fwset.TraceNorm{H: 3, M: 2, Tau: 1}, fwset.Simplex{D: 3, R: 1}},
			fwset.Product{fwset.Simplex{D: 3, R: 1}, fwset.KSparse{D: 6, K: 2, R: 2}},
			fwset.Product{fwset.Product{fwset.Simplex{D: 2, R: 1}, fwset.L2Ball{D: 2, R: 1}},
				fwset.L1Ball{D: 2, R: 1}},
		},
		bad: map[string]fwset.Domain{
			"a Product of nothing":         fwset.Product{},
			"factor 2 of a Product is nil": fwset.Product{plainBall{2}, nil},
			"factor 2 of a Product: a SpectralNorm ball with R = 0": fwset.Product{plainBall{2},
				fwset.RMSToRMS(4, 1, 0)},
			"a Simplex with R = 0": fwset.Product{plainBall{2}, fwset.Simplex{D: 2}},
		},
		more: map[string]func(){
			"a Product of nothing":           func() { fwset.Product(nil).Argmin(nil, nil) },
			"plainBall, a factor of a Produ": func() { own.Project(make([]float64, 2), make([]float64, 2)) },
			"has no Diameter":                func() { own.Diameter() },
			"has no Gauge":                   func() { own.Gauge(make([]float64, 2)) },
		},
		draw: func(r *draw) (fwset.Domain, []float64) {
			d, e, k, radius := r.int(1, 6), r.int(1, 6), r.int(1, 3), r.int(1, 9)
			return fwset.Product{fwset.Simplex{D: d, R: float64(radius)},
				fwset.KSparse{D: e, K: min(k, e), R: 1}}, r.floats(d+e, -9, 9)
		},
	}, {
		name: "paths",
		draw: func(r *draw) (fwset.Domain, []float64) {
			n := r.int(2, 8)
			arcs := []fwroad.Arc{{From: 0, To: n - 1}}
			for range r.int(1, 20) {
				u := r.int(0, n-2)
				arcs = append(arcs, fwroad.Arc{From: u, To: r.int(u+1, n-1)})
			}
			return fwroad.NewPaths(arcs, 0, n-1), r.floats(len(arcs), -9, 9)
		},
	}, {
		name: "flows",
		draw: func(r *draw) (fwset.Domain, []float64) {
			thru, n := r.int(0, 2), r.int(3, 6)
			var arcs []fwroad.Arc
			for u := range n { // so that there is a way everywhere
				if u < thru {
					arcs = append(arcs, fwroad.Arc{From: u, To: thru}, fwroad.Arc{From: thru, To: u})
				} else {
					arcs = append(arcs, fwroad.Arc{From: u, To: thru + (u+1-thru)%(n-thru)})
				}
			}
			for range r.int(0, 12) {
				u := r.int(0, n-1)
				arcs = append(arcs, fwroad.Arc{From: u, To: r.int(0, n-1)})
			}
			var demands []fwroad.Demand
			for range r.int(1, 6) {
				u := r.int(0, n-1)
				v := (u + r.int(1, n-1)) % n
				demands = append(demands, fwroad.Demand{From: u, To: v, Flow: float64(r.int(1, 9))})
			}
			return fwroad.NewFlows(arcs, demands, thru), r.floats(len(arcs), 0, 9)
		},
	},
}

func completion(h, m int, tau float64, e ...fwset.Entry) func() {
	return func() { fwset.NewCompletion(h, m, e, tau) }
}

func hull(points ...[]float64) func() { return func() { fwset.Hull{Points: points}.Dim() } }

// balls draws a dimension and a radius, both whole, and a gradient.
func balls(set func(d int, r float64) fwset.Domain) func(r *draw) (fwset.Domain, []float64) {
	return func(r *draw) (fwset.Domain, []float64) {
		d, radius := r.int(1, 12), r.int(1, 9)
		return set(d, float64(radius)), r.floats(d, -9, 9)
	}
}
