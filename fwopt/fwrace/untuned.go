package fwrace

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Closed makes an instance a Goal, to a tenth, a hundredth and a thousandth of the first gap. A
// linear optimisation counts 30 terms.
func Closed(p *fwinst.Instance) *Goal {
	g := &Goal{Name: fmt.Sprintf("%s, n = %d", p.Name, p.F.Len()), F: p.F, Omega: p.Omega, W0: p.W0,
		Excess: p.Excess, Linear: 30, Shares: levels, L: p.L, D: p.D}
	if g.W0 == nil {
		g.W0 = fwopt.NewOracle(p.F, p.Omega, 0).Start()
	}
	return g
}

// ClosedForms returns three problems on which an exact gradient is expensive: a set that asks for
// linear optimisations, or noise at w*, added to a sum of very many terms with curvatures of all sizes.
func ClosedForms() []*Goal {
	msc := func(J int) *fwinst.Instance { return fwinst.MSC(J, 1) }
	return []*Goal{
		Closed(fwinst.Product(fwinst.Simplex(1000, 64, 1), msc(10))),
		Closed(fwinst.Product(fwinst.IllBox(30, 64, 100, 1), msc(8))),
		Closed(fwinst.Product(fwinst.NoisyBox(30, 64, 1), msc(8))),
	}
}

// Certified is a sum on a set as a Goal, to a tenth, a hundredth and a thousandth of the first gap, where a
// linear optimisation counts so many terms. It finds f* by FISTA, to a share of the duality gap at w_0: the
// middle of what is left. That run is kept. It panics unless f has a Smoothness and Ω a Diameter.
func Certified(name string, f fwopt.FiniteSum, omega fwopt.Domain, accuracy, linear float64) *Goal {
	o := fwopt.NewOracle(f, omega, 0)
	g := &Goal{Name: name, F: f, Omega: omega, W0: o.Start(), Linear: linear, Shares: levels,
		L: f.(interface{ Smoothness() float64 }).Smoothness(), D: omega.(fwset.Bounded).Diameter()}
	gap, slack := fwopt.DualityGap(f, omega, g.W0)
	tr := fwnb.Run(o.From(g.W0), &fwmore.FISTA{L: 1e-3}, fwopt.Budget{Tolerance: accuracy * (gap + slack),
		NoW: true})
	low, high := fwrate.LowerBound(tr), tr.Last().F
	g.within = (high - low) / 2
	g.Star = high - g.within
	return g
}

// OnData is Certified of the logistic loss of a data set under the bound τ of the trace norm, to 1e-5, of less
// than 2,000 rows to 1e-9.
func OnData(s *fwdata.Set, tau, linear float64) *Goal {
	accuracy := 1e-5
	if s.N() < 2000 {
		accuracy = 1e-9
	}
	return Certified(fmt.Sprintf("%s, n = %d, τ = %g", s.Name, s.N(), tau), s.Logistic(),
		fwset.TraceNorm{H: s.H(), M: s.M(), Tau: tau}, accuracy, linear)
}

// Digits is OnData of the digits, which come with the library.
func Digits(tau float64) *Goal { return OnData(unitDigits(), tau, 30) }

// unitDigits has rows of unit length.
func unitDigits() *fwdata.Set {
	s, err := fwdata.Load("digits")
	if err != nil {
		panic(need.Line(err.Error()))
	}
	return s.UnitRows()
}

// Omniglot returns so many drawings of each of the first 1,000 characters of omniglot, rows of
// unit length; nil where the file is not in the folder that FWLAB_DATA names.
func Omniglot(each int) *fwdata.Set { return omniglot(1000, each) }

func omniglot(classes, each int) *fwdata.Set {
	s, err := fwdata.ReadFile(filepath.Join(os.Getenv("FWLAB_DATA"), "omniglot/omniglot_15x15.svm.bz2"))
	if err != nil {
		return nil
	}
	var rows []int
	seen := make([]int, s.H())
	for i, y := range s.Y {
		if seen[y]++; y < classes && seen[y] <= each {
			rows = append(rows, i)
		}
	}
	s = s.Subset(rows)
	s.Labels, s.Name = s.Labels[:classes], "omniglot"
	return s.UnitRows()
}

