package fwopt

import (
	"bytes"
	"encoding/gob"
	"math/rand/v2"
	"testing"
)

func TestWarmGob(t *testing.T) {
	type state struct {
		Steps int
		Warm  Warm
	}
	a := state{7, Warm{V: []float64{1, 2.5}, RNG: *rand.NewPCG(3, 4)}}
	a.Warm.RNG.Uint64()
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&a); err != nil {
		t.Fatal(err)
	}
	var b state
	if err := gob.NewDecoder(&buf).Decode(&b); err != nil {
		t.Fatal(err)
	}
	if b.Steps != 7 || len(b.Warm.V) != 2 || b.Warm.V[1] != 2.5 {
		t.Fatalf("got %+v, want %+v", b, a)
	}
	for range 10 {
		if x, y := a.Warm.RNG.Uint64(), b.Warm.RNG.Uint64(); x != y {
			t.Fatalf("the random numbers go on with %x, want %x", y, x)
		}
	}
}
