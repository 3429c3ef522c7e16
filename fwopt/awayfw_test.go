package fwopt_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// weights returns the weights of a's active vertices, by point; −1 added for
// one that is no point of the list.
func weights(a *fwmore.AwayFW, points [][]float64) []float64 {
	alpha := make([]float64, len(points))
	for k, v := range a.S.Atom {
		p := make([]float64, len(points[0]))
		v.Dense(p)
		i := slices.IndexFunc(points, func(q []float64) bool { return slices.Equal(p, q) })
		if i < 0 {
			return append(alpha, -1)
		}
		alpha[i] += a.S.Weight[k]
	}
	return alpha
}

// polytopes of dimension d with their vertices, for d up to about 10.
func polytopes(d int) map[string]struct {
	fwopt.Domain
	hull
} {
	var simplex, box, l1 hull
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range d {
		v := make([]float64, d)
		v[j] = 2
		simplex.points = append(simplex.points, v)
		l1.points = append(l1.points, v, comb(-1, v, 0, v))
		lo[j], hi[j] = -1, 1.5
	}
	for b := range 1 << d {
		v := slices.Clone(lo)
		for j := range d {
			if b>>j&1 == 1 {
				v[j] = hi[j]
			}
		}
		box.points = append(box.points, v)
	}
	return map[string]struct {
		fwopt.Domain
		hull
	}{
		"simplex": {fwset.Simplex{D: d, R: 2}, simplex},
		"box":     {fwset.Box{Lo: lo, Hi: hi}, box},
		"l1 ball": {fwset.L1Ball{D: d, R: 2}, l1},
	}
}

