package fwopt

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// Step is one iteration as the outside sees it. X is the method's own vector
// and may change once the loop body ends: copy it to keep it.
type Step struct {
	T, K int       // the paper's t and k; a method without epochs has T = 1
	X    []float64 // the iterate

	Bound float64 // if not 0, the method has proven that f(X) − f(w*) ≤ Bound
}

// Method is an algorithm of the paper. Steps runs it from w0, one iteration a
// step, as long as the caller asks for more; it does not write to w0. It
// touches f and Ω through o only.
//
// A method is a struct of its schedules, as functions with the paper's names,
// and its whole state in exported fields, so that a run can be saved after any
// step and go on to the same bits; Keep knows it if it is [Identified], and
// fwtest.TestMethod checks all that. A value that has run is used up: make a new one
// for a new run.
type Method interface {
	Steps(o *Oracle, w0 []float64) iter.Seq[Step]
}

type (
	// Identified is a part of a run, its f, its Ω, its method or its rule, that says what
	// decides what it does: Keep knows a run by that, and one without is run anew each time.
	//
	//	func (b ball) Identify(id *fwopt.Identity) { id.Of(b).Int(b.d) }
	//
	// Two calls must say the same, and two parts that differ in a parameter, in data or in a
	// schedule must not. The code of a part need not be said: see fwkeep.Keep.
	Identified = ident.Identified

	// Identity is what a part says of itself.
	Identity = ident.Identity

	// Tested is a part that declares that fwtest has passed it, so that a run spares it
	// questions. Tested returns the part that it speaks for: a type that embeds another one
	// inherits the method, and is asked all the same.
	//
	//	func (b ball) Tested() any { return b }
	Tested = ident.Tested
)

// MethodFunc is a function as a Method. Its state cannot be saved, so Keep runs it
// anew each time.
type MethodFunc func(o *Oracle, w0 []float64) iter.Seq[Step]

// Steps calls m.
func (m MethodFunc) Steps(o *Oracle, w0 []float64) iter.Seq[Step] { return m(o, w0) }
