// Package wire links two programs by a pair of pipes: the parent, which checks,
// calls functions of the child, which has a student's solution. Arguments and
// results are copied; what a function changed in a slice argument is copied
// back. A func argument stays in the parent, and the child calls it there.
//
// The parent takes every frame for hostile: a child can end it with a message,
// but has no say in what it finds. fwgrade puts this file into the programs
// that it builds, so it needs nothing but the standard library.
package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Frames of one check, from the child: 16 MiB each, four million.
const (
	maxFrame  = 1 << 24
	maxFrames = 1 << 22
)

// Kinds of frames.
const (
	call     = 'c' // number, function, arguments
	result   = 'r' // number of the call, results, changed arguments
	failed   = 'f' // number of the call, text
	callback = 'b' // number, number of the func argument, arguments
	answer   = 'a' // number of the callback, results, changed arguments
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

var errFrame = errors.New("a frame that no solution sends")

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

func send(w io.Writer, b []byte) error {
	if len(b) > maxFrame {
		return fmt.Errorf("%d bytes in one call, more than %d", len(b), maxFrame)
	}
	_, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

func receive(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > maxFrame {
		return nil, errFrame
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return b, err
}

// parent is the checking end.
type parent struct {
	in     io.Reader
	out    io.Writer
	fail   func(text string) // does not return
	frames int
	number uint64                   // of the newest call or func argument
	funcs  map[uint64]reflect.Value // func arguments of the calls under way
	calls  map[uint64][]byte        // calls under way; with the frame that ends one, if it came while an inner one was waited for
}

func newParent(in io.Reader, out io.Writer, fail func(string)) *parent {
	return &parent{in: in, out: out, fail: fail, funcs: map[uint64]reflect.Value{}, calls: map[uint64][]byte{}}
}

// A Stub stands for a function of the child.
type Stub struct {
	F    any   // points to a func variable
	Back []int // parameters whose changes come back; others are safe from a solution
}

// Check is the main function of the parent: it sets the variables of the stubs, runs the check that the command line names, and sends the word
// that came on stdin to descriptor 5. An exit without the word is no pass.
func Check(checks map[string]func(), stubs map[string]Stub) {
	word, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	p := newParent(bufio.NewReader(os.NewFile(3, "child")), os.NewFile(4, "child"), func(text string) {
		fmt.Println(text)
		os.Exit(1)
	})
	for name, s := range stubs {
		p.bind(name, s)
	}
	checks[os.Args[1]]()
	if _, err := os.NewFile(5, "verdict").Write(word); err != nil {
		panic(err)
	}
}

func (p *parent) bind(name string, s Stub) {
	v := reflect.ValueOf(s.F).Elem()
	check(v.Type(), true)
	v.Set(reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value { return p.call(name, v.Type(), args, s.Back) }))
}

func (p *parent) call(name string, t reflect.Type, args []reflect.Value, back []int) []reflect.Value {
	p.number++
	id := p.number
	b := putUint([]byte{call}, id)
	b = put(b, reflect.ValueOf(name))
	for _, v := range args {
		if v.Kind() != reflect.Func {
			b = put(b, v)
			continue
		}
		n := uint64(none)
		if !v.IsNil() {
			p.number++
			n = p.number
			p.funcs[n] = v
			defer delete(p.funcs, n)
		}
		b = putUint(b, n)
	}
	if err := send(p.out, b); err != nil {
		p.fail(fmt.Sprintf("%s: the solution's program does not listen: %v", name, err))
	}
	p.calls[id] = nil
	defer delete(p.calls, id)
	for p.calls[id] == nil {
		if err := p.next(); err != nil {
			p.fail(fmt.Sprintf("%s: %v", name, err))
		}
	}
	frame := p.calls[id]
	r := &reader{b: frame[9:]}
	if frame[0] == failed {
		p.fail(name + ": " + r.string())
	}
	results := r.outcome(t, args, func(i int) bool { return slices.Contains(back, i) })
	if r.err != nil {
		p.fail(fmt.Sprintf("%s: %v", name, r.err))
	}
	return results
}

// next takes a frame: it calls back, or it keeps the end of a call.
func (p *parent) next() error {
	frame, err := receive(p.in)
	if p.frames++; p.frames > maxFrames {
		return fmt.Errorf("more than %d calls back", maxFrames)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the solution's program ended before the function returned (a panic in a goroutine, out of memory, or os.Exit)")
	}
	if err != nil {
		return err
	}
	r := &reader{b: frame[1:]}
	n := r.uint()
	if r.err != nil {
		return r.err
	}
	switch frame[0] {
	case callback:
		return p.callback(n, r)
	case result, failed:
		if end, ok := p.calls[n]; ok && end == nil {
			p.calls[n] = frame
			return nil
		}
	}
	return errFrame
}

// callback calls a func argument for the child.
func (p *parent) callback(n uint64, r *reader) error {
	f, ok := p.funcs[r.uint()]
	if !ok {
		return errors.New("a func argument was called after the function that it was given to had returned (a goroutine left behind?)")
	}
	a := r.arguments(f.Type(), nil)
	if r.err != nil || len(r.b) > 0 {
		return errFrame
	}
	results := f.Call(a.values)
	if err := send(p.out, putOutcome(putUint([]byte{answer}, n), results, a)); err != nil {
		return fmt.Errorf("the solution's program does not listen: %w", err)
	}
	return nil
}

// child is the solution's end.
type child struct {
	funcs   map[string]reflect.Value
	mu      sync.Mutex // of what follows, and of writing
	out     io.Writer
	number  uint64
	waiting map[uint64]chan *reader
}

var solution = child{funcs: map[string]reflect.Value{}, waiting: map[uint64]chan *reader{}}

// Function adds a function of the solution. They come one at a time, so that the
// program around it uses no name that a solution may have given another meaning.
func Function(name string, f any) { solution.funcs[name] = reflect.ValueOf(f) }

// Serve is the main function of the child: it answers until the parent is gone.
func Serve() {
	solution.out = os.NewFile(4, "parent")
	solution.serve(bufio.NewReader(os.NewFile(3, "parent")))
}

func (c *child) serve(in io.Reader) {
	for {
		frame, err := receive(in)
		if err != nil {
			return
		}
		r := &reader{b: frame[1:]}
		n := r.uint()
		if frame[0] == call {
			go c.run(n, r)
			continue
		}
		c.mu.Lock()
		done := c.waiting[n]
		delete(c.waiting, n)
		c.mu.Unlock()
		done <- r
	}
}

func (c *child) send(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := send(c.out, b); err != nil {
		panic(fmt.Sprintf("the answer did not reach the check: %v", err))
	}
}

func (c *child) run(id uint64, r *reader) {
	name, returned := r.string(), false
	defer func() {
		if returned {
			return
		}
		text := "ended its goroutine"
		if e := recover(); e != nil {
			text = fmt.Sprintf("panic: %v%s", e, where())
		}
		c.send(put(putUint([]byte{failed}, id), reflect.ValueOf(text[:min(len(text), 4096)])))
	}()
	f := c.funcs[name]
	a := r.arguments(f.Type(), c.function)
	results := f.Call(a.values)
	c.send(putOutcome(putUint([]byte{result}, id), results, a))
	returned = true
}

// where is the line of a cell that a panic came from, if any. Cells are files without an ending.
func where() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	for {
		f, more := frames.Next()
		if base := filepath.Base(f.File); base != "." && !strings.Contains(base, ".") {
			return fmt.Sprintf(" (%s, line %d)", base, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// function is a func argument as the solution sees it.
func (c *child) function(n uint64, t reflect.Type) reflect.Value {
	if n == none {
		return reflect.Zero(t)
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		done := make(chan *reader, 1)
		c.mu.Lock()
		c.number++
		seq := c.number
		c.waiting[seq] = done
		c.mu.Unlock()
		b := putUint(putUint([]byte{callback}, seq), n)
		for _, v := range args {
			b = put(b, v)
		}
		c.send(b)
		r := <-done
		results := r.outcome(t, args, func(int) bool { return true })
		if r.err != nil {
			panic(r.err)
		}
		return results
	})
}
