package ident

import (
	"fmt"
	"reflect"
)

// A Tested part declares that fwtest has passed it, so that a run spares it the checks
// of its start. Tested returns the part that it speaks for, which is the part itself: a
// type that embeds another one inherits the method, and is checked all the same.
//
//	func (b ball) Tested() any { return b }
//
// One that holds another part returns that part if it is not Tested. The parts of this
// module need not declare it.
type Tested interface {
	Tested() any
}

// Untested returns what has not declared that fwtest has passed it: the part, or one in
// it; nil if nothing.
func Untested(part any) any {
	t, declared := part.(Tested)
	if !declared {
		if ours(base(part)) {
			return nil
		}
		return part
	}
	switch in := t.Tested(); {
	case IsNil(in):
		return part
	case base(in) == base(part):
		return nil
	case ours(base(part)):
		return Untested(in)
	case reflect.TypeOf(in).Implements(reflect.TypeFor[Tested]()) && Untested(in) == nil:
		return part // which embeds in, that speaks for itself alone
	default:
		return in
	}
}

// First returns whole or, if a part of it is Untested, what in that part is: for the method
// Tested of a whole.
func First(whole, part any) any {
	if in := Untested(part); in != nil {
		return in
	}
	return whole
}

// Key returns what two parts have in common if they are one, or share memory: the part
// itself if it can be compared, or else its type and where its slices, maps and functions are.
func Key(part any) any {
	v := reflect.ValueOf(part)
	if v.Comparable() {
		return part
	}
	return v.Type().String() + addresses(v)
}

func addresses(v reflect.Value) (at string) {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Func, reflect.Pointer:
		return fmt.Sprintf(" %x", v.Pointer())
	case reflect.Struct:
		for i := range v.NumField() {
			at += addresses(v.Field(i))
		}
	}
	return at
}
