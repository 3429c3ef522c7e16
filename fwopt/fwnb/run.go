package fwnb

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// folder is where Run keeps traces and checkpoints, beside the notebook.
const folder = "runs"

// Run is fwkeep.Keep in the folder "runs", with a progress display while it runs. The Stop button (or
// Ctrl-C) ends it: it is saved, later calls of Run in the same program return at once with a trace without
// points, and the next execution of the cell goes on where it stopped. A second Ctrl-C kills.
//
// It panics if the folder holds a file of this run that cannot be used, or if the state of the method cannot
// be saved; the message names the file or the field, and the remedy. A run that is not kept is returned all
// the same; the progress display has the reason, and so has the note where the run is interrupted.
func Run(o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
	ctx := interrupt()
	if ctx.Err() != nil {
		return &fwopt.Trace{Method: name(m), Data: name(o.F), Status: fwopt.Interrupted}
	}
	p, watch := newProgress(name(m)), b.Watch
	b.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
		p.update(tr, now, b.Share(now))
		if watch != nil {
			watch(tr, now)
		}
	}
	tr, err := fwkeep.Keep(ctx, folder, o, m, b)
	p.done()
	if tr == nil {
		panic(need.Line(err.Error()))
	}
	if err != nil {
		note(err.Error())
	}
	kept := !strings.HasPrefix(tr.Note, "not ")
	if kept && tr.Note != "" {
		note(tr.Method + ": " + tr.Note)
	}
	if tr.Status != fwopt.Done && tr.Status != fwopt.Converged {
		s := fmt.Sprintf("%s: %v after step %d", tr.Method, tr.Status, tr.Last().Step)
		switch {
		case tr.Status != fwopt.Interrupted || err != nil:
		case kept:
			s += "; saved: run the cell again to go on"
		default:
			s += "; " + tr.Note
		}
		note(s)
	}
	return tr
}

// interrupt returns the program's context, which the first interrupt cancels.
var interrupt = sync.OnceValue(func() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second one kills
	return ctx
})

func name(x any) string {
	if s, ok := x.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", x)
}

// Full reports whether the environment asks for runs of full length: FWLAB_BUDGET=full. If it is short or not
// set a notebook makes short ones; any other value is a panic, for an hour of full runs may hang on a letter.
func Full() bool {
	switch budget := os.Getenv("FWLAB_BUDGET"); budget {
	case "full":
		return true
	case "short", "":
		return false
	default:
		panic(need.Linef("fwnb: FWLAB_BUDGET=%s, want full or short", budget))
	}
}

// Pick returns full if Full() and short if not.
func Pick[T any](short, full T) T {
	if Full() {
		return full
	}
	return short
}
