package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
)

func randomVector(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// exact returns the loss and its derivatives by the formulas of Section 2.1, in
// 400 bits, at scores s + γd.
func exact(s, d []float64, y int, gamma float64) (loss float64, grad []float64, d1, d2 float64) {
	const prec = 400
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	grad = make([]float64, len(s))
	rest, a, b := num(0), num(0), num(0) // rest = Σ_{l≠y} exp(s_l − s_y)
	e := make([]*big.Float, len(s))
	for l := range s {
		if l == y {
			continue
		}
		u := num(0).Sub(num(d[l]), num(d[y]))
		x := num(0).Sub(num(s[l]), num(s[y]))
		x.Add(x, num(0).Mul(num(gamma), u))
		e[l] = bigExp(x)
		rest.Add(rest, e[l])
		eu := num(0).Mul(e[l], u)
		a.Add(a, eu)
		b.Add(b, eu.Mul(eu, u))
	}
	z := num(0).Add(num(1), rest)
	for l := range s {
		if l != y {
			grad[l], _ = e[l].Quo(e[l], z).Float64()
		}
	}
	q, _ := num(0).Quo(rest, z).Float64()
	grad[y] = -q
	a.Quo(a, z)
	b.Quo(b, z)
	b.Sub(b, num(0).Mul(a, a))
	d1, _ = a.Float64()
	d2, _ = b.Float64()
	// log z = log1p(rest): exact enough in float64 once rest is known
	r, _ := rest.Float64()
	if r > 1e300 { // log z = exponent·log 2 + log mantissa
		mant := new(big.Float)
		k := z.MantExp(mant)
		f, _ := mant.Float64()
		return float64(k)*math.Ln2 + math.Log(f), grad, d1, d2
	}
	return math.Log1p(r), grad, d1, d2
}

func TestLogLossAgainstBigFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 400 {
		h := 2 + rng.IntN(6)
		scale := math.Exp(float64(trial%8) - 2)
		s, d := randomVector(rng, h), randomVector(rng, h)
		for l := range s {
			s[l] *= scale
		}
		y, gamma := rng.IntN(h), rng.Float64()
		loss, grad, _, _ := exact(s, d, y, 0)
		_, _, d1, d2 := exact(s, d, y, gamma)

		if got := LogLoss(s, y); !(math.Abs(got-loss) <= 1e-13*loss+1e-300) {
			t.Errorf("LogLoss(%g, %d) = %.17g, want %.17g", s, y, got, loss)
		}
		// d1 sums terms of both signs: their size is what rounding sees
		g1, g2 := LogLossLine(s, d, y, gamma)
		if !(math.Abs(g1-d1) <= 1e-12*(math.Abs(d1)+math.Sqrt(d2))) ||
			!(math.Abs(g2-d2) <= 1e-12*(d2+d1*d1)) {
			t.Errorf("LogLossLine(%g, %g, %d, %g) = %g, %g, want %g, %g", s, d, y, gamma, g1, g2, d1, d2)
		}
		got := append([]float64(nil), s...)
		LogLossGrad(got, y, 3)
		for l := range got {
			if !(math.Abs(got[l]-3*grad[l]) <= 1e-13*3*math.Abs(grad[l])+1e-300) {
				t.Errorf("LogLossGrad(%g, %d)[%d] = %g, want %g", s, y, l, got[l], 3*grad[l])
			}
		}
	}
}

func TestLogLossExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		s    []float64
		y    int
		loss float64
	}{
		{[]float64{0, 0}, 0, math.Ln2},
		{[]float64{1e6, -1e6, 0}, 0, 0},
		{[]float64{1e6, -1e6, 0}, 1, 2e6},
		{[]float64{-1e6, 1e6, 1e6}, 1, math.Ln2},
		{[]float64{0, 40}, 1, math.Exp(-40)}, // 1 + exp(−40) is 1
		{[]float64{1e300, -1e300}, 1, 2e300},
	} {
		if got := LogLoss(c.s, c.y); !(math.Abs(got-c.loss) <= 1e-15*c.loss) {
			t.Errorf("LogLoss(%g, %d) = %g, want %g", c.s, c.y, got, c.loss)
		}
		g, sum := append([]float64(nil), c.s...), 0.0
		LogLossGrad(g, c.y, 1)
		for l, x := range g {
			sum += x
			if math.IsNaN(x) || math.Abs(x) > 1 {
				t.Errorf("LogLossGrad(%g, %d)[%d] = %g", c.s, c.y, l, x)
			}
		}
		if math.Abs(sum) > 1e-15 {
			t.Errorf("LogLossGrad(%g, %d) adds up to %g", c.s, c.y, sum)
		}
	}
	for _, s := range [][]float64{{nan, 0, 1}, {0, nan, 1}, {0, 1, nan}, {inf, 0, 1}, {0, inf, inf},
		{-inf, -inf, -inf}} {
		for y := range s {
			if got := LogLoss(s, y); !math.IsNaN(got) && !math.IsInf(got, 1) {
				t.Errorf("LogLoss(%g, %d) = %g, want NaN or +Inf", s, y, got)
			}
		}
	}
}

func TestDo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 7, 100} {
			for _, grain := range []int{1, 3, 100, 1000} {
				count := make([]int32, n)
				Do(n, grain, func(lo, hi int) {
					if lo%grain != 0 || hi != min(lo+grain, n) {
						t.Errorf("piece [%d, %d) of %d by %d", lo, hi, n, grain)
					}
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&count[i], 1)
					}
				})
				for i, c := range count {
					if c != 1 {
						t.Errorf("%d was done %d times", i, c)
					}
				}
			}
		}
	}
}
