// Package ident lets the parts of a run, a sum, a set, a method, a step rule or a loss,
// say what decides what they do, so that a run that was kept is found again by equal
// parts and by no others.
package ident

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

// An Identified part of a run, its f, its Ω or its method, says what decides what
// it does. Keep knows a run by its parts; one without an identity is run anew each
// time. All parts of this package have one; one's own takes a line:
//
//	func (b ball) Identify(id *ident.Identity) { id.Of(b).Int(b.d) }
//
// In package fwopt Identity has the same name.
//
// Two calls must say the same, and two parts that differ in a parameter, in data or
// in a schedule must not. The code of a part need not be said: see Keep.
type Identified interface {
	Identify(id *Identity)
}

// Identity is what a part says of itself: hashes of 64 bits. New makes one and hands
// it to Identify.
type Identity struct {
	self  any    // the reflect.Type that Of was told: as such it would cost every cell 0.04 s to compile
	fixed uint64 // the hash of what was said outside of Steps
	walk  uint64 // the sum over the steps of the hash of what was said at each
	why   string // what is missing; "" if nothing
	other bool   // the code of this part, or of one in it, fwopt.Version does not tell
	types string // of which it does, as " fwset.Box fwopt.FW"

	from, steps int    // Steps goes from after the one to the other
	loop, depth int    // which loop over Steps, and how many Parts down this is
	walking     bool   // inside a loop over Steps
	at          uint64 // the hash of what was said at the step
}

// Of says whose identity this is, and must be said: a type that embeds another one
// inherits its Identify, and would have the other's runs although it may override
// its methods. So the identity counts only for a part of the type of self, or a
// pointer to it.
func (id *Identity) Of(self any) *Identity {
	t := base(self)
	id.self = t
	if id.types += " " + t.String(); !versioned(t) {
		id.other = true
	}
	return id.Text(t.String())
}

// module is the path of package fwopt, which those of this module begin with.
var module, _, _ = strings.Cut(reflect.TypeFor[Identity]().PkgPath(), "/internal/")

// ours reports whether a type is of a package of this module, tests and programs apart.
func ours(t reflect.Type) bool {
	in, of := strings.CutPrefix(t.PkgPath()+"/", module+"/")
	return of && !strings.HasSuffix(in, "_test/")
}

// versioned reports whether fwopt.Version tells the code of a type.
func versioned(t reflect.Type) bool {
	return slices.Contains([]string{"", "/fwmore", "/fwroad", "/fwset", "/fwsum"},
		strings.TrimPrefix(t.PkgPath(), module))
}

// Foreign reports whether fwopt.Version does not tell the code of a part.
func Foreign(part any) bool { return !versioned(base(part)) }

