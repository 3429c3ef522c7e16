package fwopt

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The shapes: news20, rcv1, aloi (generated twins of their gradients) and square.
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
		g := gaussian(1, d.H*d.M)
		dst := make([]float64, len(g))
		b.Run(fmt.Sprintf("%dx%d", d.H, d.M), func(b *testing.B) {
			var w Warm
			b.ReportAllocs()
			for b.Loop() {
				d.ArgminWarm(dst, g, 0, &w)
			}
		})
		if min(d.H, d.M) <= 128 {
			b.Run(fmt.Sprintf("%dx%d/gram", d.H, d.M), func(b *testing.B) {
				for b.Loop() {
					d.argminGram(dst, g)
				}
			})
			b.Run(fmt.Sprintf("%dx%d/lanczos", d.H, d.M), func(b *testing.B) {
				for b.Loop() {
					d.argminLanczos(dst, g, 0, nil)
				}
			})
		}
	}
}

func BenchmarkProject(b *testing.B) {
	for _, sh := range benchShapes[:5] {
		for _, svd := range []bool{false, true} {
			d := TraceNorm{H: sh[0], M: sh[1], Tau: 50, SVD: svd}
			x := gaussian(1, d.H*d.M)
			dst := make([]float64, len(x))
			b.Run(fmt.Sprintf("%dx%d/svd=%t", d.H, d.M, svd), func(b *testing.B) {
				for b.Loop() {
					d.Project(dst, x)
				}
			})
		}
	}
}
