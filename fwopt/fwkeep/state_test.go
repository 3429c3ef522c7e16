package fwkeep

import (
	"math"
	"reflect"
	"testing"
)

// What must not have one digest, and what must.
func TestDigest(t *testing.T) {
	of := func(x any) uint64 { return digest(reflect.ValueOf(x)) }
	type f struct {
		A, B []float64
		G    func()
	}
	w := []float64{1, 2, 3}
	seen := map[uint64]int{}
	for i, x := range []any{
		f{}, f{A: w}, f{B: w}, f{A: []float64{}}, f{A: w, B: w}, f{A: w, B: w[1:]}, f{A: w, B: []float64{1, 2, 3}}, f{A: w[:2]},
		struct{ V []float64 }{w}, struct{ U []float64 }{w}, struct{ V []float32 }{[]float32{1, 2, 3}},
		0.0, math.Copysign(0, -1), math.NaN(), 1, -1, uint8(1), true, false, "", "a", 1i,
		new(float64), (*float64)(nil), []any{1, "a"}, []any{"a", 1}, [2]int{1, 2}, [2]int{2, 1},
		map[string]int{"a": 1, "b": 2}, map[string]int{"a": 2, "b": 1},
	} {
		if j, ok := seen[of(x)]; ok {
			t.Errorf("number %d and number %d have one digest", i, j)
		}
		seen[of(x)] = i
	}
	for range 20 {
		if of(map[string]int{"a": 1, "b": 2, "c": 3}) != of(map[string]int{"c": 3, "b": 2, "a": 1}) {
			t.Fatal("the order of a map counts")
		}
	}
	if of(f{A: w, G: func() {}}) != of(f{A: []float64{1, 2, 3}}) {
		t.Error("a function counts, or where a vector lies")
	}
}
