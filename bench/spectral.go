package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwset"
)

// matrix is an h × m matrix in a file, of which the spectrum is known. It has trace norm
// 100 but for "step", a matrix of rank 20 and trace norm 60 plus one of falling spectrum.
type matrix struct {
	Path  string  `json:"path"`
	H     int     `json:"h"`
	M     int     `json:"m"`
	Tau   float64 `json:"tau,omitempty"`
	Gamma float64 `json:"gamma,omitempty"`
	Kind  string  `json:"kind"`
}

func newMatrix(h, m int, kind string) matrix {
	return matrix{Path: filepath.Join(dir, fmt.Sprintf("%s-%dx%d", kind, h, m)), H: h, M: m, Kind: kind}
}

func (x matrix) read() []float64 {
	v := make([]float64, x.H*x.M)
	data, err := os.ReadFile(x.Path)
	if err == nil {
		_, err = binary.Decode(data, binary.LittleEndian, v)
	}
	if err != nil {
		panic(err)
	}
	return v
}

// probe is two numbers that tell vectors apart: the norm, and the product with a fixed one.
func probe(x []float64) []float64 {
	var s, c float64
	for i, x := range x {
		s += x * x
		c += x * math.Cos(float64(i))
	}
	return []float64{math.Sqrt(s), c}
}

// shape is h x m as the tables show it.
func shape(h, m int) string {
	s := fmt.Sprint(m)
	if m >= 10000 {
		s = fmt.Sprintf("%d,%03d", m/1000, m%1000)
	}
	return fmt.Sprintf("%d x %s", h, s)
}

// spectralItems are P5b, the top singular pair to 1e-4 of σ_1, and P5c, projections.
func (b *bench) spectralItems() (all []item) {
	shapes := [][2]int{{20, 62061}, {53, 47236}, {1000, 128}, {1000, 1000}, {2000, 2000}}
	for i, s := range shapes[:4] {
		for _, kind := range []string{"falling", "flat"} {
			all = append(all, item{name: "P5b " + shape(s[0], s[1]) + " " + kind, peer: "argmin", tol: 1e-4,
				args: newMatrix(s[0], s[1], kind), linked: i == 0 && kind == "falling", long: i == 3})
			if i > 1 { // beside ours, whose bound holds but for one start in a million
				all = append(all, item{name: "P5b " + shape(s[0], s[1]) + " " + kind + ", theirs uncertified",
					peer: "argmin, uncertified", tol: 1e-4, args: newMatrix(s[0], s[1], kind), long: i == 3})
			}
		}
	}
	m := newMatrix(20, 62061, "falling")
	m.Tau, m.Gamma = 50, 0.1
	all = append(all, item{name: "P5b and step 20 x 62,061", peer: "argmin and step", tol: 1e-4,
		args: m})
	for i, s := range shapes {
		for _, kind := range []string{"falling", "flat", "step", "full"} {
			if i < 3 && kind != "falling" {
				continue
			}
			m := newMatrix(s[0], s[1], kind)
			m.Tau = 50
			if kind == "full" {
				m.Tau = 95
			}
			all = append(all, item{name: "P5c " + shape(s[0], s[1]) + " " + kind, peer: "project", tol: 1e-7,
				args: m, linked: i == 3 && kind == "falling", long: i >= 3})
			if i >= 3 && kind != "full" { // beside ours, whose bound holds but for one start in a million
				all = append(all, item{name: "P5c " + shape(s[0], s[1]) + " " + kind + ", theirs uncertified",
					peer: "project, uncertified", tol: 1e-7, args: m, long: true})
			}
		}
	}
	for i := range all {
		it := &all[i]
		it.start = func() side { return startSpectral(it.peer, it.args.(matrix)) }
	}
	return all
}

func startSpectral(what string, m matrix) side {
	g := m.read()
	if strings.HasPrefix(what, "argmin") {
		omega, v := fwset.TraceNorm{H: m.H, M: m.M, Tau: cmp.Or(m.Tau, 1)}, fwset.Vertex{}
		sigma := func() []float64 { return []float64{-v.Dot(g) / omega.Tau} }
		omega.ArgminVertex(&v, g, 0, nil)
		tol := 1e-4 * sigma()[0] * omega.Tau
		work := func() { omega.ArgminVertex(&v, g, tol, nil) }
		if x := make([]float64, len(g)); m.Gamma > 0 {
			work = func() { omega.ArgminVertex(&v, g, tol, nil); v.Lerp(x, m.Gamma) }
		}
		return side{work, sigma}
	}
	omega := fwset.TraceNorm{H: m.H, M: m.M, Tau: m.Tau}
	dst := make([]float64, len(g))
	return side{func() { omega.Project(dst, g) }, func() []float64 { return probe(dst) }}
}

// assignItems are P7, the linear optimisation over the Birkhoff polytope: assignments of
// random numbers from 0 to 1, of whole numbers from 1 to 100, of products of a number of the row and one of the
// column, of such products with a hundredth of noise, and of distances of points in a square, exact on both sides.
func (b *bench) assignItems() (all []item) {
	for _, kind := range []string{"random", "whole", "products", "near-products", "distances"} {
		for _, n := range []int{100, 256, 500, 1000} {
			m := newMatrix(n, n, kind)
			start := func() side {
				g, omega, v := m.read(), fwset.Birkhoff{N: n}, fwset.Vertex{}
				work := func() { omega.ArgminVertex(&v, g, 0, nil) }
				return side{work, func() []float64 { return []float64{v.Dot(g)} }}
			}
			all = append(all, item{name: fmt.Sprintf("P7 assignment %d x %d, %s", n, n, kind), peer: "assign",
				tol: 1e-13, args: m, long: n == 1000, start: start})
		}
	}
	return all
}
