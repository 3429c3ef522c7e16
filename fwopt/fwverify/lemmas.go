package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// constants checks the numbers inside the proofs, in units of L D_t², for s and N
// up to 4096, t up to 40 and μ up to a million.
func constants(l *ledger) {
	const most = 4096
	whole, bent := fwmore.NewBeyond(fwopt.Constants{L: 1, D: 1}),
		fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1}) // cases (i) and (ii) of notebooks/fewer-samples
	for i := 2; i <= most; i++ {
		s := float64(i)
		q := (s + 1) * (s + 1)
		l.most("Theorem 2a, proof: 55", q*(8/((s-1)*s)+8/((s+1)*math.Sqrt((s-1)*s)))+2, 55)
		l.most("Theorem 2b, proof: 116", q*16/((s-1)*s)+4+40, 116) // attained at s = 2, where the paper has <
		if i > 2 {
			l.most("Theorem 2c, proof: 448, s ≥ 3", q*(48/((s-1)*s)+32/((s-2)*(s-1))), 448)
		}
	}
	for t := 1; t <= 40; t++ {
		N, p := float64(doubling(t)), math.Exp2(float64(t))
		l.most("Theorem 1, proof: 1/2^t ≤ 8/(s+1)", 1/p, 8/(8*p-1)) // s ≤ N_t = 2^{t+3} − 2
		l.most("Theorem 2ab, proof: 1/2^t ≤ 16/(N−1)²", 1/p, 16/((N-1)*(N-1)))
		l.most("Theorem 2ab, proof: 16/(N−1)² < 40/(N+1)²", 16/((N-1)*(N-1)), 40/((N+1)*(N+1)))
		l.most("Theorem 2ab, proof: 8/N² ≤ 1/2^{t+1}", 8/(N*N), 0.5/p)
		l.most("Theorem 2ab, proof: s = 1", 18/(700*N*p), 1/(4*N))
		l.most(fmt.Sprintf("Beyond, step 4: 1/2^t ≤ %g/(N+1)²", whole.Start), 1/p, whole.Start/((N+1)*(N+1)))
	}
	l.most("Theorem 2a, proof: 900", 6*(2*55+40), 900)
	l.most("Theorem 2b, proof: 700", 6*116, 700)
	l.most("Theorem 2b, proof: 24", 6*4, 24)
	for e := 0; e <= 2000; e++ {
		mu := math.Exp2(float64(e) / 100)
		N := strong(mu)
		l.most("Theorem 2c, proof: 448, s = 2", 9*(6*mu*4+4*mu/(2*mu)), 448*mu)
		l.most("Theorem 2c, proof: 1/(2μ) ≤ 32/(N+1)²", 1/(2*mu), 32/((N+1)*(N+1)))
		l.most(fmt.Sprintf("Beyond, strongly convex, step 4: 1/(2μ) ≤ %g/(N+1)²", bent.Start), 1/(2*mu),
			bent.Start/((N+1)*(N+1)))
		l.most("Theorem 2c, proof: 5600", 6*(896*mu+32), 5600*mu)
		l.most("Theorem 2c, proof: 8μ/N² ≤ 1/4", 8*mu/(N*N), 0.25)
		l.most("Theorem 2c, proof: s = 1", 18/(5600*N*mu*2*mu), 1/(4*N))
	}
	l.most(fmt.Sprintf("Beyond, strongly convex: %g ≤ 800", bent.Batch()), bent.Batch(), 800)
	l.most(fmt.Sprintf("Beyond: %g ≤ 800", whole.Batch()), whole.Batch(), 800)
	for n := 1; n <= 1<<20; n += 1 + n/16 {
		for _, b := range []int{1, 2, 3, 4, 5, 8, 20, 100, ceil(math.Sqrt(float64(n))), n/2 + 1, n} {
			if b > n {
				continue
			}
			m := float64((n + b - 1) / b)
			A, t0 := 1/m, math.Ceil(math.Log2(max(1, math.Log2(m)/2)))
			for t := 0.0; t <= 100; t++ {
				if t >= t0 {
					l.most("UniSTORC, proof: A_t ≥ (t − t_0 + 1)²/18", math.Pow(t-t0+1, 2)/18, A)
				}
				if b*b >= n {
					l.most("UniSTORC, proof: A_t ≥ t²/9 if b² ≥ n", t*t/9, A)
				}
				a := min(math.Sqrt(float64(b)*A/2), (1+math.Sqrt(1+4*A))/2)
				l.most("UniSTORC, proof: a² ≤ A_t", a*a, A+a)
				A += a
			}
		}
	}
	for _, N := range []float64{6, 7, 8, 12, 16, 64, 512, most} {
		sum := 0.0 // Σ_{s≤k} s(η_s + σ_s²/(2(β_s − Lγ_s)))
		for k := 1.0; k <= N; k++ {
			γ, β, η, σ2 := 2/(k+1), 3/k, 2/(N*k), 1/(N*(k+1)*(k+1))
			sum += k * (η + σ2/(2*(β-γ)))
			l.most("Lemma 3, proof: β_k ≥ Lγ_k", γ, β)
			l.most("Lemma 3, proof: 8 = 2(2 + ½) + 3", 2*sum+3, 8)
			l.most("Beyond, step 1: 8/3", 1+sum/1.5, bent.Near)
			l.most("Beyond, step 2: (Lγ)²/β ≤ β/2", γ*γ/β, β/2)
			l.most("Beyond, step 2: E‖δ‖²/β", σ2/β, 1/(3*N*(k+1)))
			if s := k + 1; s <= N {
				linear := func(far float64) float64 { return 2/(N*k) + 1.5*far/k + 1/(3*N*s) }
				l.most(fmt.Sprintf("Beyond, strongly convex, step 3: %g", bent.Step3), 8*(s+1)/s+
					2*(s+1)*linear(bent.Near)+min(k-1, 1)*8*bent.Near, bent.Step3)
				l.most(fmt.Sprintf("Beyond, step 3: %g", whole.Step3), 8*(s+1)/s+2*(s+1)*linear(whole.Near)+
					min(k-1, 1)*2, whole.Step3)
			}
		}
	}
}

