package fwopt

import (
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// StepRule chooses the steps of FW, AwayFW and others. One of your own is a struct with its state in exported
// fields behind a pointer, for checkpoints, and its parameters in Identify.
type StepRule interface {
	// Step returns γ_k ∈ [0, 1]; more than seg.Most counts as that. It asks of f through o.
	Step(o *Oracle, k int, seg Segment) float64
}

// Segment is where step k may go: from X to X − γD, γ ∈ [0, Most].
type Segment struct {
	X, D  []float64
	End   []float64 // X − D
	Slope float64   // ∇f(X)ᵀD, at which f falls at first
	Most  float64   // 1, or less for a step away from a vertex

	Scores, Along []float64 // XX and −XD of a Scorer, where they are kept up: see Follower
}

// OpenLoop is γ_k = 2/(k+1), the step of every theorem of the paper.
type OpenLoop struct{}

// Step returns 2/(k+1).
func (OpenLoop) Step(_ *Oracle, k int, _ Segment) float64 { return gamma2(k) }

// Identify writes the type alone.
func (r OpenLoop) Identify(id *Identity) { id.Of(r) }

// Short is the step min{1, slope/(L‖D‖²)}: it never increases an L-smooth f.
type Short struct {
	L float64 // smoothness of f
}

// Step returns the minimiser of −γ slope + γ²L‖D‖²/2.
func (r Short) Step(_ *Oracle, _ int, seg Segment) float64 {
	return r.step(seg.Slope, floats.Dot(seg.D, seg.D))
}

func (r Short) step(slope, length2 float64) float64 {
	return shortStep(slope, positive("L", r.L)*length2)
}

// Identify writes L.
func (r Short) Identify(id *Identity) { id.Of(r).Float(r.L) }

// LineSearch is the minimiser of f on the segment, by a LineSearcher, for one exact gradient. In a
// step away from a vertex End may lie outside Ω; f must be convex there, too.
type LineSearch struct{}

// Step returns argmin_{γ∈[0,1]} f(X − γD).
func (LineSearch) Step(o *Oracle, _ int, seg Segment) float64 {
	if seg.Scores == nil {
		return o.LineSearch(seg.X, seg.End)
	}
	o.Calls.Exact++
	return o.scorer().SearchAt(seg.Scores, seg.Along, seg.D, seg.Slope)
}

// Identify writes the type alone.
func (r LineSearch) Identify(id *Identity) { id.Of(r) }

// Step asks a rule for γ_k ∈ [0, Most]; 0 where the gradient was not finite. It panics if the rule
// gives no number in [0, 1].
func (seg Segment) Step(rule StepRule, o *Oracle, k int) float64 {
	if o.broken != "" {
		return 0
	}
	gamma := rule.Step(o, k, seg)
	if !(gamma >= 0 && gamma <= 1) {
		panic(need.Linef("fwopt: the step rule %T gives γ_%d = %g, want a step in [0, 1]", rule, k, gamma))
	}
	return min(gamma, seg.Most)
}

// shortStep returns min{1, slope/bend}, the minimiser over [0, 1] of
// −γ slope + γ² bend/2; 0 if the slope is not positive.
func shortStep(slope, bend float64) float64 {
	if !(slope > 0) {
		return 0
	}
	return min(1, slope/bend)
}
