package fwkeep

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
)

// The state of a method is what gob writes of it: its exported fields, but for
// functions, which are schedules and stay as they are.

// checkState returns the state of m, or an error, with field and remedy, if a
// checkpoint would lose a part of it.
func checkState(m fwopt.Method) (state []byte, err error) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("fwkeep: %T has no fields to keep its state in: make it a pointer to a struct with its state in exported fields, or use Run", m)
	}
	w := walker{}
	w.visit(v.Elem(), "", top)
	if w.what != "" {
		return nil, fmt.Errorf("fwkeep: a checkpoint would lose the field %s of %T, %s, or use Run", w.where, m, w.what)
	}
	state, err = encodeState(m)
	if err != nil {
		remedy := "keep it in exported fields, as numbers, slices and structs"
		if strings.Contains(err.Error(), "not registered") {
			remedy = "hand gob.Register a value of each type that an interface holds"
		}
		return nil, fmt.Errorf("fwkeep: the state of %T cannot be saved (%w): %s, or use Run", m, err, remedy)
	}
	t, err := twin(m, state)
	if err != nil {
		return nil, fmt.Errorf("fwkeep: the state of %T cannot be restored (%w): keep it as numbers, slices and structs, or use Run", m, err)
	}
	if a, b := v.Elem(), reflect.ValueOf(t).Elem(); digest(a) != digest(b) {
		where := "what two fields share"
		for i := range a.NumField() {
			if digest(a.Field(i)) != digest(b.Field(i)) {
				where = "the field " + a.Type().Field(i).Name
				break
			}
		}
		return nil, fmt.Errorf("fwkeep: a checkpoint would change %s of %T: gob does not keep −0, an empty slice apart from nil, a pointer to zero, memory that two fields share, or what stands beside an embedded type with an encoding of its own; keep it as numbers and slices, or use Run", where, m)
	}
	return state, nil
}

// saved is a state: the method without what its fields of interface type hold, and
// that one by one, so that a rule or a strategy needs no gob.Register and may be empty.
type saved struct {
	Method []byte
	Parts  []part
}

// part is what a field of interface type holds; Type is "" for nothing.
type part struct {
	Type  string
	Value []byte // nil if there is nothing in it to save
}

// parts returns the fields of interface type of a struct, and of the structs in it.
func parts(v reflect.Value) (fields []reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Interface && f.CanSet():
			fields = append(fields, f)
		case f.Kind() == reflect.Struct && !own(f.Type()):
			fields = append(fields, parts(f)...)
		}
	}
	return fields
}

// heldBy writes out what types the fields of interface type hold.
func heldBy(m fwopt.Method) (types string) {
	for _, f := range parts(reflect.ValueOf(m).Elem()) {
		types += fmt.Sprintf("%T ", f.Interface())
	}
	return types
}

// functions tells the functions in the fields of a method, and in what its fields of
// interface type hold, from others, those of one literal with other variables too.
func functions(m fwopt.Method) []uintptr {
	ids := []uintptr{}
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		c := reflect.New(v.Type()).Elem() // to have an address
		c.Set(v)
		switch c.Kind() {
		case reflect.Func:
			ids = append(ids, *(*uintptr)(c.Addr().UnsafePointer()))
		case reflect.Struct:
			for i := range c.NumField() {
				if f := c.Field(i); f.CanInterface() && f.Kind() != reflect.Interface {
					visit(f)
				}
			}
		}
	}
	v := reflect.ValueOf(m).Elem()
	visit(v)
	for _, f := range parts(v) {
		if held := f.Elem(); held.Kind() == reflect.Pointer && !held.IsNil() {
			visit(held.Elem())
		} else if held.IsValid() {
			visit(held)
		}
	}
	return ids
}

func encodeState(m fwopt.Method) ([]byte, error) {
	c := reflect.New(reflect.TypeOf(m).Elem())
	c.Elem().Set(reflect.ValueOf(m).Elem())
	var s saved
	for _, f := range parts(c.Elem()) {
		p := part{}
		if !f.IsNil() {
			p.Type = f.Elem().Type().String()
			if !empty(f.Elem()) {
				var err error
				if p.Value, err = encode(f.Interface()); err != nil {
					return nil, err
				}
			}
		}
		s.Parts = append(s.Parts, p)
		f.SetZero()
	}
	var err error
	if s.Method, err = encode(c.Interface()); err != nil {
		return nil, err
	}
	return encode(s)
}

// empty reports whether gob would find nothing to write.
func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return true
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || own(v.Type()) {
		return false
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Func {
			return false
		}
	}
	return true
}

func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(x)
	return b.Bytes(), err
}

func decode(b []byte, x any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(x) }

// decodeState gives m the state that was encoded. What gob leaves out is zero. A field
// of interface type must hold the type that it held then.
func decodeState(m fwopt.Method, state []byte) (err error) {
	defer func() {
		if r := recover(); r != nil { // in an encoding of one's own
			err = fmt.Errorf("decoding panics: %v", r)
		}
	}()
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return errors.New("not a pointer to a struct")
	}
	var s saved
	if err := decode(state, &s); err != nil {
		return err
	}
	fields := parts(v.Elem())
	if len(fields) != len(s.Parts) {
		return fmt.Errorf("it has %d fields of interface type, the state %d", len(fields), len(s.Parts))
	}
	was := make([]reflect.Value, len(fields))
	for i, f := range fields {
		was[i] = reflect.ValueOf(f.Interface())
	}
	forget(v.Elem())
	if err := decode(s.Method, m); err != nil {
		return err
	}
	for i, f := range fields {
		if p := s.Parts[i]; p.Type != "" {
			if !was[i].IsValid() || was[i].Type().String() != p.Type {
				return fmt.Errorf("a field of type %v held a %s: set it where the method is made", f.Type(), p.Type)
			}
			if was[i], err = renewed(was[i], p.Value); err != nil {
				return err
			}
			f.Set(was[i])
		}
	}
	return nil
}

// renewed returns a copy of what an interface holds, with the functions of old and the
// state that was encoded.
func renewed(old reflect.Value, state []byte) (reflect.Value, error) {
	t, pointer := old.Type(), old.Kind() == reflect.Pointer
	if pointer {
		if old.IsNil() {
			return old, nil
		}
		t, old = t.Elem(), old.Elem()
	}
	v := reflect.New(t)
	v.Elem().Set(old)
	forget(v.Elem())
	if state != nil {
		if err := decode(state, v.Interface()); err != nil {
			return v, err
		}
	}
	if !pointer {
		v = v.Elem()
	}
	return v, nil
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
func twin(m fwopt.Method, state []byte) (fwopt.Method, error) {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	t := v.Interface().(fwopt.Method)
	return t, decodeState(t, state)
}
