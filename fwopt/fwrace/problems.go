package fwrace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// What follows was written down before the campaign of notebooks/untuned-data was run, but for SAG-FW's batch, which is tuned
// since a first campaign, on a part of the problems, had n/100 rows alone.

// A Problem of the campaign is a Goal, and what each run on it may spend, in terms, and in linear
// optimisations or projections.
type Problem struct {
	Name   string
	Seeds  int   // of the race: 5, of ten problems 20
	Joint  bool  // STORC is tuned in s, η and its memory together, on five problems
	Budget Spent // of each run
	Make   func() *Goal
}

// more are the problems of 20 seeds, joint those where STORC is tuned in three.
var (
	more = []string{"digits, τ = 5", "digits, τ = 50", "digits, τ = 500", "digits, 100 rows, τ = 50",
		"ℓ1 × 1, squares", "ℓ1 × 1, logistic", "simplex × 1, logistic", "Birkhoff × 1, squares",
		"trace × 1, squares", "ℓ2 × 1, one in 1000"}
	joint = []string{"digits, τ = 50", "omniglot, 200 classes, τ = 50", "ℓ1 × 1, logistic",
		"simplex × 1, squares", "Birkhoff × 1, squares"}
)

// Problems returns those of the campaign, the larger ones first. They are generated, or on data that may be
// used; those on data that are not on this machine have a Goal of nil.
func Problems() (all []Problem) {
	add := func(name string, terms, linear float64, of func() *Goal) {
		p := Problem{name, 5, slices.Contains(joint, name), Spent{terms, linear, math.Inf(1)}, of}
		if slices.Contains(more, name) {
			p.Seeds = 20
		}
		all = append(all, p)
	}
	set := func(name string, terms, linear, tau, price float64, of func() *fwdata.Set) {
		name = fmt.Sprintf("%s, τ = %g", name, tau)
		add(name, terms, linear, func() *Goal {
			s := of()
			if s == nil {
				return nil
			}
			return Certified(name, s.Logistic(), fwset.TraceNorm{H: s.H(), M: s.M(), Tau: tau}, 1e-7, price)
		})
	}
	made := func(terms, linear float64, p drawn) { add(p.String(), terms, linear, p.goal) }

	set("news20, 2,000 rows", 400e3, 1000, 50, 700, func() *fwdata.Set {
		s, err := fwdata.Load("news20")
		if err != nil {
			return nil
		}
		s, _ = s.UnitRows().Split(2000./float64(s.N()), 1)
		return s
	})
	set("omniglot, 200 classes", 500e3, 5000, 50, 100, func() *fwdata.Set { return omniglot(200, 5) })
	set("aloi's twin, 2,000 rows", 500e3, 3000, 50, 100, func() *fwdata.Set {
		return fwdata.TwinN("aloi", 2000, 1).UnitRows()
	})
	for _, tau := range []float64{5, 50, 500, 5000} { // from binding to free
		set("digits", 2e6, 50000, tau, 30, unitDigits)
	}
	set("digits, 100 rows", 1e6, 20000, 50, 30, func() *fwdata.Set {
		s := unitDigits()
		s, _ = s.Split(100/float64(s.N()), 1)
		return s
	})

	for _, radius := range []float64{0.3, 1, 10} { // from binding to free
		made(4e6, 20000, drawn{set: "ℓ1", loss: "squares", n: 10000, d: 200, radius: radius})
	}
	for _, radius := range []float64{0.3, 1, 10} {
		made(4e6, 20000, drawn{set: "ℓ1", loss: "logistic", n: 10000, d: 200, radius: radius})
	}
	made(4e6, 20000, drawn{set: "ℓ1", loss: "Huber", n: 10000, d: 200, radius: 1})
	made(4e6, 20000, drawn{set: "ℓ1", loss: "one in 1000", n: 10000, d: 200, radius: 1})
	made(4e6, 20000, drawn{set: "ℓ1", loss: "one in 1000", n: 10000, d: 200, radius: 10})
	made(4e6, 20000, drawn{set: "ℓ2", loss: "one in 1000", n: 10000, d: 200, radius: 1})
	made(20e6, 20000, drawn{set: "ℓ1", loss: "logistic", n: 100000, d: 30, radius: 1, note: ", n = 100,000"})
	made(1e6, 20000, drawn{set: "ℓ1", loss: "squares", n: 60, d: 20, radius: 1, note: ", n = 60"})
	made(1e6, 20000, drawn{set: "ℓ1", loss: "squares", n: 2000, d: 100, radius: 1, long: 100,
		note: ", a long row"})

	made(2e6, 20000, drawn{set: "simplex", loss: "squares", n: 4000, d: 200, radius: 1})
	made(2e6, 20000, drawn{set: "simplex", loss: "squares", n: 4000, d: 200, radius: 0.3})
	made(2e6, 20000, drawn{set: "simplex", loss: "logistic", n: 4000, d: 200, radius: 1})
	made(2e6, 20000, drawn{set: "simplex", loss: "Huber", n: 4000, d: 200, radius: 1})
	made(2e6, 20000, drawn{set: "simplex", loss: "one in 1000", n: 4000, d: 200, radius: 1})
	made(1e6, 20000, drawn{set: "simplex", loss: "squares", n: 60, d: 20, radius: 1, note: ", n = 60"})

	made(1e6, 10000, drawn{set: "Birkhoff", loss: "squares", n: 2000, d: 225, radius: 1})
	made(1e6, 10000, drawn{set: "Birkhoff", loss: "logistic", n: 2000, d: 225, radius: 1})
	made(1e6, 10000, drawn{set: "Birkhoff", loss: "Huber", n: 2000, d: 225, radius: 1})
	made(1e6, 10000, drawn{set: "Birkhoff", loss: "squares", n: 100, d: 225, radius: 1, note: ", n = 100"})

	for _, radius := range []float64{0.3, 1, 10} {
		made(1e6, 10000, drawn{set: "trace", loss: "squares", n: 2000, d: 225, radius: radius})
	}
	made(1e6, 10000, drawn{set: "trace", loss: "Huber", n: 2000, d: 225, radius: 1})
	made(1e6, 10000, drawn{set: "trace", loss: "logistic", n: 2000, d: 225, radius: 1})
	return all
}

