package fwmin

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// search returns the γ ∈ [0, most] with the least f(x + γd), by the slopes ∇f(x + γd)ᵀd from the first γ on, and
// leaves ∇f there in h: 0 where f does not fall.
func (m *run) search(most, first float64) (γ float64, err error) {
	slope, steep := floats.Dot(m.g, m.d), floats.Norm(m.g, 2)*floats.Norm(m.d, 2)
	lo, hi, atLo, atHi, side := 0., math.Inf(1), slope, math.NaN(), 0
	γ = first
	for try := 0; slope < -1e-16*steep && try < 60 && γ > lo && γ < hi; try++ {
		floats.AddScaledTo(m.y, m.r.X, γ, m.d)
		m.grad(m.h, m.y)
		at := floats.Dot(m.h, m.d)
		rounding := 1e-7*-slope + 1e-13*(steep+floats.Norm(m.h, 2)*floats.Norm(m.d, 2))
		switch {
		case at < slope-rounding:
			return 0,
				fmt.Errorf("fwmin: from %.4g to %.4g the slope of f falls from %.6g to %.6g: f is not convex, "+
					"or grad not its gradient; hold grad against gonum's fd.Gradient", m.r.X, m.y, slope, at)
		case at <= 0 && γ == most || math.Abs(at) <= -slope/100:
			return γ, nil
		case at < 0:
			if lo, atLo = γ, at; side < 0 { // twice: the other end shall move, too (Illinois)
				atHi /= 2
			}
			side = -1
		default: // it rises, or is not finite
			if hi, atHi = γ, at; side > 0 {
				atLo /= 2
			}
			side = 1
		}
		switch secant := lo + (hi-lo)*atLo/(atLo-atHi); {
		case math.IsInf(hi, 1):
			γ = min(most, max(2*lo, lo*slope/(slope-atLo)))
		case secant > lo && secant < hi:
			γ = secant
		default:
			γ = lo + (hi-lo)/2
		}
	}
	if copy(m.h, m.g); lo > 0 { // rounding: where f is known to fall to
		floats.AddScaledTo(m.y, m.r.X, lo, m.d)
		m.grad(m.h, m.y)
	}
	return lo, nil
}
