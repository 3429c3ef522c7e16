package fwmore

import (
	"cmp"
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// UniSTORC is UniFastSvrg (Rodomanov, Jiang & Stich, "Universality of AdaGrad stepsizes for stochastic
// optimization: inexact oracle, acceleration and variance reduction", NeurIPS 2024) with line 11 of
// Algorithm 2 in the place of its projection: a STORC that asks for D alone, and measures L by what its
// gradients change.
//
//	 1  Input: objective function f = (1/n) Σ f_i, D, b; m = ⌈n/b⌉.
//	 2  Initialize: A_0 = 1/m, H = 0, and w_0 in the place of x_m.
//	 3  for t = 1, 2, … do
//	 4      Take snapshot: y_0 = w_{t−1}, compute ∇f(y_0); x_0 is the last x_m.
//	 5      Let a = min{√(bA_{t−1}/2), ½ + √(¼ + A_{t−1})}, A_t = A_{t−1} + a and γ = a/A_t.
//	 6      Compute ∇̃_0, the average of b iid samples of ∇̃f(z_0; y_0), z_0 = (1 − γ) y_0 + γ x_0.
//	 7      for k = 1 to m do
//	 8          Compute x_k by Frank-Wolfe on min_{x∈Ω} (H/2a)‖x − x_{k−1}‖² + ∇̃_{k−1}ᵀx, until the duality
//	            gap is at most η = HD²/(20aj), j = (t−1)m + k; a vertex as long as H = 0.
//	 9          Compute ∇̃_k, the average of b iid samples of ∇̃f(z_k; y_0), z_k = (1 − γ) y_0 + γ x_k.
//	10          H = √(H² + (a/D)²‖∇̃_k − ∇̃_{k−1}‖²)
//	11      end for
//	12      Set w_t = (1/m) Σ z_k.
//	13  end for
//
// If every f_i is convex and L-smooth on R^d, D the diameter of Ω and w_0 that of Oracle.Start, then
// E f(w_t) − f(w*) ≤ Constants.BoundUniSTORC(n, b, t): but for logarithms n + √(nbLD²/ε) gradients of terms
// and nLD²/(bε) linear optimisations. With r times D in the pseudocode it is at most max{r, 1/r}² times as much.
//
// Proof: Write h for f − f(w*), D_f(u, v) = f(v) − f(u) − ∇f(u)ᵀ(v − u), δ for the error of ∇̃, and z, x, H
// and z⁺, x⁺, H⁺ for what belongs to k−1 and to k. As z⁺ − z = γ(x⁺ − x), D_f(z, z⁺) is
// γ(∇f(z⁺) − ∇f(z))ᵀ(x⁺ − x) − D_f(z⁺, z). By line 8 a∇̃ᵀ(x⁺ − w*) ≤ aη + (H/2)(‖x − w*‖² − ‖x⁺ − w*‖² −
// ‖x⁺ − x‖²), and by line 10 a(∇̃⁺ − ∇̃)ᵀ(x⁺ − x) ≤ (H⁺/2)‖x⁺ − x‖² + (H⁺ − H)D². So
//
//	A_t h(z⁺) + (H⁺/2)‖x⁺ − w*‖² ≤ A_{t−1} h(y_0) + (H/2)‖x − w*‖² + aη + 2(H⁺ − H)D²
//	    − aδᵀ(x − w*) − aδ⁺ᵀ(x⁺ − x) − A_t D_f(z⁺, z) − A_{t−1} D_f(z, y_0) − a D_f(z, w*).        (1)
//
// Both products with errors have mean 0, whatever H is, for δ is drawn after x, δ⁺ after x⁺, and a hangs on
// no sample. Summed up, m A_T E h(w_T) ≤ h(w_0) + (2 + λ/20) D² E H − E S, λ = 1 + ln mT, where S is the sum
// of A_t D_f(z⁺, z) + A_{t−1} D_f(z, y_0). The f_i being co-coercive, E‖δ‖² ≤ (2L/b) E D_f(z, y_0) and
// E‖δ⁺‖² ≤ (4L/b) E (D_f(z⁺, z) + D_f(z, y_0)), so that
//
//	E‖∇̃⁺ − ∇̃‖² ≤ 4L(1 + 1/b) E D_f(z⁺, z) + (8L/b) E D_f(z, y_0)                                  (2)
//
// and D² E H² ≤ 4L(1 + 1/b) E S, for a² ≤ A_t and a² ≤ bA_{t−1}/2. At last 2c√S − S ≤ c².
type UniSTORC struct {
	D      float64      // of Ω, its diameter
	B      int          // b; 0 stands for ⌈√n⌉ of a sum of n terms
	Memory fwopt.Memory // of line 8

	T, K         int       // where the run is: k steps of epoch t are done
	A, H         float64   // A_{t−1}, H
	X, Y0, Grad0 []float64 // x_k, y_0, ∇f(y_0)
	G            []float64 // ∇̃_k
	W            []float64 // the mean of z_1, …, z_k
}

// NewUniSTORC returns the method for an Ω of diameter D, with batches of ⌈√n⌉ and a Memory of 32 vertices.
func NewUniSTORC(D float64) *UniSTORC { return &UniSTORC{D: D, Memory: fwopt.Memory{Size: 32}} }

func (a *UniSTORC) String() string { return "UniSTORC" }

// Identify writes D, b and the size of the memory.
func (a *UniSTORC) Identify(id *fwopt.Identity) { id.Of(a).Float(a.D).Int(a.B, a.Memory.Size) }

// Steps runs UniSTORC; the iterate is the mean of z_1, …, z_k. Epoch t counts one exact gradient and 2b
// stochastic ones, its step k 2b more and the linear optimisations of line 8. A run whose gradients are not
// finite ends as Stalled. It panics unless D is positive and finite and b from 1 to n, on a sum of one term,
// and on one that declares itself NonConvex.
func (a *UniSTORC) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	D, n := need.Positive("fwmore", "UniSTORC.D", a.D), o.F.Len()
	b := cmp.Or(a.B, int(math.Ceil(math.Sqrt(float64(n)))))
	if n == 1 {
		panic(need.Line("fwmore: UniSTORC on a sum of one term, whose gradient is exact: take CGS, certified"))
	}
	if b < 1 || b > n {
		panic(need.Linef("fwmore: UniSTORC.B = %d samples of a sum of %d terms, want 1 to n, or 0 for ⌈√n⌉",
			b, n))
	}
	o.NeedConvex("the bound of UniSTORC")
	d, m := len(w0), (n+b-1)/b
	if a.T == 0 {
		a.T, a.A = 1, 1/float64(m)
		a.X, a.W = append(a.X[:0], w0...), append(a.W[:0], w0...)
		a.Y0, a.Grad0, a.G = make([]float64, d), make([]float64, d), make([]float64, d)
	}
	z, g, u, v := make([]float64, d), make([]float64, d), make([]float64, d), fwopt.Vertex{}
	inner := fwopt.NewCondG(d, &a.Memory)
	return func(yield func(fwopt.Step) bool) {
		for { // for t = 1, 2, …
			s := min(math.Sqrt(float64(b)*a.A/2), 0.5+math.Sqrt(0.25+a.A)) // a of the pseudocode
			γ := s / (a.A + s)                                             // γ = a/A_t
			if a.K == 0 {
				copy(a.Y0, a.W)       // take snapshot y_0 = w_{t−1}
				o.Grad(a.Grad0, a.Y0) // and compute ∇f(y_0)
				copy(z, a.Y0)
				fwopt.Lerp(z, γ, a.X)              // z_0 = (1−γ) y_0 + γ x_0
				o.VRGrad(a.G, z, a.Y0, a.Grad0, b) // ∇̃_0, mean of b ∇̃f(z_0; y_0)
			}
			for a.K < m { // for k = 1 to m
				t, k, x := a.T, a.K+1, u
				if a.H == 0 {
					o.Argmin(&v, a.G)
					v.Dense(x) // x_k = argmin_{x∈Ω} ∇̃_{k−1}ᵀx
				} else {
					j := float64((t-1)*m + k)
					inner.Objective(a.H/s, a.X, a.G)      // (H/2a)‖x−x_{k−1}‖² + ∇̃_{k−1}ᵀx
					x = inner.Argmin(o, a.H*D*D/(20*s*j)) // x_k ≈ argmin_{x∈Ω}, gap ≤ HD²/(20aj)
				}
				if x == nil {
					return // the state is still that of step k−1
				}
				copy(z, a.Y0)
				fwopt.Lerp(z, γ, x)                                  // z_k = (1−γ) y_0 + γ x_k
				o.VRGrad(g, z, a.Y0, a.Grad0, b)                     // ∇̃_k, mean of b ∇̃f(z_k; y_0)
				H := math.Hypot(a.H, s/D*floats.Distance(g, a.G, 2)) // H = √(H² + (a/D)²‖∇̃_k−∇̃_{k−1}‖²)
				if !(H < math.Inf(1)) {
					o.Stall()
					return
				}
				if a.H == 0 {
					copy(a.X, x)
				} else {
					a.X = inner.Accept(x, a.X)
				}
				a.H, a.G, g = H, g, a.G
				fwopt.Lerp(a.W, 1/float64(k), z) // w_t = (1/m) Σ z_k
				a.K = k
				if !yield(fwopt.Step{T: t, K: k, X: a.W}) {
					return
				}
			}
			a.T, a.K, a.A = a.T+1, 0, a.A+s
		}
	}
}
