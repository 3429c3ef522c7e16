package fwopt

import (
	"encoding/gob"
	"os"
)

// checkpoint is what Keep writes of an unfinished run.
type checkpoint struct {
	Spec          string // but for the schedules
	Version, Walk uint64 // of the code, and of the schedules at the steps so far
	Owner         uint64 // of the schedules at the first steps: who may remove it
	First         []uint64
	Points        []Point
	Monitor       Calls
	Now           Point
	X             []float64
	Next          int
	Mark          marker
	Eye           Warm
	Method        []byte // its state
}

func loadCheckpoint(path string) (*checkpoint, error) {
	c := new(checkpoint)
	if err := readFile(path, checkpointFile, func(d *gob.Decoder) error { return d.Decode(c) }); err != nil {
		return nil, err
	}
	return c, nil
}

// save writes a checkpoint, if the method is known to go on from one.
func (k *keeper) save() {
	if !k.proven {
		return
	}
	state, err := checkState(k.m)
	if err != nil {
		k.refused = err
		return
	}
	c := &checkpoint{k.spec, codeVersion(), k.walk(k.now.Step), k.owner, k.first, k.tr.Points, k.tr.Monitor, k.now, k.x, k.next, k.mark, k.eye, state}
	path := k.name(k.now.Step, ".ckpt")
	if err := writeFile(path, checkpointFile, func(e *gob.Encoder) error { return e.Encode(c) }); err != nil {
		k.failed = err
		return
	}
	if k.failed = nil; k.path != "" && k.path != path {
		os.Remove(k.path)
	}
	k.path = path
}

// restore takes the run to where a checkpoint was written.
func (k *keeper) restore(c *checkpoint) error {
	k.tr.Points, k.tr.Monitor, k.now, k.x, k.next, k.eye = c.Points, c.Monitor, c.Now, c.X, c.Next, c.Eye
	if err := c.Mark.restore(k.o); err != nil {
		return err
	}
	return decodeState(k.m, c.Method)
}
