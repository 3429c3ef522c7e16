package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

var types = map[reflect.Type]bool{
	reflect.TypeFor[bool](): true, reflect.TypeFor[int](): true, reflect.TypeFor[uint64](): true,
	reflect.TypeFor[float64](): true, reflect.TypeFor[string](): true,
	reflect.TypeFor[[]int](): true, reflect.TypeFor[[]float64](): true, reflect.TypeFor[[][]float64](): true,
}

// check panics unless arguments and results of t can cross.
func check(t reflect.Type, funcs bool) {
	for i := range t.NumIn() {
		p := t.In(i)
		if p.Kind() == reflect.Func && funcs {
			check(p, false)
		} else if !types[p] || t.IsVariadic() {
			panic(fmt.Sprintf("wire: a parameter of type %v cannot cross", p))
		}
	}
	for i := range t.NumOut() {
		if r := t.Out(i); !types[r] {
			panic(fmt.Sprintf("wire: a result of type %v cannot cross", r))
		}
	}
}

const none = math.MaxUint64 // the length of a nil slice, the number of a nil func

func putUint(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

func putLen(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return putUint(b, none)
	}
	return putUint(b, uint64(v.Len()))
}

func put(b []byte, v reflect.Value) []byte {
	switch x := v.Interface().(type) {
	case bool:
		if x {
			return append(b, 1)
		}
		return append(b, 0)
	case int:
		return putUint(b, uint64(x))
	case uint64:
		return putUint(b, x)
	case float64:
		return putUint(b, math.Float64bits(x))
	case string:
		return append(putUint(b, uint64(len(x))), x...)
	case []int:
		b = putLen(b, v)
		for _, n := range x {
			b = putUint(b, uint64(n))
		}
		return b
	case []float64:
		b = putLen(b, v)
		for _, f := range x {
			b = putUint(b, math.Float64bits(f))
		}
		return b
	case [][]float64:
		b = putLen(b, v)
		for i := range x {
			b = put(b, v.Index(i))
		}
		return b
	}
	panic(fmt.Sprintf("wire: a value of type %v cannot cross", v.Type()))
}

// reader takes a frame apart. After an error it gives zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err, r.b = errFrame, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) uint() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// len is a length whose elements, of at least 8 bytes, are all in the frame.
func (r *reader) len() (n int, isNil bool) {
	u := r.uint()
	if u == none {
		return 0, true
	}
	if u > uint64(len(r.b)/8) {
		r.err, r.b = errFrame, nil
		return 0, false
	}
	return int(u), false
}

func (r *reader) floats() []float64 {
	n, isNil := r.len()
	if isNil {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Float64frombits(r.uint())
	}
	return x
}

func (r *reader) string() string { return string(r.take(r.uint())) }

func (r *reader) get(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[bool]():
		b := r.take(1)
		return reflect.ValueOf(b != nil && b[0] != 0)
	case reflect.TypeFor[int]():
		return reflect.ValueOf(int(r.uint()))
	case reflect.TypeFor[uint64]():
		return reflect.ValueOf(r.uint())
	case reflect.TypeFor[float64]():
		return reflect.ValueOf(math.Float64frombits(r.uint()))
	case reflect.TypeFor[string]():
		return reflect.ValueOf(r.string())
	case reflect.TypeFor[[]float64]():
		return reflect.ValueOf(r.floats())
	case reflect.TypeFor[[]int]():
		n, isNil := r.len()
		if isNil {
			return reflect.Zero(t)
		}
		x := make([]int, n)
		for i := range x {
			x[i] = int(r.uint())
		}
		return reflect.ValueOf(x)
	case reflect.TypeFor[[][]float64]():
		n, isNil := r.len()
		if isNil {
			return reflect.Zero(t)
		}
		x := make([][]float64, n)
		for i := range x {
			x[i] = r.floats()
		}
		return reflect.ValueOf(x)
	}
	panic(fmt.Sprintf("wire: a value of type %v cannot cross", t))
}

// arguments are those of a call that came: their values, and the bytes they came as.
type arguments struct {
	values []reflect.Value
	came   [][]byte
}

func (r *reader) arguments(t reflect.Type, function func(n uint64, t reflect.Type) reflect.Value) (a arguments) {
	for i := range t.NumIn() {
		before, p := r.b, t.In(i)
		if p.Kind() == reflect.Func {
			a.values, a.came = append(a.values, function(r.uint(), p)), append(a.came, nil)
			continue
		}
		v := r.get(p)
		a.values, a.came = append(a.values, v), append(a.came, before[:len(before)-len(r.b)])
	}
	return a
}

// putOutcome puts results and changed arguments. An argument that was not
// changed does not go back: the caller may have passed one slice twice.
func putOutcome(b []byte, results []reflect.Value, a arguments) []byte {
	for _, v := range results {
		b = put(b, v)
	}
	for i, v := range a.values {
		if v.Kind() != reflect.Slice {
			continue
		}
		if now := put(nil, v); !bytes.Equal(now, a.came[i]) {
			b = append(putUint(b, uint64(i)), now...)
		}
	}
	return b
}

// outcome is the other side of putOutcome; back says which changes to take.
func (r *reader) outcome(t reflect.Type, args []reflect.Value, back func(i int) bool) (results []reflect.Value) {
	for i := range t.NumOut() {
		results = append(results, r.get(t.Out(i)))
	}
	for len(r.b) > 0 {
		i := r.uint()
		if i >= uint64(len(args)) || args[i].Kind() != reflect.Slice {
			r.err = errFrame
			break
		}
		v := r.get(args[i].Type())
		if r.err != nil || v.Len() != args[i].Len() {
			r.err = errFrame
			break
		}
		if !back(int(i)) {
			continue
		}
		rows, ok := args[i].Interface().([][]float64)
		if !ok {
			reflect.Copy(args[i], v)
			continue
		}
		for k, row := range v.Interface().([][]float64) {
			if len(row) == len(rows[k]) {
				copy(rows[k], row)
			} else {
				rows[k] = row
			}
		}
	}
	return results
}
