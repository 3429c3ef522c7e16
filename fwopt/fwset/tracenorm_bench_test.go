package fwset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The shapes of news20, rcv1 and aloi, that of aloi turned over, the order up to
// which the Gram matrix is used, and square ones. Random matrices: the gradients
// of a loss are as hard for the Gram matrix, and easier for Lanczos.
var benchShapes = [][2]int{{20, 62061}, {53, 47236}, {1000, 128}, {128, 1000}, {64, 1000}, {1000, 1000}, {2000, 2000}}

func gaussian(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func BenchmarkLMO(b *testing.B) {
	for _, sh := range benchShapes {
		d := TraceNorm{H: sh[0], M: sh[1], Tau: 50}
		g := gaussian(1, d.Dim())
		var v Vertex
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%dx%d/%s", d.H, d.M, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		if min(d.H, d.M) <= 128 {
			run("gram", func() { d.argminGram(&v, g) })
		}
		run("lanczos", func() { d.argminLanczos(&v, g, 0, nil) })
		if d.H < gramMax && d.M > 10000 {
			for j := range d.M {
				if j%20 != 0 {
					clear(g[j*d.H : j*d.H+d.H])
				}
			}
			run("5% of the rows", func() { d.ArgminVertex(&v, g, 0, nil) })
		}
	}
}

func BenchmarkProject(b *testing.B) {
	for _, sh := range benchShapes[:5] {
		for _, svd := range []bool{false, true} {
			d := TraceNorm{H: sh[0], M: sh[1], Tau: 50, SVD: svd}
			x := gaussian(1, d.Dim())
			dst := make([]float64, len(x))
			b.Run(fmt.Sprintf("%dx%d/svd=%t", d.H, d.M, svd), func(b *testing.B) {
				for b.Loop() {
					d.Project(dst, x)
				}
			})
		}
	}
}
