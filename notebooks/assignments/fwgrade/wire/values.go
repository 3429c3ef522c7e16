package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

const none = math.MaxUint64 // the length of a nil slice, the number of a nil func

func putUint(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// put appends a value; lengths come first.
func put(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int:
		return putUint(b, uint64(v.Int()))
	case reflect.String:
		return append(putUint(b, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		if v.IsNil() {
			return putUint(b, none)
		}
		b = putUint(b, uint64(v.Len()))
		if v.Type().Elem().Kind() == reflect.Float64 {
			break // at once
		}
		for i := range v.Len() {
			b = put(b, v.Index(i))
		}
		return b
	}
	b, err := binary.Append(b, binary.LittleEndian, v.Interface())
	if err != nil {
		panic(fmt.Sprintf("wire: a value of type %v cannot cross", v.Type()))
	}
	return b
}

// reader takes a frame apart. After an error it gives zeros.
type reader struct {
	kind   byte
	number uint64
	b      []byte // the rest
	err    error
}

// take gives the next n bytes.
func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err, r.b, n = errFrame, nil, 0
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// fixed reads what x, a pointer or a slice, has room for.
func (r *reader) fixed(x any) { binary.Decode(r.take(uint64(binary.Size(x))), binary.LittleEndian, x) }

func (r *reader) uint() (x uint64) {
	r.fixed(&x)
	return x
}

func (r *reader) string() string { return string(r.take(r.uint())) }

// get fills a variable.
func (r *reader) get(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(int64(r.uint()))
	case reflect.String:
		v.SetString(r.string())
	case reflect.Slice:
		n := r.uint()
		if n == none {
			return
		}
		if n > uint64(len(r.b)/8) { // an element has at least 8 bytes
			r.err, r.b = errFrame, nil
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
		if v.Type().Elem().Kind() == reflect.Float64 {
			r.fixed(v.Interface())
			return
		}
		for i := range v.Len() {
			r.get(v.Index(i))
		}
	default:
		r.fixed(v.Addr().Interface())
	}
}

func (r *reader) value(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	r.get(v)
	return v
}

// arguments are those of a call that came: their values, and the bytes they came as.
type arguments struct {
	values []reflect.Value
	came   [][]byte
}

func (r *reader) arguments(t reflect.Type, function func(uint64, reflect.Type) reflect.Value) (a arguments) {
	for i := range t.NumIn() {
		p := t.In(i)
		before, v := r.b, reflect.Value{}
		if p.Kind() == reflect.Func {
			v = function(r.uint(), p)
		} else {
			v = r.value(p)
		}
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
func (r *reader) outcome(t reflect.Type, args []reflect.Value, back func(i int) bool) (
	[]reflect.Value, error) {
	var results []reflect.Value
	for i := range t.NumOut() {
		results = append(results, r.value(t.Out(i)))
	}
	for len(r.b) > 0 {
		i := r.uint()
		if i >= uint64(len(args)) || args[i].Kind() != reflect.Slice {
			return nil, errFrame
		}
		v := r.value(args[i].Type())
		if r.err != nil || v.Len() != args[i].Len() {
			return nil, errFrame
		}
		if !back(int(i)) {
			continue
		}
		rows, ok := args[i].Interface().([][]float64)
		if !ok {
			reflect.Copy(args[i], v)
		}
		for k := range rows {
			if row := v.Index(k); row.Len() == len(rows[k]) {
				reflect.Copy(reflect.ValueOf(rows[k]), row)
			} else {
				rows[k] = row.Interface().([]float64)
			}
		}
	}
	return results, r.err
}
