package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

// pair is both ends in one program; a failed call panics with its text.
func pair(t testing.TB, funcs map[string]any) *parent {
	t.Helper()
	down, toChild := io.Pipe()
	fromChild, up := io.Pipe()
	c := &child{funcs: map[string]reflect.Value{}, waiting: map[uint64]chan *reader{}, out: up}
	for name, f := range funcs {
		c.funcs[name] = reflect.ValueOf(f)
	}
	go c.serve(down)
	t.Cleanup(func() { toChild.Close() })
	return newParent(fromChild, toChild, func(text string) { panic(fault(text)) })
}

// bind is the function of this name, as the parent calls it.
func bind[F any](p *parent, name string, back ...int) F {
	var f F
	p.bind(name, Stub{&f, back})
	return f
}

type fault string

// failure is the text that a call fails with.
func failure(call func()) (text fault) {
	defer func() {
		e := recover()
		if text, _ = e.(fault); e != nil && text == "" {
			panic(e)
		}
	}()
	call()
	return ""
}

func TestValues(t *testing.T) {
	for _, v := range []any{
		true, false, -3, math.MinInt, uint64(math.MaxUint64), math.NaN(), math.Inf(-1), math.Copysign(0, -1),
		"", "ä\x00",
		[]int(nil), []int{}, []int{1, -2}, []float64(nil), []float64{}, []float64{1, math.Pi},
		[][]float64(nil), [][]float64{}, [][]float64{nil, {}, {1}, {2, 3}},
	} {
		b := put(nil, reflect.ValueOf(v))
		r := &reader{b: b}
		got := r.value(reflect.TypeOf(v))
		if r.err != nil || len(r.b) > 0 || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", v) {
			t.Errorf("%#v came as %#v, %v", v, got, r.err)
		}
		for n := range b {
			r := &reader{b: b[:n]}
			if r.value(reflect.TypeOf(v)); r.err == nil {
				t.Errorf("%#v: a frame of %d bytes passed", v, n)
			}
		}
	}
}

func TestCalls(t *testing.T) {
	p := pair(t, map[string]any{
		"many": func(b bool, n int, u uint64, f float64, s string) (string, []int) {
			return fmt.Sprint(b, n, u, f, s), []int{n, n}
		},
		"fill": func(dst, g []float64, w [][]float64) {
			for i := range dst {
				dst[i] = 2 * g[i]
			}
			clear(g)
			w[0][0], w[1] = 7, []float64{8, 9}
		},
		"alias": func(dst []float64, f func(dst, x []float64)) { f(dst, dst) },
		"sum": func(n int, f func(k int) float64) (s float64) {
			for k := range n {
				s += f(k)
			}
			return s
		},
		"together": func(n int, f func(k int) float64) (s float64) {
			c := make(chan float64)
			for k := range n {
				go func() { c <- f(k) }()
			}
			for range n {
				s += <-c
			}
			return s
		},
		"isnil": func(f func()) bool { return f == nil },
	})
	many := bind[func(bool, int, uint64, float64, string) (string, []int)](p, "many")
	fill := bind[func(dst, g []float64, w [][]float64)](p, "fill", 0, 2)
	alias := bind[func([]float64, func(dst, x []float64))](p, "alias", 0)
	sum := bind[func(int, func(int) float64) float64](p, "sum")
	together := bind[func(int, func(int) float64) float64](p, "together")
	isnil := bind[func(func()) bool](p, "isnil")

	if s, n := many(true, -1, 2, 0.5, "x"); s != "true -1 2 0.5x" || len(n) != 2 || n[1] != -1 {
		t.Error(s, n)
	}
	dst, g, w := make([]float64, 2), []float64{1, 2}, [][]float64{{1}, {2}}
	fill(dst, g, w)
	if fmt.Sprint(dst, g, w) != "[2 4] [1 2] [[7] [8 9]]" {
		t.Error("fill:", dst, g, w, "g is not for it to change")
	}
	// One slice as two arguments: what the func wrote into the first must not be undone by the second.
	alias(dst, func(dst, x []float64) { dst[0] = x[1] + 1 })
	if dst[0] != 5 {
		t.Error("alias:", dst)
	}
	square := func(k int) float64 { return float64(k * k) }
	if s := sum(11, square); s != 385 {
		t.Error("sum:", s)
	}
	if s := together(11, square); s != 385 {
		t.Error("together:", s)
	}
	// A function of the child as a func argument, and one inside another.
	inner := func(k int) float64 { return sum(k, func(int) float64 { return 1 }) }
	if s := together(5, inner); s != 10 {
		t.Error("nested:", s)
	}
	if !isnil(nil) || isnil(func() {}) {
		t.Error("a nil func did not come as nil")
	}
	if len(p.funcs) != 0 {
		t.Error("funcs left behind:", p.funcs)
	}
}

