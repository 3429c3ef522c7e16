package fwkeep

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/hash"
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
	w.visit(v.Elem(), "", false)
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

// A walker goes through all that a method holds, and finds what gob would not
// restore. Of values behind a pointer or an interface gob makes new ones, without
// functions.
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

// visit looks at v and what is in it: fields, elements, a zero one where there is
// none, and what pointers and interfaces hold.
func (w *walker) visit(v reflect.Value, path string, behind bool) {
	t := v.Type()
	switch k := t.Kind(); {
	case w.what != "":
		return
	case !v.CanInterface():
		w.lose(path, "which is unexported: export it (of a type of another package, keep its value), make it a local variable of Steps if it is scratch space")
	case k == reflect.Func && behind:
		w.lose(path, "a function behind a pointer, slice, map or interface: make it a field of the method itself")
	case k == reflect.Chan || k == reflect.UnsafePointer:
		w.lose(path, "which is a "+k.String()+": keep what it stands for")
	case own(t):
	case k == reflect.Struct:
		for i := range t.NumField() {
			w.visit(v.Field(i), strings.TrimPrefix(path+"."+t.Field(i).Name, "."), behind)
		}
	case k == reflect.Interface:
		if !v.IsNil() {
			w.visit(v.Elem(), path, true)
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
			w.visit(v.Elem(), path, true)
			delete(w.path, p)
		}
	case k == reflect.Slice || k == reflect.Array || k == reflect.Map:
		if number(t.Elem()) {
			return
		}
		w.zero(t.Elem(), path)
		if k == reflect.Map {
			for i := v.MapRange(); i.Next(); {
				w.visit(i.Value(), path, true)
			}
			return
		}
		for i := range v.Len() {
			w.visit(v.Index(i), path, true)
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
		w.visit(reflect.New(t).Elem(), path, true)
	}
}

func number(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String }

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

// digest is a hash of all that v holds but functions: names and types of fields, the
// bits of numbers, nil apart from empty, and which slices, maps and pointers share
// memory.
func digest(v reflect.Value) uint64 {
	seen := map[uintptr]uint64{}
	var slots [][2]uintptr // the memory of slices
	var of func(h uint64, v reflect.Value) uint64
	of = func(h uint64, v reflect.Value) uint64 {
		t := v.Type()
		switch k := t.Kind(); k {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			if v.IsNil() {
				return hash.Mix(h, 'n')
			}
			if p := v.Pointer(); k != reflect.Slice || v.Cap() > 0 {
				if n, ok := seen[p]; ok {
					return hash.Mix(h, 'a', n, uint64(k))
				}
				seen[p] = uint64(len(seen))
			}
			if k == reflect.Slice && v.Len() > 0 {
				slots = append(slots, [2]uintptr{v.Pointer(), v.Pointer() + uintptr(v.Len())*t.Elem().Size()})
			}
		}
		switch k := t.Kind(); k {
		case reflect.Func:
		case reflect.Bool:
			if v.Bool() {
				h = hash.Mix(h, 1)
			}
			h = hash.Mix(h, 'b')
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			h = hash.Mix(h, uint64(v.Int()))
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			h = hash.Mix(h, v.Uint())
		case reflect.Float32, reflect.Float64:
			h = hash.Mix(h, math.Float64bits(v.Float()))
		case reflect.Complex64, reflect.Complex128:
			h = hash.Mix(h, math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex())))
		case reflect.String:
			h = hash.Text(h, v.String())
		case reflect.Struct:
			for i := range t.NumField() {
				h = of(hash.Text(h, t.Field(i).Name+" "+t.Field(i).Type.String()), v.Field(i))
			}
		case reflect.Pointer:
			h = of(hash.Mix(h, 'p'), v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				return hash.Mix(h, 'n')
			}
			h = of(hash.Text(h, v.Elem().Type().String()), v.Elem())
		case reflect.Slice, reflect.Array:
			h = hash.Mix(h, uint64(v.Len()))
			if x, ok := floats64(v); ok { // most of what there is
				return hash.Mix(h, hash.Floats(x))
			}
			for i := range v.Len() {
				h = of(h, v.Index(i))
			}
		case reflect.Map:
			sum := uint64(0) // in any order
			for i := v.MapRange(); i.Next(); {
				sum += of(of(0, i.Key()), i.Value())
			}
			h = hash.Mix(h, uint64(v.Len()), sum)
		}
		return h
	}
	h := of(hash.Text(0, v.Type().String()), v)
	slices.SortFunc(slots, func(a, b [2]uintptr) int { return cmp.Compare(a[0], b[0]) })
	for i := 1; i < len(slots); i++ {
		if slots[i-1][1] > slots[i][0] {
			h = hash.Mix(h, 'o', uint64(i))
		}
	}
	return h
}

// floats64 returns v as a []float64 if it is one that may be read so.
func floats64(v reflect.Value) ([]float64, bool) {
	if v.Type() != reflect.TypeFor[[]float64]() || !v.CanInterface() {
		return nil, false
	}
	return v.Interface().([]float64), true
}

func encodeState(m fwopt.Method) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(m)
	return b.Bytes(), err
}

// decodeState gives m the state that was encoded. What gob leaves out is zero.
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
	forget(v.Elem())
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
func twin(m fwopt.Method, state []byte) (fwopt.Method, error) {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	t := v.Interface().(fwopt.Method)
	return t, decodeState(t, state)
}
