package fwopt

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Point is what was recorded after a step.
type Point struct {
	Step, T, K int     // steps since w_0; the method's own t and k
	Calls      Calls   // spent so far
	Seconds    float64 // spent inside the method so far, recording not included
	F          float64 // f at the iterate
	Excess     float64 // f − f(w*), see Budget.Excess; NaN if not recorded
	DualityGap float64 // max_{v∈Ω} ⟨∇f(x), x−v⟩; NaN if not recorded
	Slack      float64 // the true duality gap is in [DualityGap, DualityGap+Slack]
	Bound      float64 // the last Step.Bound of the run that is not 0
}

// nowhere is a Point at which nothing was recorded.
func nowhere() Point {
	return Point{F: math.NaN(), Excess: math.NaN(), DualityGap: math.NaN()}
}

// Status is why a run ended.
type Status int

// The ends of a run. Only a run that is Done or Converged is kept as finished.
const (
	Running     Status = iota // not ended yet
	Done                      // the budget is spent
	Converged                 // duality gap + slack reached Budget.Tolerance
	Ended                     // the method stopped by itself
	Interrupted               // the context was cancelled
	Stalled                   // an inner loop's η, or Budget.Tolerance, cannot be reached
	Diverged                  // f is no longer a finite number
	Endless                   // no limit of the budget came nearer in 1,000 steps
)

func (s Status) String() string {
	names := [...]string{"running", "done", "converged", "ended by the method", "interrupted",
		"stalled: an accuracy cannot be reached", "diverged: f or a gradient is not finite",
		"endless: no limit of the budget comes nearer: set one that the method spends, as Linear"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("status %d", int(s))
	}
	return names[s]
}

// Trace is the record of one run.
type Trace struct {
	Method    string    // the method's name, as "SVRF"; free to change
	Data      string    // the data's name, as "news20" or "news20 (generated)"
	Spec      string    // all that decides the run, with fingerprints; "" if unknown
	Kernel    string    // what decides the bits: see Kernel
	Seed      uint64    // of NewOracle
	Status    Status    // why the run ended
	Points    []Point   // the first is w_0, unless Budget.Record is set, the last is W
	Monitor   Calls     // spent on recording; in no other account
	W         []float64 // the last iterate; nil if Budget.NoW
	Doubt     string    // that f has not moved, where there was something to gain; else ""
	NonConvex bool      // f declares itself NonConvex: no theorem of the paper holds, and no DualityGap bounds f − f(w*)
	Note      string    // why Keep did not keep it, or ran it anew; where a gradient was not finite; Remarks
}

// Remarks are what the Note tells of this run wherever it is found: Doubt, and that f is not convex.
func (tr *Trace) Remarks() string {
	var said []string
	if tr.Doubt != "" {
		said = append(said, tr.Doubt)
	}
	if tr.NonConvex {
		said = append(said, "f declares that it is not convex: no theorem about convex f covers this run, whatever "+
			"the method, and its duality gap is a distance from being stationary, not from f(w*)")
	}
	return strings.Join(said, "; ")
}

// String returns how the run ended and what it spent, in one line.
func (tr *Trace) String() string {
	if tr == nil {
		return "no run"
	}
	p := tr.Last()
	return fmt.Sprintf("%s: %v, step %d, f = %.6g, duality gap %.3g, %+v", tr.Method, tr.Status, p.Step, p.F,
		p.DualityGap, p.Calls)
}

// Last returns the last point; F, Excess and DualityGap are NaN if there is none.
func (tr *Trace) Last() Point {
	if tr == nil || len(tr.Points) == 0 {
		return nowhere()
	}
	return tr.Points[len(tr.Points)-1]
}

// Complete returns the points. It panics if the run has not reached its budget.
func (tr *Trace) Complete() []Point {
	if tr == nil {
		panic(need.Line("fwopt: Complete of a trace that is nil"))
	}
	if tr.Status != Done && tr.Status != Converged {
		p := tr.Last()
		panic(need.Linef("fwopt: %s did not reach its budget: after t = %d, k = %d it was %v", tr.Method, p.T,
			p.K, tr.Status))
	}
	return tr.Points
}

// Kernel names the architecture and the arithmetic of this program, which decide the bits of a run: "+fma"
// where products and sums are rounded once, "+noasm" without gonum's assembler.
func Kernel() string {
	name := runtime.GOARCH
	if x := 1 + 0x1p-30; productSum(x, x, -(1+0x1p-29)) != 0 { // 0x1p-60, if rounded once
		name += "+fma"
	}
	few := slices.Repeat([]float64{0x1p-53}, 64)
	if few[0] = 1; runtime.GOARCH == "amd64" && floats.Sum(few) == 1 { // added up one by one
		name += "+noasm"
	}
	return name
}

// productSum is what a compiler may fuse. On amd64 Go fuses a sum, never a difference.
// Out of line, it meets its numbers only when it runs.
//
//go:noinline
func productSum(x, y, z float64) float64 { return x*y + z }
