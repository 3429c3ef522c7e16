package fwsum_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// labelled returns n dense rows of m normal numbers and labels below h.
func labelled(rng *rand.Rand, n, m, h int) (*fwsum.Dense, []int) {
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(h)
	}
	return &fwsum.Dense{N: n, M: m, Val: normals(rng, n*m)}, y
}

// A network against its definition, row by row and number by number, and, where it is small, its gradient against
// differences of its values.
func TestNetworkAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for k, c := range []struct {
		n     int
		width []int
	}{
		{1, []int{1, 1}}, {5, []int{3, 1, 2}}, {7, []int{3, 4, 5, 3}}, {20, []int{2, 6, 1, 2}},
		{300, []int{5, 8, 4}}, {1000, []int{64, 64, 64, 10}}, {250, []int{784, 32, 200}},
	} {
		m, h := c.width[0], c.width[len(c.width)-1]
		x, y := labelled(rng, c.n, m, h)
		for _, bias := range []bool{false, true} {
			f := fwsum.NewNetwork(x, c.width, bias, fwsum.CrossEntropy(y))
			w := normals(rng, f.Dim())
			if floats.Scale(0.3, w); f.Dim() < 100 && c.n < 50 {
				fwtest.TestFiniteSum(t, f)
			}
			value, predicted := 0.0, make([]int, c.n)
			for i := range c.n {
				z, at := slices.Clone(x.Row(i)), 0
				for l, h := range c.width[1:] {
					next := make([]float64, h)
					for o := range next {
						for j, v := range z {
							next[o] += w[at+j*h+o] * v
						}
						if at2 := at + len(z)*h; bias {
							next[o] += w[at2+o]
						}
						if l+2 < len(c.width) {
							next[o] = math.Sqrt(2) * math.Max(0, next[o])
						}
					}
					if at += len(z) * h; bias {
						at += h
					}
					z = next
				}
				sum := 0.0
				for _, v := range z {
					sum += math.Exp(v - z[y[i]])
				}
				value += math.Log(sum) / float64(c.n)
				predicted[i] = floats.MaxIdx(z)
			}
			if v := f.Value(w); !(math.Abs(v-value) <= 1e-12*(1+value)) {
				t.Errorf("case %d, bias %v: %g, want %g", k, bias, v, value)
			}
			if !slices.Equal(f.Predict(w, x), predicted) {
				t.Errorf("case %d, bias %v: other predictions", k, bias)
			}
			// in the large along the gradient and a random direction
			g, v, u := make([]float64, f.Dim()), make([]float64, f.Dim()), normals(rng, f.Dim())
			f.Grad(g, w, fwopt.Batch{})
			floats.AddScaled(u, 1, g)
			const step = 1e-6
			slope := (f.Value(floats.AddScaledTo(v, w, step, u)) -
				f.Value(floats.AddScaledTo(v, w, -step, u))) / (2 * step)
			if want := floats.Dot(g, u); !(math.Abs(slope-want) <= 1e-4*floats.Norm(g, 2)*floats.Norm(u, 2)) {
				t.Errorf("case %d, bias %v: slope %g, want %g", k, bias, slope, want)
			}
		}
	}
}

// The same bits on any number of processors, and in a batch of a few rows those of a reader's own loss.
func TestNetworkBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rng := rand.New(rand.NewPCG(31, 2))
	x, y := labelled(rng, 2000, 30, 4)
	f := fwsum.NewNetwork(x, []int{30, 200, 4}, true, fwsum.CrossEntropy(y))
	own := fwsum.NewNetwork(x, []int{30, 200, 4}, true, ownLogistic{y})
	w, b := normals(rng, f.Dim()), fwopt.Batch{}
	for i := range 500 {
		b.Index, b.Weight = append(b.Index, 3*i), append(b.Weight, rng.Float64())
	}
	var first []float64
	for _, procs := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(procs)
		all, part, again := make([]float64, f.Dim()), make([]float64, f.Dim()), make([]float64, f.Dim())
		f.Grad(all, w, fwopt.Batch{})
		f.Grad(part, w, b)
		own.Grad(again, w, b)
		if d := floats.Distance(part, again, 2); !(d <= 1e-12*floats.Norm(part, 2)) {
			t.Errorf("the gradient of an own loss is %g off", d)
		}
		if got := append(append(all, part...), f.Value(w)); first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("%d processors give other bits than one", procs)
		}
	}
}