// squares is a random strongly convex least squares, with its minimiser on a face
// of the sets above, as a rule.
func squares(d int, seed uint64) *fwsum.LeastSquares {
	f, _ := instance(seed, 3*d, d, 1)
	x := &fwsum.Sparse{N: 3 * d, M: d, Ptr: []int{0}}
	for _, row := range f.a {
		for j, v := range row {
			x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, v)
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return fwsum.NewLeastSquares(x, f.b)
}

// AwayFW beside the naive one, whole runs: the same points, weights and gaps.
// What must be true of any step is checked on the way, and that each kind of
// step comes.
func TestAwayFWAgainstNaive(t *testing.T) {
	const d = 6
	kinds := map[string]int{}
	for name, omega := range polytopes(d) {
		for seed := range uint64(20) {
			f := squares(d, seed)
			curve := func(w, p []float64) float64 { // pᵀ∇²f p
				g, g0 := make([]float64, d), make([]float64, d)
				f.Grad(g, comb(1, w, 1, p), fwopt.Batch{})
				f.Grad(g0, w, fwopt.Batch{})
				return dot(p, sub(g, g0))
			}
			for _, m := range []*fwmore.AwayFW{&fwmore.AwayFW{Rule: fwopt.LineSearch{}}, &fwmore.AwayFW{Rule: fwopt.Short{L: f.Smoothness()}}} {
				where := fmt.Sprintf("%s, seed %d, %+v", name, seed, m.Rule)
				o := fwopt.NewOracle(f, omega.Domain, seed)
				alpha := make([]float64, len(omega.points))
				first := int(seed) % len(alpha) // any vertex, mostly a bad one
				alpha[first] = 1
				w0 := omega.points[first]
				value := f.Value(w0)
				for s := range m.Steps(o, w0) {
					w := omega.mean(alpha)
					g := make([]float64, d)
					f.Grad(g, w, fwopt.Batch{})
					size := len(m.S.Atom)
					next, gap, kind, close := omega.away(alpha, g, func(p []float64) float64 {
						if short, ok := m.Rule.(fwopt.Short); ok {
							return -dot(g, p) / (short.L * dot(p, p))
						}
						return -dot(g, p) / curve(w, p)
					})
					if gap < 1e-7 || close || s.K > 300 {
						break // the rest is decided by rounding
					}
					if e := math.Abs(m.DualityGap - gap); e > 1e-10 {
						t.Fatalf("%s, step %d: the gap is %g off", where, s.K, e)
					}
					if e := norm(sub(s.X, omega.mean(next))); e > 1e-10 {
						t.Fatalf("%s, step %d: the point is %g off", where, s.K, e)
					}
					got := weights(m, omega.points)
					if len(got) != len(next) || norm(sub(got, next)) > 1e-10 {
						t.Fatalf("%s, step %d: weights %v, want %v", where, s.K, got, next)
					}
					if active := len(next) - zeros(next); size != active {
						t.Fatalf("%s, step %d: %d active vertices, want %d", where, s.K, size, active)
					}
					kinds[kind]++
					checkActive(t, where, m)
					if v := f.Value(s.X); v > value+1e-14 {
						t.Fatalf("%s, step %d: f went up from %g to %g", where, s.K, value, v)
					} else {
						value = v
					}
					exact := s.K
					if _, search := m.Rule.(fwopt.LineSearch); search {
						exact *= 2
					}
					if want := (fwopt.Calls{Exact: exact, Linear: s.K}); o.Calls != want {
						t.Fatalf("%s, step %d: calls %+v, want %+v", where, s.K, o.Calls, want)
					}
					alpha = next
				}
			}
		}
	}
	t.Logf("steps: %v", kinds)
	if kinds["drop"] < 50 || kinds["away"] < 1000 {
		t.Errorf("steps: %v: the test tests little", kinds)
	}
}

// checkActive checks that the weights are positive, of sum 1, on different
// vertices, and make up w.
func checkActive(t *testing.T, where string, m *fwmore.AwayFW) {
	t.Helper()
	w, sum := make([]float64, len(m.W)), 0.0
	for i, v := range m.S.Atom {
		a := m.S.Weight[i]
		if !(a > 0) {
			t.Fatalf("%s, step %d: weight %g", where, m.K, a)
		}
		sum += a
		v.AddTo(w, a)
		for _, u := range m.S.Atom[:i] {
			if u.Equal(&v) {
				t.Fatalf("%s, step %d: the vertex %v is there twice", where, m.K, v)
			}
		}
	}
	if e := norm(sub(w, m.W)); !(e <= 1e-12) || !(math.Abs(sum-1) <= 1e-15) || len(m.S.Atom) != len(m.S.Weight) {
		t.Fatalf("%s, step %d: Σ αv is %g off w, Σ α − 1 = %g", where, m.K, e, sum-1)
	}
	if !(m.DualityGap >= -1e-14) {
		t.Fatalf("%s, step %d: duality gap %g", where, m.K, m.DualityGap)
	}
}

// Where the optimum is inside a face of dimension 9 Frank-Wolfe zigzags, and
// away steps converge linearly. Then the run stands still, whatever rounding does.
func TestAwayFWConvergesLinearly(t *testing.T) {
	const d, h, steps = 40, 10, 2000
	r := rand.New(rand.NewPCG(3, 3))
	c := make([]float64, d)
	for j := range c {
		c[j] = (1 + 0.5*r.Float64()) / (1.25 * h) // about 1/h
		if j >= h {
			c[j] = -0.2
		}
	}
	f := fwsum.NewQuadratic(d, nil, c)
	for _, start := range []int{0, d - 1} {
		w0 := make([]float64, d)
		w0[start] = 1
		for _, away := range []*fwmore.AwayFW{&fwmore.AwayFW{Rule: fwopt.LineSearch{}}, &fwmore.AwayFW{Rule: fwopt.Short{L: 1}}} {
			omega := fwset.Simplex{D: d, R: 1}
			plain := &fwopt.FW{Rule: fwopt.LineSearch{}}
			next, stop := iter.Pull(plain.Steps(fwopt.NewOracle(f, omega, 1), w0))
			defer stop()
			reached, size, drops := 0, 1, 0
			for s := range away.Steps(fwopt.NewOracle(f, omega, 1), w0) {
				next()
				checkActive(t, "linear", away)
				if len(away.S.Atom) < size {
					drops++
				}
				size = len(away.S.Atom)
				if away.DualityGap < 1e-12 && reached == 0 {
					reached = s.K
					t.Logf("start %d, %+v: gap %.1g after %d steps (%d drop steps), of FW %.1g; %d active", start, away.Rule, away.DualityGap, s.K, drops, plain.DualityGap, size)
					if plain.DualityGap < 1e-4 {
						t.Errorf("Frank-Wolfe has a gap of %g after %d steps, too", plain.DualityGap, s.K)
					}
				}
				if reached > 0 && away.DualityGap > 1e-12 {
					t.Fatalf("step %d: the gap is %g again", s.K, away.DualityGap)
				}
				if s.K == steps {
					break
				}
			}
			if reached == 0 || reached > 500 || size != h || start > 0 && drops == 0 {
				t.Errorf("start %d, %+v: gap 1e-12 after %d steps, %d drop steps, %d active vertices at the end, want %d", start, away.Rule, reached, drops, size, h)
			}
		}
	}
}

// Weights next to 1 and next to 0. Near a vertex u the rest of the weights is
// almost nothing and γ_max almost infinite: the others must come out right all the
// same. From a w_0 that is no vertex it gets there, too.
func TestAwayFWNearAVertex(t *testing.T) {
	const d = 7
	omega := fwset.Simplex{D: d, R: 1}
	for _, ε := range []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0} {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 5))
			h, c, sum := make([]float64, d), make([]float64, d), 0.0
			for j := range c {
				h[j] = 1 + r.Float64()
				if j != 2 {
					c[j] = ε * r.Float64()
					sum += c[j]
				}
			}
			c[2] = 1 - sum
			f := fwsum.NewQuadratic(d, h, c)
			w0, centre := make([]float64, d), make([]float64, d)
			w0[seed%d] = 1
			omega.Argmin(centre, centre)
			for i, w0 := range [][]float64{w0, centre} { // slow until the centre is dropped
				for _, m := range []*fwmore.AwayFW{&fwmore.AwayFW{Rule: fwopt.LineSearch{}}, &fwmore.AwayFW{Rule: fwopt.Short{L: 2}}} {
					where := fmt.Sprintf("ε = %g, seed %d, %+v", ε, seed, m.Rule)
					for s := range m.Steps(fwopt.NewOracle(f, omega, 1), w0) {
						checkActive(t, where, m)
						if e := norm(sub(s.X, c)); s.K > 300 && e > []float64{1e-15, 1e-3}[i] {
							t.Fatalf("%s, step %d: %g off, gap %g", where, s.K, e, m.DualityGap)
						}
						if s.K == 400 {
							break
						}
					}
				}
			}
		}
	}
}

