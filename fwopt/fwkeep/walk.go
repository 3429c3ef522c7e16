package fwkeep

import (
	"encoding"
	"encoding/gob"
	"reflect"
	"strings"
)

// A walker goes through all that a method holds, and finds what would not be restored.
// Of values behind a pointer gob makes new ones, without functions; for one that a
// field of interface type holds, see parts.
type walker struct {
	where, what string
	types       map[reflect.Type]bool // of zero elements that were looked at
	path        map[uintptr]bool      // pointers on the way
}

func (w *walker) lose(path, what string) {
	if w.what == "" {
		w.where, w.what = path, what
	}
}

// level is where in a method a value stands.
type level int

const (
	top    level = iota // in a field, or in a struct there
	held                // in what a field of interface type holds
	behind              // behind a pointer, slice or map
)

// visit looks at v and what is in it: fields, elements, a zero one where there is
// none, and what pointers and interfaces hold.
func (w *walker) visit(v reflect.Value, path string, at level) {
	t := v.Type()
	switch k := t.Kind(); {
	case w.what != "":
		return
	case !v.CanInterface():
		w.lose(path, "which is unexported: export it (of a type of another package, keep its value), make it a local variable, of Steps or of a rule's Step, if it is scratch space")
	case k == reflect.Func && at == behind:
		w.lose(path, "a function behind a pointer, slice or map: make it a field of the method itself")
	case k == reflect.Chan || k == reflect.UnsafePointer:
		w.lose(path, "which is a "+k.String()+": keep what it stands for")
	case own(t) && function(t):
		w.lose(path, "a type with an encoding of its own and a function beside it: name the field whose encoding it has, in place of embedding it")
	case own(t):
	case k == reflect.Struct:
		for i := range t.NumField() {
			w.visit(v.Field(i), strings.TrimPrefix(path+"."+t.Field(i).Name, "."), at)
		}
	case k == reflect.Interface:
		switch e := v.Elem(); {
		case v.IsNil():
		case at > top:
			w.visit(e, path, behind)
		case e.Kind() == reflect.Pointer && !e.IsNil():
			w.visit(e.Elem(), path, held)
		default:
			w.visit(e, path, held)
		}
	case k == reflect.Pointer:
		if v.IsNil() {
			w.zero(t.Elem(), path)
		} else if p := v.Pointer(); w.path[p] {
			w.lose(path, "which points to itself: keep indices in place of pointers")
		} else {
			if w.path == nil {
				w.path = map[uintptr]bool{}
			}
			w.path[p] = true
			w.visit(v.Elem(), path, behind)
			delete(w.path, p)
		}
	case k == reflect.Slice || k == reflect.Array || k == reflect.Map:
		if number(t.Elem()) {
			return
		}
		w.zero(t.Elem(), path)
		if k == reflect.Map {
			for i := v.MapRange(); i.Next(); {
				w.visit(i.Value(), path, behind)
			}
			return
		}
		for i := range v.Len() {
			w.visit(v.Index(i), path, behind)
		}
	}
}

// zero looks at the type of what may come to stand behind a pointer.
func (w *walker) zero(t reflect.Type, path string) {
	if w.types == nil {
		w.types = map[reflect.Type]bool{}
	}
	if !w.types[t] {
		w.types[t] = true
		w.visit(reflect.New(t).Elem(), path, behind)
	}
}

func number(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String }

var (
	gobEncoder      = reflect.TypeFor[gob.GobEncoder]()
	binaryMarshaler = reflect.TypeFor[encoding.BinaryMarshaler]()
)

// function reports whether a struct has a function in it.
func function(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return t.Kind() == reflect.Func
	}
	for i := range t.NumField() {
		if function(t.Field(i).Type) {
			return true
		}
	}
	return false
}

// own reports whether a type brings its own encoding.
func own(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(gobEncoder) || t.Implements(binaryMarshaler) {
			return true
		}
	}
	return false
}
