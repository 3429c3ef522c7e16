package need

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Line is what the library panics with: what is wrong, in a line that begins with the name of
// a package. Where a cell of a notebook dies of it, the line and the places in the cell's own
// code are all that is shown: the stack below is of the library, and no help. Elsewhere the
// runtime prints what it always does.
type Line string

// Linef is a Line with numbers in it.
func Linef(format string, a ...any) Line { return Line(fmt.Sprintf(format, a...)) }

// Error returns the line. Where the runtime asks, as it does when nobody has recovered, and
// the program is a cell, Error ends it as the runtime would, with status 2.
func (l Line) Error() string {
	if os.Getenv("GONB_PIPE") != "" { // GoNB's, for each cell
		if places, dying := own(); dying && places != "" {
			fmt.Fprintf(os.Stderr, "panic: %s\n%s", string(l), places)
			os.Exit(2)
		}
	}
	return string(l)
}

// Caught calls f, and returns the Line that it panics with; "" if it does not.
func Caught(f func()) (fault Line) {
	defer func() {
		if p := recover(); p != nil {
			line, ours := p.(Line)
			if fault = line; !ours {
				panic(p)
			}
		}
	}()
	f()
	return ""
}

// Again returns what to panic with in another goroutine, where one has panicked with p: the
// line or value with the stack from here, or in a cell, of a Line, the places in its code.
func Again(what string, p any) Line {
	stack := "\n\n" + string(debug.Stack())
	if _, ours := p.(Line); ours && os.Getenv("GONB_PIPE") != "" {
		if places, _ := own(); places != "" {
			stack = "\n" + strings.TrimSuffix(places, "\n")
		}
	}
	return Linef("%s: %v%s", what, p, stack)
}

// own returns the places in package main on the stack, and whether the runtime is about to
// end the program by one panic alone: of several it tells how they hang together.
func own() (places string, dying bool) {
	pc := make([]uintptr, 256)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	panics, asks := 0, false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.preprintpanics":
			asks = true
		case f.Function == "runtime.gopanic":
			panics++
		case strings.HasPrefix(f.Function, "main."):
			places += fmt.Sprintf("\t%s:%d in %s\n", f.File, f.Line, strings.TrimPrefix(f.Function, "main."))
		}
		if !more {
			return places, asks && panics == 1
		}
	}
}
