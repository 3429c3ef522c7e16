package fwkeep

import "time"

// SetVersion makes this program one of another version of the code.
func SetVersion(v uint64) (restore func()) {
	old := codeVersion
	codeVersion = func([]string) uint64 { return v }
	return func() { codeVersion = old }
}

// Replay lets a test on a busy machine look longer at what is kept.
func Replay(d time.Duration) { replay = d }

// PersistEvery lets a test write checkpoints more often.
func PersistEvery(d time.Duration) { persistEvery = d }
