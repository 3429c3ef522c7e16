package fwopt

import "time"

// CheckParts is what a run does with its parts before it begins.
var CheckParts = checkParts

// Cheap sets how long a check may take beyond the least, and returns what sets it back.
func Cheap(d time.Duration) (back func()) {
	was := cheap
	cheap = d
	return func() { cheap = was }
}