// doubling is N_t of cases (a) and (b).
func doubling(t int) int { return ceil(math.Exp2(float64(t)/2 + 2)) }

// strong is N_t of case (c).
func strong(mu float64) float64 { return float64(ceil(math.Sqrt(32 * mu))) }

// ceil is ⌈x⌉, where an x above a whole number by rounding counts as that.
func ceil(x float64) int {
	if r := math.Round(x); math.Abs(x-r) <= 1e-12*r {
		return int(r)
	}
	return int(math.Ceil(x))
}

// assumptions checks the constants of the instance itself.
func assumptions(l *ledger, p *fwinst.Instance, e effort) {
	r := rand.New(rand.NewPCG(1, 0))
	n, without := p.F.Len(), p.WithoutSnapshot()
	for range e.pairs / 4 {
		w, v, i := point(p, r), point(p, r), r.IntN(n)
		d2 := dist2(w, v)
		l.most("Instance: ‖w−v‖ ≤ D", math.Sqrt(d2), p.D)
		l.most("Instance: ‖∇f_i‖ ≤ G", floats.Norm(grad(p.F, w, only(i)), 2), p.G)
		l.most("Instance: ‖∇f‖ ≤ G_f", floats.Norm(grad(p.F, w, fwopt.Batch{}), 2), p.GF)
		plain, tol := variance(p.F, w, nil), 1e-12*p.G*p.G
		l.most("Instance: E‖∇f_i−∇f‖² ≤ σ²", plain, p.Sigma*p.Sigma)
		l.equal("Instance: Variance of a sample", p.Variance(w, nil), plain, tol)
		l.equal("Instance: Variance of a sample, with a snapshot", p.Variance(w, v), variance(p.F, w, v), tol)
		l.equal("Instance: Variance of a sample, WithoutSnapshot", plain, variance(without.F, w, v), tol)
		b := bregman(p.F, w, v, fwopt.Batch{})
		l.most("Instance: f is L_f-smooth", b, p.LF/2*d2)
		l.most("Instance: f is α-strongly convex", p.Alpha/2*d2, b)
	}
	l.equal("Instance: w* is optimal", wolfe(p.Omega, grad(p.F, p.WStar, fwopt.Batch{}), p.WStar), 0,
		1e-12*p.D*p.G)
}

// bregman returns f(w) − f(v) − ∇f(v)ᵀ(w−v) of a quadratic, for the terms of b:
// half of (∇f(w) − ∇f(v))ᵀ(w−v), without cancellation.
func bregman(f fwopt.FiniteSum, w, v []float64, b fwopt.Batch) float64 {
	return floats.Dot(minus(grad(f, w, b), grad(f, v, b)), minus(w, v)) / 2
}

// pair checks smoothness and properties (1), which is more than convexity, and (2)
// of an L-smooth f at two points, where div returns f(w) − f(v) − ∇f(v)ᵀ(w−v).
func pair(l *ledger, L float64, gw, gv, w, v []float64, λ float64, div func(w, v []float64) float64) {
	d2, b := dist2(w, v), div(w, v)
	l.most("Section 2: f_i is L-smooth", b, L/2*d2)
	rounding := 1e-15 * (floats.Norm(gw, 2) + floats.Norm(gv, 2)) * math.Sqrt(d2)
	l.most("Property (1)", dist2(gw, gv), 2*L*(b+rounding))
	u := mix(v, λ, w) // λw + (1−λ)v
	l.most("Property (2)", λ*div(w, u)+(1-λ)*div(v, u), L/2*λ*(1-λ)*d2)
}

