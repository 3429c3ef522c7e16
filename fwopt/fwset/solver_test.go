package fwset_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// draw is splitmix64, which testdata/solve.py has, too.
type draw uint64

func newDraw(name string, n int) *draw {
	r := draw(n)
	for _, c := range []byte(name) {
		r = r*1099511628211 + draw(c)
	}
	return &r
}

func (r *draw) int(lo, hi int) int {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return lo + int((z^z>>31)>>33%uint64(hi-lo+1))
}

func (r *draw) ints(n, lo, hi int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = r.int(lo, hi)
	}
	return x
}

func (r *draw) floats(n, lo, hi int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(r.int(lo, hi))
	}
	return x
}

// The cases of testdata/solve.py: a set and a g of whole numbers.
var solved = []struct {
	name  string
	tol   float64 // relative; 0 where all is whole
	draws func(r *draw) (omega fwset.Domain, g []float64)
}{
	{"ksparse", 0, func(r *draw) (fwset.Domain, []float64) {
		d := r.int(1, 12)
		return fwset.KSparse{D: d, K: r.int(1, d), R: 1}, r.floats(d, -9, 9)
	}},
	{"group", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		b := fwset.GroupBall{Size: r.ints(r.int(1, 6), 1, 5), R: 1}
		return b, r.floats(b.Dim(), -9, 9)
	}},
	{"hull", 0, func(r *draw) (fwset.Domain, []float64) {
		n, d := r.int(1, 15), r.int(1, 8)
		var b fwset.Hull
		for range n {
			b.Points = append(b.Points, r.floats(d, -9, 9))
		}
		return b, r.floats(d, -9, 9)
	}},
	{"paths", 0, func(r *draw) (fwset.Domain, []float64) {
		n := r.int(2, 8)
		arcs := []fwroad.Arc{{From: 0, To: n - 1}}
		for range r.int(1, 20) {
			u := r.int(0, n-2)
			arcs = append(arcs, fwroad.Arc{From: u, To: r.int(u+1, n-1)})
		}
		return fwroad.NewPaths(arcs, 0, n-1), r.floats(len(arcs), -9, 9)
	}},
	{"flows", 0, func(r *draw) (fwset.Domain, []float64) {
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
	}},
	{"spectral", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		h, m := r.int(1, 7), r.int(1, 7)
		return fwset.SpectralNorm{H: h, M: m, R: 1}, r.floats(h*m, -9, 9)
	}},
	{"rotations", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		n := r.int(2, 6)
		return fwset.Rotations{N: n}, r.floats(n*n, -9, 9)
	}},
	{"spectraplex", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		n := r.int(1, 9)
		if r.int(1, 50) == 1 {
			n = r.int(65, 75)
		}
		return fwset.Spectraplex{N: n, R: 1}, r.floats(n*n, -9, 9)
	}},
	{"birkhoff", 0, func(r *draw) (fwset.Domain, []float64) {
		n := r.int(1, 12)
		return fwset.Birkhoff{N: n}, r.floats(n*n, -20, 20)
	}},
	{"simplex", 0, func(r *draw) (fwset.Domain, []float64) {
		d, radius := r.int(1, 12), r.int(1, 9)
		return fwset.Simplex{D: d, R: float64(radius)}, r.floats(d, -9, 9)
	}},
	{"l1", 0, func(r *draw) (fwset.Domain, []float64) {
		d, radius := r.int(1, 12), r.int(1, 9)
		return fwset.L1Ball{D: d, R: float64(radius)}, r.floats(d, -9, 9)
	}},
	{"l2", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		d, radius := r.int(1, 12), r.int(1, 9)
		return fwset.L2Ball{D: d, R: float64(radius)}, r.floats(d, -9, 9)
	}},
	{"box", 0, func(r *draw) (fwset.Domain, []float64) {
		d := r.int(1, 12)
		lo, hi := r.floats(d, -9, 9), r.floats(d, 0, 9)
		floats.Add(hi, lo)
		return fwset.Box{Lo: lo, Hi: hi}, r.floats(d, -9, 9)
	}},
	{"product", 0, func(r *draw) (fwset.Domain, []float64) {
		d, e, k, radius := r.int(1, 6), r.int(1, 6), r.int(1, 3), r.int(1, 9)
		return fwset.Product{fwset.Simplex{D: d, R: float64(radius)}, fwset.KSparse{D: e, K: min(k, e), R: 1}}, r.floats(d+e, -9, 9)
	}},
	{"trace", 1e-11, func(r *draw) (fwset.Domain, []float64) {
		h, m := r.int(1, 9), r.int(1, 9)
		if r.int(1, 50) == 1 {
			h, m = r.int(65, 75), r.int(65, 75)
		}
		return fwset.TraceNorm{H: h, M: m, Tau: 1}, r.floats(h*m, -9, 9)
	}},
	{"completion", 1e-11, func(r *draw) (fwset.Domain, []float64) {
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
	}},
}

// The least ⟨g, v⟩ is that of an independent solver, by Argmin and by ArgminVertex, in
// 1,000 cases for each set; exactly where all numbers are whole. And v is in the set.
func TestAgainstSolver(t *testing.T) {
	for _, s := range solved {
		t.Run(s.name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + s.name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Fields(string(text))
			if len(lines) != 1000 {
				t.Fatalf("%d answers", len(lines))
			}
			for n, line := range lines {
				want, err := strconv.ParseFloat(line, 64)
				if err != nil {
					t.Fatal(err)
				}
				omega, g := s.draws(newDraw(s.name, n))
				dst := make([]float64, len(g))
				omega.Argmin(dst, g)
				var v fwset.Vertex
				slack := fwset.Argmin(omega, &v, g, 0, nil)
				off := s.tol * (1 + math.Abs(want))
				if got := floats.Dot(g, dst); !(math.Abs(got-want) <= off+slack) {
					t.Fatalf("case %d, %+v, g = %v: ⟨g, Argmin(g)⟩ = %.17g, the solver has %.17g", n, omega, g, got, want)
				}
				if got := v.Dot(g); !(math.Abs(got-want) <= off+slack) || slack < 0 {
					t.Fatalf("case %d, %+v, g = %v: ArgminVertex has %.17g with slack %g, the solver %.17g", n, omega, g, got, slack, want)
				}
				if slack > 1e-5*(1+math.Abs(want)) {
					t.Errorf("case %d, %+v: a slack of %g beside %g", n, omega, slack, want)
				}
				if b, ok := omega.(fwset.Gauged); ok && !(b.Gauge(dst) <= 1+1e-9) {
					t.Fatalf("case %d, %+v, g = %v: Argmin(g) has gauge %.17g", n, omega, g, b.Gauge(dst))
				}
			}
		})
	}
}
