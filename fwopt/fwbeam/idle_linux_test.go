package main

import (
	"context"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// idle is an element's work that waits.
type idle struct{}

func init() { register.DoFn2x2[context.Context, string, string, error](&idle{}) }

func (*idle) ProcessElement(context.Context, string) (string, error) {
	time.Sleep(2 * time.Second)
	return "", nil
}

// While workers wait nothing computes: not Prism either, which would take two seconds and more. A
// tenth of a second is for the start; a slow machine takes a few.
func TestNoBusyLoop(t *testing.T) {
	e := *embedded()
	jobs := 2
	e.jobs = &jobs
	start := fwrate.CPU()
	ok(t, e.each(context.Background(), &idle{}, []string{"a", "b"}))
	if spent := (fwrate.CPU() - start).Seconds(); spent > 1 {
		t.Errorf("%.2f s of the processor in two seconds of waiting", spent)
	}
}
