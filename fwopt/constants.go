package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Constants are the numbers that a theorem asks for. A constructor takes its parameters from them;
// a Bound is what the theorem promises. Both panic, with the name of the field, if one that they
// need is not a positive number.
type Constants struct {
	L     float64 // every f_i is L-smooth; for a bound of exact gradients f itself is
	D     float64 // the Euclidean diameter of Ω
	G     float64 // ‖∇f_i(w)‖ ≤ G for all i and w ∈ Ω
	GF    float64 // ‖∇f(w)‖ ≤ GF for all w ∈ Ω; 0 stands for G
	Alpha float64 // f is α-strongly convex
	Sigma float64 // E‖∇f_i(w) − ∇f(w)‖² ≤ σ² for all w ∈ Ω
	Rho   float64 // ρ ≥ 1 of a local linear optimisation: see fwset.LocalLinear
	Width float64 // δ, the pyramidal width of a polytope Ω
}

// Mu returns the condition number μ = L/α. It panics unless 0 < α ≤ L.
func (c Constants) Mu() float64 {
	L, alpha := c.get("L", c.L), c.get("Alpha", c.Alpha)
	if alpha > L {
		panic(need.Linef("fwopt: Constants.Alpha = %g is above L = %g: then no f is α-strongly convex and "+
			"L-smooth", alpha, L))
	}
	return L / alpha
}

// ld2 returns LD².
func (c Constants) ld2() float64 {
	D := c.get("D", c.D)
	return c.get("L", c.L) * D * D
}

// gf returns G of f, which Theorem 2 asks for.
func (c Constants) gf() float64 {
	if c.GF == 0 {
		return c.get("G", c.G)
	}
	return c.get("GF", c.GF)
}

// get returns the value of a field that is needed.
func (c Constants) get(field string, x float64) float64 {
	if x == 0 {
		panic(need.Linef("fwopt: Constants.%s is not set, and is needed here", field))
	}
	return need.Positive("fwopt", "Constants."+field, x)
}

// BoundFW returns 2LD²/(k+2) ≥ f(w_k) − f(w*) of FW with OpenLoop, Short or LineSearch, k ≥ 1
// (Jaggi, ICML 2013, Theorem 1).
func (c Constants) BoundFW(k int) float64 { return 2 * c.ld2() / float64(k+2) }

// BoundSFW returns 4LD²/(k+2) ≥ E f(w_k) − f(w*) of SFWTheorem3, k ≥ 1 (Theorem 3), and of x_k
// within an epoch of SVRFTheorem1 (Lemma 2).
func (c Constants) BoundSFW(k int) float64 { return 4 * c.ld2() / float64(k+2) }

// BoundEpoch returns LD²/2^{t+1} ≥ E f(w_t) − f(w*) at the end of epoch t of SVRF and STORC
// (Theorems 1 and 2), fwmore.STORCBeyond (notebooks/fewer-samples) and SCGSStronglyConvex
// (earlier-methods); at t = 0, at the w_0 of line 3.
func (c Constants) BoundEpoch(t int) float64 { return c.ld2() / math.Exp2(float64(t+1)) }

// BoundSCGS returns LD² (6/(k+2)² + 9/(2(k+1)(k+2))) ≥ E f(y_k) − f(w*) of SCGSConvex, k ≥ 1
// (notebooks/earlier-methods).
func (c Constants) BoundSCGS(k int) float64 {
	q := float64(k + 2)
	return c.ld2() * (6/(q*q) + 4.5/(q*float64(k+1)))
}

// BoundOnlineFW returns (LD²/2 + GD + 4.2GD√d)/√(k+1) ≥ E f(x_{k+1}) − f(w*) of
// fwmore.OnlineFWSmooth in dimension d, k ≥ 0 (notebooks/earlier-methods; Table 2).
func (c Constants) BoundOnlineFW(d, k int) float64 {
	G, D := c.get("G", c.G), c.D
	return (c.ld2()/2 + G*D + 4.2*G*D*math.Sqrt(float64(d))) / math.Sqrt(float64(k+1))
}

// BoundOnlineFWLinear returns 4.2GD/k^{1/4} ≥ E f(w_k) − f(w*) of fwmore.OnlineFWLipschitz, k ≥ 1
// (notebooks/earlier-methods; Table 2).
func (c Constants) BoundOnlineFWLinear(k int) float64 {
	return 4.2 * c.get("G", c.G) * c.get("D", c.D) / math.Sqrt(math.Sqrt(float64(k)))
}

