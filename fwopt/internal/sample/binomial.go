// Package sample draws mini-batches, and from the binomial distribution, without
// allocating.
package sample

import (
	"math"
	"math/rand/v2"
)

// Binomial draws the number of successes in n trials of probability p, by
// inversion where np is small and else by Hörmann's transformed rejection
// (BTRS, J. Stat. Comput. Simul. 46, 1993). The cost is bounded whatever n is.
func Binomial(r *rand.Rand, n int, p float64) int {
	switch {
	case n <= 0 || p <= 0:
		return 0
	case p >= 1:
		return n
	case p > 0.5:
		return n - Binomial(r, n, 1-p)
	case float64(n)*p < 10:
		return inversion(r, n, p)
	}
	return rejection(r, float64(n), p)
}

// inversion walks up the distribution function; it takes np + 1 steps on average.
func inversion(r *rand.Rand, n int, p float64) int {
	odds := p / (1 - p)
	// P(k = 0). On amd64 math.Exp rounds as the processor likes, Expm1 does not.
	prob := 1 + math.Expm1(float64(n)*math.Log1p(-p))
	u := r.Float64()
	k := 0
	for u >= prob && k < n {
		u -= prob
		k++
		prob *= odds * float64(n-k+1) / float64(k)
		if prob == 0 {
			break // rounding left u above the sum of all probabilities
		}
	}
	return k
}

func rejection(r *rand.Rand, n, p float64) int {
	q := 1 - p
	sd := math.Sqrt(n * p * q)
	b := 1.15 + 2.53*sd
	a := -0.0873 + 0.0248*b + 0.01*p
	c := n*p + 0.5
	alpha := (2.83 + 5.1/b) * sd
	vr := 0.92 - 4.2/b
	mode := math.Floor((n + 1) * p)
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + c)
		if us >= 0.07 && v <= vr {
			return int(k)
		}
		if k < 0 || k > n {
			continue
		}
		// log of P(k)/P(mode), the factorials by Stirling's series
		lhs := math.Log(v * alpha / (a/(us*us) + b))
		rhs := (mode+0.5)*math.Log((mode+1)/(p/q*(n-mode+1))) +
			(n+1)*math.Log((n-mode+1)/(n-k+1)) +
			(k+0.5)*math.Log(p/q*(n-k+1)/(k+1)) +
			stirling(mode) + stirling(n-mode) - stirling(k) - stirling(n-k)
		if lhs <= rhs {
			return int(k)
		}
	}
}

// stirling returns log k! − ((k+½) log(k+1) − (k+1) + ½ log 2π).
func stirling(k float64) float64 {
	if k < 10 {
		lg, _ := math.Lgamma(k + 1)
		return lg - ((k+0.5)*math.Log(k+1) - (k + 1) + 0.5*math.Log(2*math.Pi))
	}
	x := 1 / (k + 1)
	return x * (1./12 - x*x*(1./360-x*x/1260))
}
