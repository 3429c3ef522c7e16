//go:build unix

package fwrate

import (
	"syscall"
	"time"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// CPU is the time that this process has had on the processors, all of its threads together.
// Other work on the machine disturbs it less than the clock on the wall. On systems that are
// no Unix it is the time since the process began.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(need.Line("fwrate: the processors' time: " + err.Error()))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
