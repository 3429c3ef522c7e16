//go:build !unix

package fwrate

import "time"

var epoch = time.Now()

// CPU stands in for the time on the processors, by the clock on the wall.
func CPU() time.Duration { return time.Since(epoch) }