// Untuned is fwmore.AdaptiveSTORC, for Seeds.
func Untuned() fwopt.Method { return fwmore.NewAdaptiveSTORC() }

// Free returns the rows of the methods without constants, after the Head. at is what Untuned has
// spent. SVRF, from so many seeds, may spend as many times its terms and linear optimisations, SFW
// and Frank-Wolfe, by a line search or, where F has none, by fwmore.Backtracking, a third of that, and
// Untuned with exact gradients what it likes.
func (g *Goal) Free(at Reached, seeds int, times float64) [][]string {
	exact := func() fwopt.Method {
		a := fwmore.NewAdaptiveSTORC()
		a.Rules.Exact = true
		return a
	}
	rule, by := fwopt.StepRule(fwopt.LineSearch{}), "FW, line search"
	if _, ok := g.F.(fwopt.LineSearcher); !ok {
		rule, by = &fwmore.Backtracking{}, "FW, backtracking"
	}
	most, third := at.Times(times, times), at.Times(times/3, times/3)
	return [][]string{g.Head(), at.Row("**AdaptiveSTORC**"),
		g.Seeds(1, exact, Never).Row("AdaptiveSTORC, ∇̃ exact"),
		g.Seeds(seeds, func() fwopt.Method { return fwopt.SVRFExperiments() }, most).Row("SVRF"),
		g.Seeds(seeds, func() fwopt.Method { return fwopt.SFWExperiments() }, third).Row("SFW"),
		g.Seeds(1, func() fwopt.Method { return &fwopt.FW{Rule: rule} }, third).Row(by)}
}

// opponents have a constant s, with which L is multiplied in their formulas.
var opponents = []struct {
	name string
	of   func(c fwopt.Constants) fwopt.Method
}{
	{"STORC", func(c fwopt.Constants) fwopt.Method { return storc(c, 1, 0) }},
	{"STORC, memory of 32", func(c fwopt.Constants) fwopt.Method { return storc(c, 1, 32) }},
	{"STORC, η/8", func(c fwopt.Constants) fwopt.Method { return storc(c, 1./8, 0) }},
	{"CGS, exact", func(c fwopt.Constants) fwopt.Method { return cgs(fwopt.SCGSExperiments(c)) }},
	{"STORC, η/64", func(c fwopt.Constants) fwopt.Method { return storc(c, 1./64, 0) }},
	{"SCGS", func(c fwopt.Constants) fwopt.Method { return fwopt.SCGSExperiments(c) }},
}

// Opponents names those of Tuned.
func Opponents() (names []string) {
	for _, m := range opponents {
		names = append(names, m.name)
	}
	return names
}

// Tuned returns the rows of rivals with the best s of a grid, for each share apart and on the
// seed on which they are judged. They may spend so many times the terms of at, and twice that of
// its linear optimisations. It panics where there is no rival of a name.
func (g *Goal) Tuned(at Reached, grid []float64, times float64, names ...string) (rows [][]string) {
	for _, name := range names {
		i := slices.Index(Opponents(), name)
		if i < 0 {
			panic(need.Linef("fwrace: no rival %q; there are %q", name, Opponents()))
		}
		of := func(s float64) fwopt.Method { return opponents[i].of(fwopt.Constants{L: s * g.L, D: g.D}) }
		rows = append(rows, g.Best(grid, of, at.Times(times, 2*times)).Row(name+", best s"))
	}
	return rows
}

// cgs is SCGS with exact gradients, conditional gradient sliding.
func cgs(a *fwopt.SCGS) fwopt.Method {
	return fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		x, y, z := slices.Clone(w0), slices.Clone(w0), slices.Clone(w0)
		g, inner := make([]float64, len(w0)), fwopt.NewCondG(len(w0), nil)
		return func(yield func(fwopt.Step) bool) {
			for k := 1; ; k++ {
				copy(z, y)
				fwopt.Lerp(z, a.Gamma(k), x)
				o.Grad(g, z)
				inner.Objective(a.Beta(k), x, g)
				u := inner.Argmin(o, a.Eta(k))
				if u == nil {
					return
				}
				x = inner.Accept(u, x)
				fwopt.Lerp(y, a.Gamma(k), x)
				if !yield(fwopt.Step{T: 1, K: k, X: y}) {
					return
				}
			}
		}
	})
}
