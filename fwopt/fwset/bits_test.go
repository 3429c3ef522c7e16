package fwset_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// The bits do not depend on the number of processors, on what dst held, nor on whether the
// scratch space is fresh; in one piece and in several, and where few singular values stay.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	same := func(d fwset.Domain, g []float64) {
		var first []float64
		for _, procs := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(procs)
			x, v, warm := slices.Concat(g, g), fwset.Vertex{}, &fwset.Warm{RNG: *rand.NewPCG(1, 2)}
			for range 2 {
				fwset.Argmin(d, &v, g, 0, warm)
			}
			v.Dense(x[:len(g)])
			if p, ok := d.(fwset.Projector); ok {
				p.Project(x[len(g):], x[len(g):])
			}
			if first == nil {
				first = x
			}
			if !slices.Equal(x, first) {
				t.Errorf("%T of dimension %d: %d processors give other bits than one", d, len(g), procs)
			}
		}
	}
	same(fwset.NewCompletion(330, 300, entries(4, 330, 300, 70_000), 1), normals(3, 1, 70_000)[0])
	for _, sh := range [][2]int{{7, 9000}, {9000, 7}, {100, 3000}, {3000, 100}, {130, 140}} {
		b := fwset.TraceNorm{H: sh[0], M: sh[1], Tau: 2}
		g := normals(3, 1, b.Dim())[0]
		for j := 0; j < b.M; j += 3 { // some features are zero
			clear(g[j*b.H : j*b.H+b.H])
		}
		same(b, g)
	}
	for k, b := range []fwset.TraceNorm{{H: 510, M: 550}, {H: 550, M: 510}} {
		sigma := make([]float64, 510)
		for i := range sigma {
			sigma[i] = math.Pow(float64(i+1), []float64{-1.5, -4}[k])
		}
		b.Tau = 0.4 * floats.Sum(sigma)
		same(b, fwset.Reflected(rand.New(rand.NewPCG(33, 34)), b.H, b.M, sigma))
	}
}

// Nothing that is done in a run allocates a vector once there was one; what is allocated is closures
// and the like.
func TestAllocNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var v fwset.Vertex
	argmin := func(d fwset.VertexDomain, n int) func() {
		g, warm := fwset.Normal(rng, n), new(fwset.Warm)
		return func() { d.ArgminVertex(&v, g, 0, warm) }
	}
	ball, s, x := fwset.TraceNorm{H: 4, M: 500, Tau: 1}, fwset.ActiveSet{}, make([]float64, 2000)
	ball.ArgminVertex(&v, fwset.Normal(rng, 2000), 0, nil)
	s.Start(&v)
	g, u := make([]float64, 2000), fwset.Vertex{}
	draw := func() {
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		ball.ArgminVertex(&u, g, 0, nil)
	}
	for name, c := range map[string]struct {
		most uint64 // bytes a call
		f    func()
	}{
		"20 x 5000": {50_000, argmin(fwset.TraceNorm{H: 20, M: 5000, Tau: 2}, 20*5000)},
		"128 x 300": {50_000, argmin(fwset.TraceNorm{H: 128, M: 300, Tau: 2}, 128*300)},
		"completion": {50_000, argmin(fwset.NewCompletion(330, 300, entries(6, 330, 300, 70_000), 1),
			70_000)},
		"active set": {4000, func() {
			draw()
			s.Toward(x, &u, 0.5)
			i, _ := s.Choose(g)
			s.Away(x, i, s.Most(i))
			draw()
			s.Across(x, 0, &u, s.Weight[0]/2)
			s.Across(x, 0, &u, s.Weight[0])
		}},
	} {
		bytes := c.most + 1
		for try := 0; bytes > c.most && try < 5; try++ { // the garbage collector may empty the pools
			for range 10 {
				c.f()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 20 {
				c.f()
			}
			runtime.ReadMemStats(&after)
			bytes = (after.TotalAlloc - before.TotalAlloc) / 20
		}
		if bytes > c.most {
			t.Errorf("%s: %d bytes a call", name, bytes)
		}
	}
}