// What is wrong with a network is said in words, with its layer; and it is for no method that needs a convex f.
func TestNetworkMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	x, y := labelled(rng, 6, 4, 3)
	x.Val[5], y[2] = 1, 2
	l := fwsum.CrossEntropy(y)
	f := fwsum.NewNetwork(x, []int{4, 5, 3}, true, l)
	w, d := make([]float64, f.Dim()), make([]float64, f.Dim())
	build := func(x *fwsum.Dense, width []int, l fwsum.Loss) { fwsum.NewNetwork(x, width, true, l) }
	for name, c := range map[string][]any{
		"NewNetwork": {build, x, []int{4, 5, 3}, l}, "Value": {f.Value, w}, "Predict": {f.Predict, w, x},
		"Grad": {f.Grad, d, w, fwopt.Batch{Index: []int{0, 1}, Weight: []float64{0.5, 0.5}}},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	layers := func(width ...int) func() { return func() { build(x, width, l) } }
	for want, call := range map[string]func(){
		"layer 1 of a Network takes 5 numbers, and the rows of the data have 4": layers(5, 3),
		"layer 2 of a Network makes 0 numbers of 7":                             layers(4, 7, 0, 3),
		"a Network of the widths [4]":                                           layers(4),
		"layer 1 of a Network makes 2 scores: fwsum: example 2 has label 2, want 0 to 1": func() {
			build(x, []int{4, 2}, fwsum.CrossEntropy([]int{0, 1, 2, 0, 1, 0}))
		},
		"5 labels for 6 examples":    func() { build(x, []int{4, 3}, fwsum.CrossEntropy(y[:5])) },
		"the rows to predict have 3": func() { f.Predict(w, &fwsum.Dense{N: 1, M: 3, Val: w[:3]}) },
		"w has length 2":             func() { f.Value(w[:2]) },
		"the bound B of STORC": func() {
			m := fwmore.NewAdaptiveSTORC()
			for range m.Steps(fwopt.NewOracle(f, fwset.L2Ball{D: f.Dim(), R: 1}, 1), w) {
				break
			}
		},
	} {
		if got := small.Panics(call); !strings.HasPrefix(got, "fw") || !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	for want, of := range map[string]func(l, h, m int) fwset.Domain{
		"layer 1 of a Network: no set for 20 numbers": func(_, _, _ int) fwset.Domain { return nil },
		"layer 1 of a Network: 20 numbers, and a set of dimension 25": func(_, h, m int) fwset.Domain {
			return fwset.RMSToRMS(h, h, 1)
		},
		"layer 2 of a Network: 3 x 5 weights, and a set of 5 x 3": func(l, h, m int) fwset.Domain {
			if l == 1 {
				return f.Scion(1, 1)[min(1, 4-m)]
			}
			return fwset.RMSToRMS(m, h, 1)
		},
		"layer 1 of a Network: fwset: a SpectralNorm ball with R = 0": func(_, h, m int) fwset.Domain {
			return fwset.RMSToRMS(h, m, 0)
		},
	} {
		if got := small.Panics(func() { f.Layers(of) }); !strings.HasPrefix(got, "fwsum: "+want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	want := "layer 2 of a Network: fwset: a OneToMax ball with rho = NaN"
	if got := small.Panics(func() { f.Scion(1, math.NaN()) }); !strings.Contains(got, want) {
		t.Errorf("panic %q, want %q", got, want)
	}
	for j, want := range map[int]string{0: "a weight of layer 1", 19: "a weight of layer 1",
		20: "a bias of layer 1", 24: "a bias of layer 1", 25: "a weight of layer 2",
		42: "a bias of layer 2"} {
		if got := f.Place(j); got != want {
			t.Errorf("number %d is %s, want %s", j, got, want)
		}
	}
	large := &fwsum.Dense{N: x.N, M: x.M, Val: slices.Clone(x.Val)} // scores up to 1e250, and a gradient beyond all numbers
	floats.Scale(1e200, large.Val)
	huge := fwsum.NewNetwork(large, []int{4, 5, 3}, true, l)
	far := fwset.RandomVertex(huge.Scion(1, 1), 1)
	floats.Scale(1e-100, far[:25])
	floats.Scale(1e150, far[25:])
	o := fwopt.NewOracle(huge, huge.Scion(1, 1), 1).From(far)
	tr := fwopt.Run(context.Background(), o, fwmore.NewMuon(6), fwopt.Budget{Steps: 9})
	if tr.Status != fwopt.Diverged || !strings.Contains(tr.Note, "the gradient of a batch is +Inf at coordinate 0, a weight of layer 1") {
		t.Errorf("%v, %s", tr, tr.Note)
	}
	flat := fwsum.NewNetwork(x, []int{4, 5, 3}, false, l)
	o = fwopt.NewOracle(flat, flat.Scion(1, 1), 1).From(make([]float64, flat.Dim()))
	tr = fwopt.Run(context.Background(), o, fwmore.NewMuon(6), fwopt.Budget{Steps: 12})
	if want := "f has not moved in 12 steps, where ∇f = 0"; !strings.HasPrefix(tr.Doubt, want) {
		t.Errorf("doubt %q, want %q", tr.Doubt, want)
	}
	seen := map[uint64]string{}
	for _, f := range []fwopt.FiniteSum{f, fwsum.NewNetwork(x, []int{4, 5, 3}, false, l),
		fwsum.NewNetwork(x, []int{4, 3, 3}, true, l),
		fwsum.NewNetwork(x, []int{4, 5, 3}, true, fwsum.CrossEntropy([]int{0, 1, 2, 0, 1, 2}))} {
		id := ident.New(f, 0)
		if was := seen[id.Hash()]; was != "" || id.Why() != "" {
			t.Errorf("%T says what %s says; %q", f, was, id.Why())
		}
		seen[id.Hash()] = fmt.Sprint(len(seen))
	}
}
