package fwkeep

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
)

// The state of a method is its exported fields, of numbers, texts, slices and structs of these.
// Functions in it are schedules, and stay as they are; so does what a field of interface type
// holds, a step rule, but for the state of one that is a pointer.

// leaves returns the fields in which a struct has its state, and its own encoding in the place of
// fields where it has one. The error names the first field that a checkpoint would lose.
func leaves(v reflect.Value, path string) (state []reflect.Value, err error) {
	if t := v.Type(); own(t) {
		if i := slices.IndexFunc(reflect.VisibleFields(t),
			func(f reflect.StructField) bool { return f.Anonymous && own(f.Type) }); i >= 0 &&
			t.NumField() > 1 {
			return nil, lost(path+t.Field(i).Name,
				"whose encoding leaves out the other fields: name the field, in place of embedding it")
		}
		return []reflect.Value{v}, nil
	}
	for i := range v.NumField() {
		f, name := v.Field(i), path+v.Type().Field(i).Name
		var in []reflect.Value
		switch k := f.Kind(); {
		case !f.CanSet():
			err = lost(name, "which is unexported: export it, or make it a local variable, of Steps or of "+
				"a rule's Step, if it is scratch space")
		case k == reflect.Func:
		case k == reflect.Struct:
			in, err = leaves(f, name+".")
		case k == reflect.Interface:
			if held := f.Elem(); held.Kind() == reflect.Pointer && !held.IsNil() &&
				held.Elem().Kind() == reflect.Struct {
				in, err = leaves(held.Elem(), name+".")
			}
		default:
			in, err = []reflect.Value{f}, plain(f.Type(), name)
		}
		if err != nil {
			return nil, err
		}
		state = append(state, in...)
	}
	return state, nil
}

// plain returns an error where values of a type may hold what gob does not keep.
func plain(t reflect.Type, path string) error {
	switch k := t.Kind(); {
	case own(t) || k <= reflect.Complex128 && k != reflect.Uintptr || k == reflect.String:
		return nil
	case k == reflect.Slice || k == reflect.Array:
		return plain(t.Elem(), path)
	case k == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return lost(path+"."+f.Name, "which is unexported: export it")
			}
			if err := plain(f.Type, path+"."+f.Name); err != nil {
				return err
			}
		}
		return nil
	default:
		return lost(path, "a "+k.String()+
			": keep what it stands for as numbers, slices and structs in fields of the method itself")
	}
}

func lost(field, why string) error {
	return fmt.Errorf("would lose the field %s, %s, or use Run", field, why)
}

// own reports whether a type brings its own encoding.
func own(t reflect.Type) bool {
	return slices.ContainsFunc([]reflect.Type{t, reflect.PointerTo(t)}, func(t reflect.Type) bool {
		return t.Implements(reflect.TypeFor[gob.GobEncoder]()) ||
			t.Implements(reflect.TypeFor[encoding.BinaryMarshaler]())
	})
}

// leavesOf returns those of a method.
func leavesOf(m fwopt.Method) ([]reflect.Value, error) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("fwkeep: %T has no fields to keep its state in: make it a pointer to a "+
			"struct with its state in exported fields, or use Run", m)
	}
	state, err := leaves(v.Elem(), "")
	if err != nil {
		return nil, fmt.Errorf("fwkeep: a checkpoint of %T %w", m, err)
	}
	return state, nil
}

// encodeState writes the state of a method: which slices are nil, −1, or empty, 0, and then each other field.
func encodeState(m fwopt.Method) ([]byte, error) {
	state, err := leavesOf(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e, size := gob.NewEncoder(&b), make([]int, len(state))
	var memory [][2]uintptr
	for i, f := range state {
		if size[i] = 1; f.Kind() != reflect.Slice {
			continue
		}
		if size[i] = f.Len(); f.IsNil() {
			size[i] = -1
		}
		at, end := f.Pointer(), f.Pointer()+uintptr(f.Len())*f.Type().Elem().Size()
		if at < end && slices.ContainsFunc(memory, func(o [2]uintptr) bool {
			return at < o[1] && o[0] < end
		}) {
			return nil, fmt.Errorf("fwkeep: a checkpoint of %T would lose that two fields share memory: "+
				"keep one, and an index, or use Run", m)
		}
		memory = append(memory, [2]uintptr{at, end})
	}
	err = e.Encode(size)
	for i, f := range state {
		if size[i] > 0 && err == nil {
			err = e.EncodeValue(f)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("fwkeep: the state of %T cannot be saved (%w): keep it in exported fields, "+
			"as numbers, slices and structs, or use Run", m, err)
	}
	return b.Bytes(), nil
}

// decodeState gives a fresh m the state that was encoded.
func decodeState(m fwopt.Method, b []byte) error {
	state, err := leavesOf(m)
	d, size := gob.NewDecoder(bytes.NewReader(b)), make([]int, len(state))
	if err == nil {
		err = d.Decode(&size)
	}
	for i, f := range state {
		if f.SetZero(); size[i] > 0 && err == nil {
			err = d.DecodeValue(f.Addr())
		} else if size[i] == 0 && f.Kind() == reflect.Slice {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	return err
}

// held returns the fields of interface type, which hold rules.
func held(v reflect.Value) (fields []reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.CanSet():
		case f.Kind() == reflect.Struct && !own(f.Type()):
			fields = append(fields, held(f)...)
		case f.Kind() == reflect.Interface:
			fields = append(fields, f)
		}
	}
	return fields
}

// rules writes out the types of a method's rules and, of those that are no pointers, whose state
// leaves has, their values.
func rules(m fwopt.Method) (all string) {
	for _, f := range held(reflect.ValueOf(m).Elem()) {
		all += fmt.Sprintf("%T; ", f.Interface())
		if f.Elem().Kind() != reflect.Pointer {
			all += fmt.Sprintf("%+v; ", f.Interface())
		}
	}
	return all
}

// fresh returns a method as m is, with m's schedules, whose rules share no memory with m's.
func fresh(m fwopt.Method) fwopt.Method {
	c := reflect.New(reflect.TypeOf(m).Elem())
	c.Elem().Set(reflect.ValueOf(m).Elem())
	for _, f := range held(c.Elem()) {
		if rule := f.Elem(); rule.Kind() == reflect.Pointer && !rule.IsNil() {
			f.Set(reflect.New(rule.Type().Elem()))
			f.Elem().Elem().Set(rule.Elem())
		}
	}
	return c.Interface().(fwopt.Method)
}

// state returns the state of the method, if a fresh one can take it up.
func (k *keeper) state() ([]byte, error) {
	m := k.run.Method
	if was, now := rules(k.fresh), rules(m); was != now {
		return nil, fmt.Errorf("fwkeep: a checkpoint of %T would lose its rules, %q, which were %q when it "+
			"was fresh: set them where the method is made, or use Run", m, now, was)
	}
	return encodeState(m)
}