// base returns the type of x, or what it points to.
func base(x any) reflect.Type {
	t := reflect.TypeOf(x)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Int adds integers; the number of them counts.
func (id *Identity) Int(xs ...int) *Identity {
	h := id.place()
	*h = hash.Mix(*h, 'i', uint64(len(xs)))
	for _, x := range xs {
		*h = hash.Mix(*h, uint64(x))
	}
	return id
}

// Float adds numbers, by their bits; the number of them counts.
func (id *Identity) Float(xs ...float64) *Identity {
	h := id.place()
	*h = hash.Mix(*h, 'f', uint64(len(xs)))
	for _, x := range xs {
		*h = hash.Mix(*h, math.Float64bits(x))
	}
	return id
}

// Text adds a string.
func (id *Identity) Text(s string) *Identity {
	h := id.place()
	*h = hash.Text(hash.Mix(*h, 't'), s)
	return id
}

// Part adds a part of this part, such as the data of a sum, a factor of a product or
// a method that does the work, with its schedules. The whole has no identity if the
// part has none.
func (id *Identity) Part(part any) *Identity {
	inner := identify(part, Identity{walk: id.walk, from: id.from, steps: id.steps, loop: id.loop,
		depth: id.depth + 1})
	if id.why == "" {
		id.why = inner.why
	}
	id.other, id.types = id.other || inner.other, id.types+inner.types
	id.walk, id.loop = inner.walk, inner.loop
	h := id.place()
	*h = hash.Mix(*h, 'p', inner.fixed)
	return id
}

// Steps yields the t and k of the steps that a run makes, each once, so that a
// method adds the values of its schedules at each, and no others: runs that differ
// only in values that neither has come to are one run. N gives the steps of epoch t;
// nil stands for a method without epochs, where t = 1.
func (id *Identity) Steps(N func(t int) int) iter.Seq2[int, int] {
	return func(yield func(t, k int) bool) {
		id.loop++
		id.walking = true // and stays so if a schedule panics
		for t, done := 1, 0; done < id.steps; t++ {
			n := id.steps - done
			if N != nil {
				n = min(n, N(t))
			}
			if n < 1 {
				break // the run panics there
			}
			for k := max(1, id.from-done+1); k <= n; k++ {
				id.at = hash.Mix(uint64(id.loop), uint64(t), uint64(k))
				more := yield(t, k)
				id.walk += hash.Mix(id.at, 's') // a sum, so that more steps can be added later
				if !more {
					id.walking = false
					return
				}
			}
			done += n
		}
		id.walking = false
	}
}

// place returns the hash that is being added to.
func (id *Identity) place() *uint64 {
	if id.walking {
		return &id.at
	}
	return &id.fixed
}

// New asks a part who it is, and for its schedules at the first so many steps.
func New(part any, steps int) Identity { return identify(part, Identity{steps: steps}) }

// Schedules returns the hash of the schedules at the first so many steps, where id is what
// the same part said at fewer; it asks for the values at the steps between only.
func (id *Identity) Schedules(part any, steps int) uint64 {
	if steps < id.steps {
		*id = Identity{}
	}
	*id = identify(part, Identity{walk: id.walk, from: id.steps, steps: steps})
	return id.walk
}

// Why says why the part has no identity; "" if it has one.
func (id Identity) Why() string { return id.why }

// Hash returns the hash of all that was said but the schedules.
func (id Identity) Hash() uint64 { return id.fixed }

// Foreign reports whether fwopt.Version does not tell the code of the part, or of one in it.
func (id Identity) Foreign() bool { return id.other }

// Types returns the types of the part and of those in it, for fwopt.Version.
func (id Identity) Types() []string { return strings.Fields(id.types) }

// identify asks x who it is, and for its schedules at the steps of a run between
// those of so, which add to what so holds.
func identify(x any, so Identity) (id Identity) {
	id = so
	say, ok := x.(Identified)
	switch {
	case !ok && x != nil && reflect.PointerTo(reflect.TypeOf(x)).Implements(reflect.TypeFor[Identified]()):
		id.why = fmt.Sprintf("the method Identify is that of *%T: hand in a pointer", x)
		return id
	case !ok:
		id.why = fmt.Sprintf("%T has no method Identify", x)
		return id
	case id.depth > 100:
		id.why = fmt.Sprintf("%T is a Part of itself", x)
		return id
	}
	defer func() { // a schedule may panic out of its range: there is no run further on
		if r := recover(); r != nil && !id.walking {
			id.why = fmt.Sprintf("Identify of %T panics: %v", x, r)
		}
	}()
	say.Identify(&id)
	switch {
	case id.why != "":
	case id.self == nil:
		id.why = fmt.Sprintf("Identify of %T does not say whose it is: begin it with id.Of", x)
	case id.self != any(base(x)):
		id.why = fmt.Sprintf("%T has only the Identify of the %v in it: give it one of its own", x, id.self)
	}
	return id
}

// IsNil reports whether a part is nil, or a nil pointer or function.
func IsNil(part any) bool {
	switch v := reflect.ValueOf(part); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Interface:
		return v.IsNil()
	}
	return false
}
