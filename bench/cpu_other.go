//go:build !unix

package main

import "time"

var start = time.Now()

// processorTime stands in for the time on the processors, by the clock.
func processorTime() time.Duration { return time.Since(start) }
