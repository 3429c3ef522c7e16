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
	writing sync.Mutex // not mu: who waits to write must not keep an answer from being read
	out     io.Writer
	mu      sync.Mutex // of what follows
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
		r, err := receive(in)
		if err != nil {
			return
		}
		if r.kind == call {
			go c.run(r)
			continue
		}
		c.mu.Lock()
		done := c.waiting[r.number]
		delete(c.waiting, r.number)
		c.mu.Unlock()
		done <- r
	}
}

func (c *child) send(b []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := send(c.out, b); err != nil {
		panic(fmt.Sprintf("the answer did not reach the check: %v", err))
	}
}

func (c *child) run(r *reader) {
	name, returned := r.string(), false
	defer func() {
		if returned {
			return
		}
		text := "ended its goroutine"
		if e := recover(); e != nil {
			text = fmt.Sprintf("panic: %v%s", e, where())
		}
		c.send(put(putUint([]byte{failed}, r.number), reflect.ValueOf(text[:min(len(text), 4096)])))
	}()
	f := c.funcs[name]
	a := r.arguments(f.Type(), c.function)
	results := f.Call(a.values)
	c.send(putOutcome(putUint([]byte{result}, r.number), results, a))
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
		b := putUint(putUint([]byte{call}, seq), n)
		for _, v := range args {
			b = put(b, v)
		}
		c.send(b)
		results, err := (<-done).outcome(t, args, func(int) bool { return true })
		if err != nil {
			panic(err)
		}
		return results
	})
}
