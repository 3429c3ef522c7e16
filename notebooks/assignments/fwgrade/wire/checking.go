package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
)

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