// What a solution can do to a call.
func TestFailures(t *testing.T) {
	var kept func()
	p := pair(t, map[string]any{
		"panics":  func() { panic("there") },
		"keeps":   func(f func()) { kept = f },
		"returns": func(f func()) { kept() },
	})
	keeps, returns := bind[func(func())](p, "keeps"), bind[func(func())](p, "returns")
	if text := failure(bind[func()](p, "panics")); text != "panics: panic: there" {
		t.Error(text)
	}
	keeps(func() { t.Error("called") })
	if text := failure(func() { returns(func() {}) }); !strings.Contains(string(text), "had returned") {
		t.Error(text)
	}
	long := bind[func([]float64)](p, "long")
	if text := failure(func() { long(make([]float64, 1<<22)) }); !strings.Contains(string(text),
		"bytes in one call") {
		t.Error(text)
	}
	defer func() {
		if e := recover(); !strings.Contains(fmt.Sprint(e), "cannot cross") {
			t.Error(e)
		}
	}()
	put(nil, reflect.ValueOf(struct{ _ any }{}))
}

// Frames that no solution sends end the call.
func TestHostile(t *testing.T) {
	frame := func(b ...[]byte) []byte {
		var all []byte
		for _, b := range b {
			all = append(all, b...)
		}
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(all))), all...)
	}
	one, three := putUint(nil, 1), put(nil, reflect.ValueOf(3.0))
	dst := func(i uint64, v any) []byte { return put(putUint(nil, i), reflect.ValueOf(v)) }
	good := frame([]byte{result}, one, three)
	for name, bytes := range map[string][]byte{
		"":                        good,
		"nothing":                 nil,
		"half a frame":            good[:9],
		"no bytes":                frame(),
		"too many bytes":          {0xff, 0xff, 0xff, 0xff, 1},
		"another kind":            frame([]byte{'?'}, one),
		"another call's result":   frame([]byte{result}, putUint(nil, 2), three),
		"no result":               frame([]byte{result}, one),
		"too long a slice":        frame([]byte{result}, one, three, dst(0, []float64{1, 2, 3})),
		"a slice of 2^60":         frame([]byte{result}, one, three, putUint(putUint(nil, 0), 1<<60)),
		"no such argument":        frame([]byte{result}, one, three, dst(1<<40, []float64{1, 2})),
		"an argument of no slice": frame([]byte{result}, one, three, dst(1, 4)),
		"no such func":            frame([]byte{call}, one, putUint(nil, 77)),
		"a call's rest":           frame([]byte{call}, one, putUint(nil, 2), dst(5, 5)),
		"another call's failure":  frame([]byte{failed}, putUint(nil, 9), put(nil, reflect.ValueOf("x"))),
	} {
		p := newParent(strings.NewReader(string(bytes)), io.Discard, func(text string) { panic(fault(text)) })
		f, x := bind[func(dst []float64, n int, f func()) float64](p, "f", 0), 0.0
		if text := failure(func() { x = f(make([]float64, 2), 1, func() {}) }); text == "" &&
			(name != "" || x != 3) {
			t.Errorf("%s: passed, with %g", name, x)
		}
	}
}

// No bytes make the parent do anything but fail or go on.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x11\x00\x00\x00r\x01\x00\x00\x00\x00\x00\x00\x0012345678"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := newParent(strings.NewReader(string(b)), io.Discard, func(text string) { panic(fault(text)) })
		f := bind[func([][]float64, []int, string, func([][]float64) string) ([][]float64, bool)](p, "f", 0,
			1)
		failure(func() { f([][]float64{{1}, nil}, []int{1}, "x", func(w [][]float64) string { return "y" }) })
	})
}

func BenchmarkCallback(b *testing.B) {
	p := pair(b, map[string]any{"sum": func(n int, f func(g []float64)) {
		g := make([]float64, 64)
		for range n {
			f(g)
		}
	}})
	bind[func(int, func([]float64))](p, "sum")(b.N, func(g []float64) { g[0]++ })
}
