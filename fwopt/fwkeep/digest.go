package fwkeep

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

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
