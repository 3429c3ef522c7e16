package fwopt

import "time"

// PersistEvery lets a test write checkpoints more often.
func PersistEvery(d time.Duration) { persistEvery = d }