// properties checks them for every term, (1) also outside Ω.
func properties(l *ledger, p *fwinst.Instance, e effort) {
	r := rand.New(rand.NewPCG(2, 0))
	for range e.pairs {
		w, v, b := point(p, r), point(p, r), only(r.IntN(p.F.Len()))
		if r.IntN(2) == 0 {
			for j := range w {
				w[j] += p.D * r.NormFloat64()
			}
		}
		pair(l, p.L, grad(p.F, w, b), grad(p.F, v, b), w, v, r.Float64(),
			func(w, v []float64) float64 { return bregman(p.F, w, v, b) })
	}
}

// logistic checks them for the loss of the paper's application, which is no
// quadratic: 3 classes, 4 features, far from and near to 0. Its rounding is in the
// bounds: far out, f(w) − f(v) − ∇f(v)ᵀ(w−v) is the difference of large numbers.
func logistic(l *ledger, e effort) {
	r := rand.New(rand.NewPCG(3, 0))
	for range e.pairs {
		x := &fwsum.Sparse{N: 1, M: 4, Ptr: []int{0, 4}, Col: []int32{0, 1, 2, 3}, Val: make([]float64, 4)}
		for j := range x.Val {
			x.Val[j] = r.NormFloat64()
		}
		f := fwsum.NewLogistic(x, []int{r.IntN(3)}, 3)
		w, v := make([]float64, 12), make([]float64, 12)
		far := math.Exp2(float64(r.IntN(8) - 3))
		for j := range w {
			w[j], v[j] = far*r.NormFloat64(), far*r.NormFloat64()
		}
		all := fwopt.Batch{}
		pair(l, f.Smoothness(), grad(f, w, all), grad(f, v, all), w, v, r.Float64(),
			func(w, v []float64) float64 {
				a, b, c := f.Value(w), f.Value(v), floats.Dot(grad(f, v, all), minus(w, v))
				return a - b - c + 1e-14*(1+a+b+math.Abs(c))
			})
		l.most("Instance: ‖∇f_i‖ ≤ G", floats.Norm(grad(f, w, all), 2), f.Lipschitz())
	}
}

// lemma1 searches for the worst pair of points; w* between the two is bad.
func lemma1(l *ledger, p *fwinst.Instance, e effort) {
	r := rand.New(rand.NewPCG(4, 0))
	d, n := grad(p.F, p.WStar, fwopt.Batch{}), float64(p.F.Len())
	at := make([][]float64, p.F.Len()) // ∇f_i(w*)
	for i := range at {
		at[i] = grad(p.F, p.WStar, only(i))
	}
	for range e.pairs {
		w, w0 := point(p, r), point(p, r)
		if r.IntN(2) == 0 { // w − w* = −c(w_0 − w*), as far as Ω goes
			back := mix(p.WStar, -math.Exp2(-3*r.Float64()), w0)
			p.Omega.(fwset.Projector).Project(w, back)
		}
		pointLemma1(l, p, w, w0)
		var a, b, c float64 // the three parts of its proof, the expectations over i
		c = dist2(grad(p.F, w, fwopt.Batch{}), d)
		for i, g := range at {
			a += dist2(grad(p.F, w, only(i)), g) / n
			b += dist2(grad(p.F, w0, only(i)), g) / n
		}
		l.most("Lemma 1, proof: three squares", variance(p.F, w, w0), 3*(a+b+c))
		l.most("Lemma 1, proof: E‖∇f_i(w)−∇f_i(w*)‖² ≤ 2L gap", a, 2*p.L*p.Excess(w))
		l.most("Lemma 1, proof: ‖∇f(w)−∇f(w*)‖² ≤ 2L gap", c, 2*p.L*p.Excess(w))
	}
}

// pointLemma1 checks Lemma 1 at w and w_0, where the variance is left to return.
func pointLemma1(l *ledger, p *fwinst.Instance, w, w0 []float64) float64 {
	v := variance(p.F, w, w0)
	l.most("Lemma 1", v, 6*p.L*(2*p.Excess(w)+p.Excess(w0)))
	l.most("Lemma 1 with 4L(gap(w) + gap(w_0))", v, 4*p.L*(p.Excess(w)+p.Excess(w0)))
	return v
}

// baseCase checks f(w_0) − f* ≤ LD²/2 for line 3 from any x, and for W0.
func baseCase(l *ledger, p *fwinst.Instance, e effort) {
	const name = "Theorem 1, base case: gap(w_0) ≤ LD²/2"
	r := rand.New(rand.NewPCG(5, 0))
	w0 := make([]float64, len(p.WStar))
	for range e.pairs {
		p.Omega.Argmin(w0, grad(p.F, point(p, r), fwopt.Batch{}))
		l.most(name, p.Excess(w0), p.L*p.D*p.D/2)
	}
	if p.W0 != nil {
		l.most(name, p.Excess(p.W0), p.L*p.D*p.D/2)
	}
}
