package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// A disk of passes that is really full: a file system of 40 KiB. It needs root.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("fwbeam", disk, "tmpfs", 0, "size=40k"); err != nil {
		t.Skip("cannot mount: ", err)
	}
	defer syscall.Unmount(disk, 0)
	dir, _ := small(t, 900)
	p := problem{"svrf", "experiments", 1, "l1", 5, 1, 150}
	want := newJob(t, dir, p).mustRun(t)
	j := newJob(t, dir, p)
	j.work, j.engine = disk, on(2)
	_, err := j.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no space left on device") ||
		!strings.Contains(err.Error(), disk) {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(disk); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	// With room there, it goes on: the disk was what failed.
	ok(t, syscall.Mount("fwbeam", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
	sameBits(t, "with room", want, j.mustRun(t))
}

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
	ok(t, e.each(context.Background(), []string{"a", "b"}, 1, by(&idle{})))
	if spent := (fwrate.CPU() - start).Seconds(); spent > 1 {
		t.Errorf("%.2f s of the processor in two seconds of waiting", spent)
	}
}
