package fwopt

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// Step is one iteration. X is the method's own vector and may change once the loop body ends.
type Step struct {
	T, K int       // the paper's t and k; a method without epochs has T = 1
	X    []float64 // the iterate

	Bound float64 // if not 0, the method has proven that f(X) − f(w*) ≤ Bound
}

// Method is an algorithm. Steps runs it from w0, which it does not write to, one iteration a step,
// as long as the caller asks for more. It touches f and Ω through o only.
//
// A method is a struct of its parameters, functions with the paper's names, and its whole state in
// exported fields, so that a run that was saved goes on to the same bits. Keep recognises it by its
// [Identity]; fwtest.TestMethod checks all that. A value that has run is used up.
type Method interface {
	Steps(o *Oracle, w0 []float64) iter.Seq[Step]
}

// Identity is what decides what a part of a run does, its f, Ω, method or rule, as the part itself has
// it. Keep recognises a run by it; one with a part without Identify is run anew each time.
//
//	func (b ball) Identify(id *fwopt.Identity) { id.Of(b).Int(b.d) }
//
// Two calls must say the same; two parts that differ in data, or in a parameter at any step, must not. Code
// need not be said: see fwkeep.Keep.
//
// A part that fwtest has passed may declare it, so that [Run] spares it questions. Tested returns the
// part that it speaks for, as a type that embeds it inherits the method.
//
//	func (b ball) Tested() any { return b }
type Identity = ident.Identity

// Free is a Method that declares whether its iterates may leave Ω: a run of one that does records no duality gap, and
// may begin outside.
type Free interface {
	Free() bool
}

// leaves reports whether m declares that its iterates may leave Ω.
func leaves(m Method) bool {
	f, ok := m.(Free)
	return ok && f.Free()
}

// MethodFunc is a function as a Method. Its state cannot be saved: Keep runs it anew each time.
type MethodFunc func(o *Oracle, w0 []float64) iter.Seq[Step]

// Steps calls m.
func (m MethodFunc) Steps(o *Oracle, w0 []float64) iter.Seq[Step] { return m(o, w0) }