// A vertex of next to no weight is dropped and not looked at for ever, although
// the way to the point without it is below rounding.
func TestAwayFWDropsTheLeast(t *testing.T) {
	f := fwsum.NewQuadratic(4, nil, []float64{0.5, 0.3, 0.2, -1e-3})
	for _, least := range []float64{1e-13, 1e-17, 1e-30, 1e-200} {
		m := &fwmore.AwayFW{Rule: fwopt.LineSearch{}}
		o := fwopt.NewOracle(f, fwset.Simplex{D: 4, R: 1}, 1)
		for s := range m.Steps(o, []float64{0, 0, 0, 1}) {
			if s.K == 3 {
				if m.S.Atom[0].Index[0] != 3 {
					t.Fatal("the first vertex is not the first: the test tests nothing")
				}
				floats.Scale((1-least)/(1-m.S.Weight[0]), m.S.Weight)
				m.S.Weight[0] = least
			}
			if s.K == 60 {
				break
			}
		}
		if len(m.S.Atom) != 3 || m.DualityGap > 1e-15 {
			t.Errorf("weight %g: gap %g, weights %g", least, m.DualityGap, m.S.Weight)
		}
	}
}

// No step allocates: what is dropped is used again. Line 11 of STORC starts from
// one vertex each time and has had more before.
func TestAwayStepsAllocateNothing(t *testing.T) {
	const d = 12
	r := rand.New(rand.NewPCG(1, 1))
	c := make([]float64, 3*d)
	for j := range c {
		c[j] = 0.2 * r.Float64()
	}
	f := fwsum.NewQuadratic(d, nil, c)
	omega := fwset.Simplex{D: d, R: 1}
	storc := away(fwopt.STORCExperiments(fwopt.Constants{L: 0.1, D: omega.Diameter()}))
	for name, m := range map[string]fwopt.Method{"AwayFW": &fwmore.AwayFW{Rule: fwopt.LineSearch{}}, "STORC": storc} {
		o := fwopt.NewOracle(f, omega, 1)
		next, stop := iter.Pull(m.Steps(o, o.Start()))
		defer stop()
		for range 300 {
			next()
		}
		before := o.Calls.Linear
		if n := testing.AllocsPerRun(200, func() { next() }); n > 0 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
		t.Logf("%s: %.1f linear optimisations a step", name, float64(o.Calls.Linear-before)/201)
	}
}

