package kern

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns eˣ in 400 bits, by halving x and Taylor's series.
func bigExp(x *big.Float) *big.Float {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	u, n := new(big.Float).Copy(x), 0
	for u.Sign() != 0 && u.MantExp(nil) > -10 {
		u.Quo(u, num(2))
		n++
	}
	sum, term := num(1), num(1)
	for k := 1; k < 40; k++ {
		term.Mul(term, u)
		term.Quo(term, num(float64(k)))
		sum.Add(sum, term)
	}
	for range n {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		x := -707.9 * math.Pow(rng.Float64(), float64(1+i%8)) // many of them small
		if i < 700 {
			x = -float64(i) * math.Ln2 / 64 // where the pieces meet
		}
		want := bigExp(new(big.Float).SetPrec(400).SetFloat64(x))
		got := Exp(x)
		d, _ := new(big.Float).Sub(new(big.Float).SetPrec(400).SetFloat64(got), want).Float64()
		if ulp := math.Nextafter(got, 2) - got; !(math.Abs(d) <= 1.5*ulp) {
			t.Errorf("Exp(%g) = %g is off by %.2f units in the last place", x, got, d/ulp)
		}
	}
	for _, c := range [][2]float64{{0, 1}, {math.Copysign(0, -1), 1}, {-1e-300, 1}, {1e-17, 1}, {-708, 0},
		{-1e6, 0}, {math.Inf(-1), 0}} {
		if got := Exp(c[0]); got != c[1] {
			t.Errorf("Exp(%g) = %g, want %g", c[0], got, c[1])
		}
	}
	if got := Exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("Exp(NaN) = %g", got)
	}
}