// BoundGarberHazan returns (LD²/2)(1 − 1/(4μρ²))^k ≥ f(w_k) − f(w*) of fwmore.GarberHazanStronglyConvex, k ≥
// 0 (notebooks/earlier-methods). It panics unless α ≤ L and ρ ≥ 1.
func (c Constants) BoundGarberHazan(k int) float64 {
	rho := c.get("Rho", c.Rho)
	if rho < 1 {
		panic(need.Linef("fwopt: Constants.Rho = %g, want at least 1", rho))
	}
	return c.ld2() / 2 * math.Pow(1-1/(4*c.Mu()*rho*rho), float64(k))
}

// BoundAway returns (LD²/2)(1 − (δ/D)²/(4μ))^{k/2} ≥ f(w_k) − f(w*) of fwmore.AwayFW and
// BlendedPairwise from Oracle.Start, with Short or a line search, k ≥ 0 (Lacoste-Julien & Jaggi,
// NIPS 2015, Theorem 1); with Backtracking for 2L. It panics unless α ≤ L and δ ≤ D.
func (c Constants) BoundAway(k int) float64 {
	c.Mu() // panics unless 0 < α ≤ L
	r := c.get("Width", c.Width) / c.get("D", c.D)
	if r > 1 {
		panic(need.Linef("fwopt: Constants.Width = %g is above D = %g", c.Width, c.D))
	}
	return c.ld2() / 2 * math.Pow(1-c.Alpha/(4*c.L)*r*r, float64(k)/2)
}

// BoundMomentumSFW returns (1.2D√(4.35σ²/m + 0.69L²D²) + 0.3LD²)/(k+8)^{1/3} ≥ E f(w_k) − f(w*) of
// fwmore.MomentumSFWConvex with m samples a step, k ≥ 0 (there).
func (c Constants) BoundMomentumSFW(m, k int) float64 {
	sd, ld2 := c.get("Sigma", c.Sigma)/math.Sqrt(float64(m)), c.ld2()
	return (1.2*math.Hypot(math.Sqrt(4.35)*sd*c.D, math.Sqrt(0.69)*ld2) + 0.3*ld2) / math.Cbrt(float64(k+8))
}

// BoundSTORMFW returns (2D√(2(L²D²+σ²)k/m) + LD²(1+ln k)/2)/k ≥ E f(w_k) − f(w*) of
// fwmore.STORMFWConvex with m samples a step, k ≥ 1 (there).
func (c Constants) BoundSTORMFW(m, k int) float64 {
	q, ld2 := float64(k), c.ld2()
	noise := math.Hypot(c.L*c.D, c.get("Sigma", c.Sigma)) * math.Sqrt(2*q/float64(m))
	return (2*c.D*noise + ld2*(1+math.Log(q))/2) / q
}

// BoundSarahFW returns LD² max{4(½ + √2), 2b}/(k + 4b) ≥ E f(w_k) − f(w*) of fwmore.SarahFW, k ≥ 0
// (there).
func (c Constants) BoundSarahFW(b, k int) float64 {
	return c.ld2() * max(2+4*math.Sqrt2, 2*float64(b)) / float64(k+4*b)
}

// BoundSPIDERFW returns 10LD²/(2^{t−1} + k) ≥ E f(x_k) − f(w*) in epoch t of fwmore.SPIDERFWConvex, k ≥ 1
// (there).
func (c Constants) BoundSPIDERFW(t, k int) float64 {
	return 10 * c.ld2() / (math.Exp2(float64(t-1)) + float64(k))
}

// BoundUniSTORC returns LD²(½ + 4(1 + 1/b)(1 + λ/40)²)/(mA_t) ≥ E f(w_t) − f(w*) of fwmore.UniSTORC with
// batches of b on a sum of n terms, t ≥ 0 (there): m = ⌈n/b⌉, λ = 1 + ln mt, A_0 = 1/m and
// A_t = A_{t−1} + min{√(bA_{t−1}/2), ½ + √(¼ + A_{t−1})}. That is at least (t − t_0 + 1)²/18 for t ≥ t_0 =
// ⌈log₂ log₄ m⌉, and t²/9 if b² ≥ n. It panics unless 1 ≤ b ≤ n.
func (c Constants) BoundUniSTORC(n, b, t int) float64 {
	ld2 := c.ld2()
	if b < 1 || b > n {
		panic(need.Linef("fwopt: batches of %d samples of a sum of %d terms", b, n))
	}
	m, q := float64((n+b-1)/b), float64(b)
	A, λ := 1/m, 1+math.Log(m*max(1, float64(t)))
	for range t {
		A += min(math.Sqrt(q*A/2), 0.5+math.Sqrt(0.25+A))
	}
	return ld2 * (0.5 + 4*(1+1/q)*math.Pow(1+λ/40, 2)) / (m * A)
}