func zeros(x []float64) (n int) {
	for _, v := range x {
		if v == 0 {
			n++
		}
	}
	return n
}

// countdown is a context that is cancelled when its Err has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// Interrupts at every place, those inside the inner loop included, and a budget of
// linear optimisations that ends there.
func TestInterruptInsideAwaySteps(t *testing.T) {
	exact := func(m *fwopt.STORC) *fwopt.STORC {
		m.Beta = func(int) float64 { return 50 }
		m.Eta = func(int, int) float64 { return 1e-9 }
		return m
	}
	t.Run("away", func(t *testing.T) {
		interruptInside(t, func() fwopt.Method { return away(exact(fwopt.STORCExperiments(fwopt.Constants{L: 20, D: math.Sqrt2}))) })
	})
	t.Run("memory", func(t *testing.T) {
		interruptInside(t, func() fwopt.Method {
			m := exact(fwopt.STORCExperiments(fwopt.Constants{L: 20, D: math.Sqrt2}))
			m.Memory.Size = 2
			m.Eta = func(int, int) float64 { return 3e-4 }
			return m
		})
	})
}

func interruptInside(t *testing.T, fresh func() fwopt.Method) {
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 60}
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fresh(), b)
	dir, inside, at := t.TempDir(), 0, 0
	for n := 1; ; n++ {
		if n > 2000 {
			t.Fatal("a step asks more often whether it is to stop than any of these interrupts lets it")
		}
		tr, err := fwkeep.Keep(&countdown{context.Background(), n % 97}, dir, fwopt.NewOracle(f, omega, 1), fresh(), b)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status == fwopt.Done {
			if small.Bits(tr) != small.Bits(whole) {
				t.Errorf("after %d interrupts, %d inside an inner loop, the run is not the same", n, inside)
			}
			break
		}
		if tr.Status != fwopt.Interrupted || tr.Last().Step < at {
			t.Fatalf("%v at step %d after step %d", tr.Status, tr.Last().Step, at)
		}
		if n%97 > 2 && tr.Last().Step == at {
			inside++
		}
		at = tr.Last().Step
	}
	t.Logf("%d interrupts inside an inner loop; %+v", inside, whole.Last().Calls)
	if inside < 5 {
		t.Errorf("%d interrupts inside an inner loop: the test tests little", inside)
	}
	for limit := 2; limit < 200; limit++ {
		o := fwopt.NewOracle(f, omega, 1)
		tr := fwopt.Run(context.Background(), o, fresh(), fwopt.Budget{Linear: limit})
		if tr.Status != fwopt.Done || tr.Last().Calls.Linear > limit || o.Calls != tr.Last().Calls {
			t.Fatalf("with %d linear optimisations: %v after %d, the oracle at %+v", limit, tr.Status, tr.Last().Calls.Linear, o.Calls)
		}
	}
}

func away(m *fwopt.STORC) *fwopt.STORCAway { return &fwopt.STORCAway{STORC: *m} }
