package fwset

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// The balls of radius rho for the H × M weights of a layer of a network, of M inputs and H outputs, in the
// operator norms of Pethick et al., "Training deep learning models with norm-constrained LMOs" (arXiv
// 2502.07529). RMS is the norm over the root of the number of coordinates. The sets of all layers, one after the
// other, make a Product.

// RMSToRMS is σ_1 ≤ rho·√(h/m), of hidden layers. For a first layer they take √(h/m) at least 1, and Muon does for
// all.
func RMSToRMS(h, m int, rho float64) SpectralNorm {
	return SpectralNorm{h, m, rho * math.Sqrt(float64(h)/float64(m))}
}

// OneToRMS is ‖column‖ ≤ rho·√h, of the ℓ1 norm before a layer: an embedding's.
func OneToRMS(h, m int, rho float64) LineNorm {
	return LineNorm{H: h, M: m, R: rho * math.Sqrt(float64(h))}
}

// RMSToMax is ‖row‖ ≤ rho/√m, of the largest number behind a layer.
func RMSToMax(h, m int, rho float64) LineNorm {
	return LineNorm{H: h, M: m, R: rho / math.Sqrt(float64(m)), Rows: true}
}

// OneToMax is |w_lj| ≤ rho/m, whose linear optimisation is −rho/m·sign(g): that of a last layer.
func OneToMax(h, m int, rho float64) Box {
	checkBall("a OneToMax ball", checkShape("a OneToMax ball", h, m), "rho", rho)
	hi := slices.Repeat([]float64{rho / float64(m)}, h*m)
	lo := slices.Repeat([]float64{-hi[0]}, h*m)
	return Box{lo, hi}
}

// RMS is ‖b‖ ≤ rho·√h, of h biases.
func RMS(h int, rho float64) L2Ball { return L2Ball{h, rho * math.Sqrt(float64(h))} }

// RandomVertex returns Ω's answer to a g of independent normal numbers, where a network starts: semi-orthogonal
// weights for RMSToRMS, random signs for OneToMax.
func RandomVertex(omega Domain, seed uint64) []float64 {
	rng, g := rand.New(rand.NewPCG(seed, 3)), make([]float64, omega.Dim())
	for j := range g {
		g[j] = rng.NormFloat64()
	}
	w := make([]float64, len(g))
	omega.Argmin(w, g)
	return w
}

// LineNorm is Ω = {w ∈ R^{H×M} : ‖w_j‖ ≤ R for every column w_j}, or for every row, with centre 0 and diameter
// 2R times the root of their number. A vector holds the matrix column by column, as in TraceNorm. A linear
// optimisation costs a pass, and so does a projection.
type LineNorm struct {
	H, M int     // rows and columns
	R    float64 // radius, positive
	Rows bool    // the lines are the rows
}

func (b LineNorm) check(v ...[]float64) int {
	const name = "a LineNorm ball"
	return checkBall(name, checkShape(name, b.H, b.M), "R", b.R, v...)
}

// Dim returns H·M.
func (b LineNorm) Dim() int { return b.check() }

// Shape returns H and M.
func (b LineNorm) Shape() (h, m int) { return b.H, b.M }

// lines calls f with each line of x, which it may change.
func (b LineNorm) lines(x []float64, f func(l []float64)) {
	if !b.Rows {
		for lo := 0; lo < len(x); lo += b.H {
			f(x[lo : lo+b.H])
		}
		return
	}
	l := make([]float64, b.M)
	for i := range b.H {
		for j := range l {
			l[j] = x[j*b.H+i]
		}
		f(l)
		for j, v := range l {
			x[j*b.H+i] = v
		}
	}
}

// Argmin computes the lines −R·g_j/‖g_j‖, and 0 where g_j is 0 or not finite.
func (b LineNorm) Argmin(dst, g []float64) {
	b.check(dst, g)
	copy(dst, g)
	b.lines(dst, func(l []float64) {
		if !toSphere(l, l, -b.R) {
			clear(l)
		}
	})
}

// Project shortens the lines that are longer than R.
func (b LineNorm) Project(dst, x []float64) {
	b.check(dst, x)
	copy(dst, x)
	b.lines(dst, func(l []float64) {
		if !(norm2(l)/b.R <= 1) {
			toSphere(l, l, b.R)
		}
	})
}

// Diameter returns 2R√M, or 2R√H with Rows.
func (b LineNorm) Diameter() float64 {
	b.check()
	n := b.M
	if b.Rows {
		n = b.H
	}
	return 2 * b.R * math.Sqrt(float64(n))
}

// Gauge returns the largest norm of a line, over R.
func (b LineNorm) Gauge(x []float64) (most float64) {
	b.check(x)
	b.lines(slices.Clone(x), func(l []float64) { most = max(most, norm2(l)/b.R) })
	return most
}

// Identify writes the shape, the radius and whether Rows is set.
func (b LineNorm) Identify(id *ident.Identity) {
	id.Of(b).Int(b.H, b.M).Float(b.R)
	if b.Rows {
		id.Text("rows")
	}
}
