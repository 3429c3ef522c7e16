package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The counts of many draws against the exact law, by a χ² test over the cells
// that expect at least 10.
func TestBinomialLaw(t *testing.T) {
	for _, c := range []struct {
		n int
		p float64
	}{
		{1, 0.5}, {5, 0.3}, {20, 0.9}, {100, 0.01}, {1000, 0.0099}, {1000, 0.0101}, {40, 0.25}, {41, 0.25},
		{100, 0.5}, {100, 0.97}, {5000, 0.002}, {100000, 0.3}, {1 << 40, 1e-11}, {1 << 40, 3e-11},
	} {
		const draws = 200000
		r := rand.New(rand.NewPCG(uint64(c.n), math.Float64bits(c.p)))
		count := map[int]int{}
		sum := 0.
		for range draws {
			k := Binomial(r, c.n, c.p)
			if k < 0 || k > c.n {
				t.Fatalf("n %d, p %g: drew %d", c.n, c.p, k)
			}
			count[k]++
			sum += float64(k)
		}
		law := distuv.Binomial{N: float64(c.n), P: c.p}
		chi2, cells, rest := 0., 0, float64(draws)
		restSeen := draws
		lo, hi := int(law.Mean()-8*law.StdDev()-9), int(law.Mean()+8*law.StdDev()+9)
		for k := max(0, lo); k <= min(c.n, hi); k++ {
			if want := draws * math.Exp(logProb(c.n, c.p, k)); want >= 10 {
				chi2 += (float64(count[k]) - want) * (float64(count[k]) - want) / want
				cells++
				rest -= want
				restSeen -= count[k]
			}
		}
		if rest >= 10 {
			chi2 += (float64(restSeen) - rest) * (float64(restSeen) - rest) / rest
			cells++
		}
		if cells > 1 {
			if p := 1 - (distuv.ChiSquared{K: float64(cells - 1)}).CDF(chi2); p < 1e-5 {
				t.Errorf("n %d, p %g: χ² = %.1f over %d cells, probability %.1g", c.n, c.p, chi2, cells, p)
			}
		}
		if z := (sum/draws - law.Mean()) / law.StdDev() * math.Sqrt(draws); math.Abs(z) > 5 {
			t.Errorf("n %d, p %g: the mean is off by %.1f standard errors", c.n, c.p, z)
		}
	}
}

// logProb is log P(k), by a sum of logarithms where that is short and else from
// the Gamma function.
func logProb(n int, p float64, k int) float64 {
	if k > n/2 {
		return logProb(n, 1-p, n-k)
	}
	if k > 10000 {
		return (distuv.Binomial{N: float64(n), P: p}).LogProb(float64(k))
	}
	s := float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
	for j := range k {
		s += math.Log(float64(n-j)) - math.Log(float64(j+1))
	}
	return s
}

func TestBinomialEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{0, 0.5, 0}, {10, 0, 0}, {10, 1, 10}, {10, -1, 0}, {10, 2, 10}, {-3, 0.5, 0}} {
		if got := Binomial(r, c.n, c.p); got != c.want {
			t.Errorf("Binomial(%d, %g) = %d, want %d", c.n, c.p, got, c.want)
		}
	}
}
