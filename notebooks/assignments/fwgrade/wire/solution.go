package wire

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

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
