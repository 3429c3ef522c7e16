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
	ends   map[uint64]*reader       // of those; nil until it comes, perhaps while an inner one is waited for
}

func newParent(in io.Reader, out io.Writer, fail func(string)) *parent {
	return &parent{in: in, out: out, fail: fail, funcs: map[uint64]reflect.Value{},
		ends: map[uint64]*reader{}}
}

// A Stub stands for a function of the child.
type Stub struct {
	F    any   // points to a func variable
	Back []int // parameters whose changes come back; others are safe from a solution
}

// Check is the main function of the parent: it sets the variables of the stubs, runs the check that the
// command line names, and sends the word that came on stdin to descriptor 5. An exit without the word is no
// pass.
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
	v.Set(reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		results, err := p.call(name, v.Type(), args, s.Back)
		if err != nil {
			p.fail(fmt.Sprintf("%s: %v", name, err))
		}
		return results
	}))
}

func (p *parent) call(name string, t reflect.Type, args []reflect.Value, back []int) (
	[]reflect.Value, error) {
	p.number++
	id := p.number
	b := put(putUint([]byte{call}, id), reflect.ValueOf(name))
	for _, v := range args {
		switch {
		case v.Kind() != reflect.Func:
			b = put(b, v)
		case v.IsNil():
			b = putUint(b, none)
		default:
			p.number++
			n := p.number
			p.funcs[n] = v
			defer delete(p.funcs, n)
			b = putUint(b, n)
		}
	}
	if err := p.send(b); err != nil {
		return nil, err
	}
	p.ends[id] = nil
	defer delete(p.ends, id)
	for p.ends[id] == nil {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	r := p.ends[id]
	if r.kind == failed {
		return nil, errors.New(r.string())
	}
	return r.outcome(t, args, func(i int) bool { return slices.Contains(back, i) })
}

func (p *parent) send(b []byte) error {
	if err := send(p.out, b); err != nil {
		return fmt.Errorf("the solution's program does not listen: %w", err)
	}
	return nil
}

// next takes a frame: it calls a func argument, or it keeps the end of a call.
func (p *parent) next() error {
	r, err := receive(p.in)
	if p.frames++; p.frames > maxFrames {
		return fmt.Errorf("more than %d calls back", maxFrames)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the solution's program ended before the function returned (a panic in a " +
			"goroutine, out of memory, or os.Exit)")
	}
	if err != nil {
		return err
	}
	if r.kind == call {
		return p.callback(r)
	}
	if e, ok := p.ends[r.number]; !ok || e != nil || r.kind != result && r.kind != failed {
		return errFrame
	}
	p.ends[r.number] = r
	return nil
}

// callback calls a func argument for the child.
func (p *parent) callback(r *reader) error {
	f, ok := p.funcs[r.uint()]
	if !ok {
		return errors.New("a func argument was called after the function that it was given to had " +
			"returned (a goroutine left behind?)")
	}
	a := r.arguments(f.Type(), nil)
	if r.err != nil || len(r.b) > 0 {
		return errFrame
	}
	return p.send(putOutcome(putUint([]byte{result}, r.number), f.Call(a.values), a))
}
