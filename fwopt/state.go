package fwopt

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"
)

// The state of a method is what gob writes of it: its exported fields, but for
// functions, which are schedules and stay as they are.

// checkState returns an error, with field and remedy, if a checkpoint would lose a
// part of the state of m.
func checkState(m Method) error {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("fwopt: %T has no fields to keep its state in: make it a pointer to a struct with its state in exported fields, or use Run", m)
	}
	if where, what := lost(v.Elem(), "", false); what != "" {
		return fmt.Errorf("fwopt: a checkpoint would lose the field %s of %T, %s, or use Run", where, m, what)
	}
	if a, b := shared(v.Elem()); a != "" {
		return fmt.Errorf("fwopt: a checkpoint would part the fields %s and %s of %T, which share memory: copy one into the other, or use Run", a, b, m)
	}
	if _, err := encodeState(m); err != nil {
		return fmt.Errorf("fwopt: the state of %T cannot be saved: %w: hand a value of each type that an interface holds to gob.Register, or use Run", m, err)
	}
	return nil
}

var (
	gobEncoder      = reflect.TypeFor[gob.GobEncoder]()
	binaryMarshaler = reflect.TypeFor[encoding.BinaryMarshaler]()
)

// own reports whether a type brings its own encoding.
func own(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(gobEncoder) || t.Implements(binaryMarshaler) {
			return true
		}
	}
	return false
}

// lost finds a field that gob would not restore, and says what can be done. Of
// values behind a pointer or an interface gob makes new ones, without functions.
func lost(v reflect.Value, path string, behind bool) (where, what string) {
	t := v.Type()
	if own(t) {
		return "", ""
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			if name := path + field.Name; !field.IsExported() {
				return name, "which is unexported: export it, make it a local variable of Steps if it is scratch space"
			} else if where, what = lost(v.Field(i), name+".", behind); what != "" {
				return where, what
			}
		}
	case reflect.Func:
		if behind {
			return path[:len(path)-1], "a function behind a pointer, slice, map or interface: make it a field of the method itself"
		}
	case reflect.Chan, reflect.UnsafePointer:
		return path[:len(path)-1], "which is a " + t.Kind().String() + ": keep what it stands for"
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			return lost(v.Elem(), path, true)
		}
	case reflect.Slice, reflect.Array:
		return lost(reflect.New(t.Elem()).Elem(), path, true)
	case reflect.Map:
		return lost(reflect.New(t.Elem()).Elem(), path, true)
	}
	return "", ""
}

// memory is what a field points to.
type memory struct {
	from, to uintptr
	field    string
}

// shared finds two fields that share memory, which would be two after a restore.
func shared(v reflect.Value) (a, b string) {
	var all []memory
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Struct:
			if own(v.Type()) {
				return
			}
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			if n := uintptr(v.Len()) * v.Type().Elem().Size(); n > 0 {
				all = append(all, memory{v.Pointer(), v.Pointer() + n, path[1:]})
			}
			switch v.Type().Elem().Kind() {
			case reflect.Struct, reflect.Slice, reflect.Pointer, reflect.Interface:
				for i := range v.Len() {
					walk(v.Index(i), path)
				}
			}
		case reflect.Pointer:
			if !v.IsNil() {
				all = append(all, memory{v.Pointer(), v.Pointer() + v.Type().Elem().Size(), path[1:]})
				walk(v.Elem(), path)
			}
		case reflect.Interface:
			walk(v.Elem(), path)
		}
	}
	walk(v, "")
	slices.SortFunc(all, func(a, b memory) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(all); i++ {
		if all[i-1].to > all[i].from {
			return all[i-1].field, all[i].field
		}
	}
	return "", ""
}

func encodeState(m Method) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(m)
	return b.Bytes(), err
}

// decodeState gives m the state that was encoded. What gob leaves out is zero.
func decodeState(m Method, state []byte) error {
	forget(reflect.ValueOf(m).Elem())
	return gob.NewDecoder(bytes.NewReader(state)).Decode(m)
}

// forget sets all but the functions of a struct to zero.
func forget(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Func:
	case v.Kind() == reflect.Struct && !own(v.Type()):
		for i := range v.NumField() {
			forget(v.Field(i))
		}
	default:
		v.SetZero()
	}
}

// twin returns a method with the functions of m and the state that was encoded,
// which shares no memory with m.
func twin(m Method, state []byte) (Method, error) {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	t := v.Interface().(Method)
	return t, decodeState(t, state)
}