// drawn is a generated problem: rows of unit length, whose column j was drawn with the standard deviation
// 1/√j, and targets from a w of few vertices, with noise. On the simplex radius is that of the set
// by the sum of w, on the balls by the norm of w.
type drawn struct {
	set, loss string
	n, d      int
	radius    float64
	long      float64 // the first row is so many times as long
	note      string  // of the name
}

func (p drawn) String() string { return fmt.Sprintf("%s × %g, %s%s", p.set, p.radius, p.loss, p.note) }

// goal draws the problem, by its name.
func (p drawn) goal() *Goal {
	seed := uint64(len(p.String()))
	for _, c := range p.String() {
		seed = 31*seed + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	w, omega, price := p.domain(r)
	x := &fwsum.Dense{N: p.n, M: p.d, Val: make([]float64, p.n*p.d)}
	s := make([]float64, p.n) // the scores
	for i := range p.n {
		row := x.Row(i)
		for j := range row {
			if row[j] = r.NormFloat64(); p.set == "ℓ1" || p.set == "ℓ2" || p.set == "simplex" {
				row[j] /= math.Sqrt(float64(1 + j))
			}
		}
		floats.Scale(1/floats.Norm(row, 2), row)
		s[i] = floats.Dot(row, w)
	}
	spread := floats.Norm(s, 2) / math.Sqrt(float64(p.n))
	y := make([]float64, p.n)
	rare := slices.Sorted(slices.Values(s))[p.n-max(p.n/1000, 1)] // the largest score of the common class
	for i := range y {
		switch noise := 0.3 * spread * r.NormFloat64(); p.loss {
		case "squares":
			y[i] = s[i] + noise
		case "Huber":
			if y[i] = s[i] + noise; r.IntN(10) == 0 {
				y[i] += 10 * spread * r.NormFloat64()
			}
		case "logistic":
			if r.Float64() < 1/(1+math.Exp(-3*s[i]/spread)) {
				y[i] = 1
			}
		default: // one in 1000
			if s[i] >= rare {
				y[i] = 1
			}
		}
	}
	if p.long > 0 {
		floats.Scale(p.long, x.Row(0))
		y[0] *= p.long
	}
	var f fwopt.FiniteSum
	switch p.loss {
	case "squares":
		f = fwsum.NewLeastSquares(x, y)
	case "Huber":
		f = fwsum.NewHuber(x, y, 0.3*spread)
	default:
		f = fwsum.NewBinaryLogistic(x, y)
	}
	return Certified(p.String(), f, omega, 1e-7, price)
}

// domain returns the w that the targets come from, the set, and the price of a linear optimisation in terms.
func (p drawn) domain(r *rand.Rand) (w []float64, omega fwopt.Domain, price float64) {
	w = make([]float64, p.d)
	side := int(math.Sqrt(float64(p.d)))
	switch p.set {
	case "ℓ1", "ℓ2", "simplex":
		for _, j := range r.Perm(p.d)[:p.d/10] {
			if w[j] = 20 / float64(p.d/10); p.set != "simplex" {
				w[j] *= float64(2*r.IntN(2) - 1)
			}
		}
		switch R := p.radius * 20; p.set {
		case "ℓ1":
			return w, fwset.L1Ball{D: p.d, R: R}, 1
		case "ℓ2":
			return w, fwset.L2Ball{D: p.d, R: R}, 1
		default:
			return w, fwset.Simplex{D: p.d, R: R}, 1
		}
	case "Birkhoff": // the mean of three permutations
		for range 3 {
			for j, i := range r.Perm(side) {
				w[j*side+i] += 1. / 3
			}
		}
		return w, fwset.Birkhoff{N: side}, 10
	}
	for range 2 { // rank 2, of trace norm 20
		u, v := make([]float64, side), make([]float64, side)
		for i := range u {
			u[i], v[i] = r.NormFloat64(), r.NormFloat64()
		}
		c := 10 / floats.Norm(u, 2) / floats.Norm(v, 2)
		for k := range w {
			w[k] += c * u[k%side] * v[k/side]
		}
	}
	norm := fwset.TraceNorm{H: side, M: side, Tau: 1}.Gauge(w)
	floats.Scale(20/norm, w)
	return w, fwset.TraceNorm{H: side, M: side, Tau: 20 * p.radius}, 20
}

// tuningSeeds are those of a constant's tuning: 101, 102 and 103.
const tuningSeeds = 3

// A rival takes part in the campaign. Its constants are 2 to the power of whole numbers; each is tuned.
type rival struct {
	group, name string
	once        bool // it draws nothing: its runs differ in seconds alone
	joint       bool // only where a Problem is Joint
	constants   [2]string
	grid        [2][]int // exponents where the tuning begins, rising by steps of one size; nil for no constant
	of          func(g *Goal, c [2]float64) fwopt.Method
}

var (
	wide  = []int{-16, -12, -8, -4, 0} // of s, and of FISTA's L
	eta   = []int{-9, -6, -3, 0}       // of r, with which η is multiplied
	rates = []int{-4, 0, 4, 8}         // of c′L
	share = []int{0, 3, 6, 9}          // of n/b
)

func rivals() []rival {
	constants := func(g *Goal, s float64) fwopt.Constants { return fwopt.Constants{L: s * g.L, D: g.D} }
	free := func(of func() fwopt.Method) func(*Goal, [2]float64) fwopt.Method {
		return func(*Goal, [2]float64) fwopt.Method { return of() }
	}
	search := fwopt.LineSearch{}
	return []rival{
		{group: "STORC, adaptive", of: free(Untuned)},
		{group: "SVRF, m = k", of: free(func() fwopt.Method { return fwopt.SVRFExperiments() })},
		{group: "SVRF, m = 100", of: free(func() fwopt.Method {
			a := fwopt.SVRFExperiments()
			a.M = func(int, int) int { return 100 }
			return a
		})},
		{group: "Sarah-FW", of: free(func() fwopt.Method { return &fwmore.SarahFW{} })},
		{group: "FW, line search", once: true, of: free(func() fwopt.Method {
			return &fwopt.FW{Rule: search}
		})},
		{group: "PairwiseFW", once: true, of: free(func() fwopt.Method {
			return &fwmore.PairwiseFW{Rule: search}
		})},
		{group: "BlendedPairwise", once: true, of: free(func() fwopt.Method {
			return &fwmore.BlendedPairwise{Rule: search}
		})},
		{group: "FISTA, backtracking", once: true, of: func(g *Goal, _ [2]float64) fwopt.Method {
			return &fwmore.FISTA{L: g.L / 64}
		}},
		{group: "FISTA, fixed", once: true, constants: [2]string{"L/L_i"}, grid: [2][]int{wide},
			of: func(g *Goal, c [2]float64) fwopt.Method {
				return &fwmore.FISTA{L: c[0] * g.L, Fixed: true}
			}},
		{group: "SAG-FW", constants: [2]string{"n/b"}, grid: [2][]int{share},
			of: func(g *Goal, c [2]float64) fwopt.Method {
				n := g.F.Len()
				return &fwmore.SAGFW{B: min(max(int(float64(n)/c[0]), 1), n)}
			}},
		{group: "SVRG", name: "m = 100, N = 50", constants: [2]string{"c′L"}, grid: [2][]int{rates},
			of: func(g *Goal, c [2]float64) fwopt.Method { return fwopt.SVRGExperiments(c[0] / g.L) }},
		{group: "SVRG", name: "m = 20, N = n/20", constants: [2]string{"c′L"}, grid: [2][]int{rates},
			of: func(g *Goal, c [2]float64) fwopt.Method {
				a := fwopt.SVRGExperiments(c[0] / g.L)
				a.M = func(int) int { return 20 }
				a.N = func(int) int { return (g.F.Len() + 19) / 20 }
				return a
			}},
		{group: "STORC", name: "memory 32", constants: [2]string{"s"}, grid: [2][]int{wide},
			of: func(g *Goal, c [2]float64) fwopt.Method { return storc(constants(g, c[0]), 1, 32) }},
		{group: "STORC", name: "memory 32, η/64", constants: [2]string{"s"}, grid: [2][]int{wide},
			of: func(g *Goal, c [2]float64) fwopt.Method { return storc(constants(g, c[0]), 1./64, 32) }},
		{group: "STORC", name: "memory 32, r·η", joint: true, constants: [2]string{"s", "r"},
			grid: [2][]int{wide, eta}, of: func(g *Goal, c [2]float64) fwopt.Method {
				return storc(constants(g, c[0]), c[1], 32)
			}},
		{group: "STORC", name: "r·η", joint: true, constants: [2]string{"s", "r"},
			grid: [2][]int{wide, eta}, of: func(g *Goal, c [2]float64) fwopt.Method {
				return storc(constants(g, c[0]), c[1], 0)
			}},
		{group: "SAG-FW, b = n/100", of: func(g *Goal, _ [2]float64) fwopt.Method {
			return &fwmore.SAGFW{B: (g.F.Len() + 99) / 100}
		}},
	}
}
