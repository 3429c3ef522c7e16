package main

import (
	"fmt"

	"github.com/projection-free/fwlab/fwopt/fwset"
)

// assignItems are P7, the linear optimisation over the Birkhoff polytope: assignments of
// random numbers from 0 to 1, exact on both sides.
func (b *bench) assignItems() (all []item) {
	for _, n := range []int{100, 300, 1000} {
		m := b.matrix(n, n, "random")
		all = append(all, item{name: fmt.Sprintf("P7 assignment %d x %d", n, n), peer: "assign", tol: 1e-13, goal: 1, args: m, threads: 1, long: n == 1000,
			start: func() side {
				g, omega, v := m.read(), fwset.Birkhoff{N: n}, fwset.Vertex{}
				return side{func() { omega.ArgminVertex(&v, g, 0, nil) }, func() []float64 { return []float64{v.Dot(g)} }}
			}})
	}
	return all
}
