package fwkeep

import (
	"encoding/gob"
	"fmt"
	"os"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
)

// checkpoint is what Keep writes of an unfinished run.
type checkpoint struct {
	Spec          string // but for the schedules
	Version, Walk uint64 // of the code, and of the schedules at the steps so far
	Owner         uint64 // of the schedules at the first steps: who may remove it
	First         []uint64
	fwopt.State
	Method []byte // its own state
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
	if !k.proven && !k.wentOn || k.refused != nil {
		return
	}
	check := checkState
	if k.ours {
		check = encodeState // its test has shown that nothing is lost
	}
	state, err := check(k.run.Method)
	if err == nil && !k.ours {
		err = k.turned()
	}
	if m := k.run.Method; err == nil && k.functions != nil && !slices.Equal(k.functions, functions(m)) {
		err = fmt.Errorf("fwkeep: a checkpoint would lose a function of %T that is another one than after the first step: keep a parameter of it as a number, or use Run", m)
	}
	if k.refused = err; err != nil {
		return
	}
	now := k.run.State()
	c := &checkpoint{k.spec, codeVersion(), k.walk(now.Now.Step), k.owner, k.first, now, state}
	path := k.name(now.Now.Step, ".ckpt")
	if err := writeFile(path, checkpointFile, func(e *gob.Encoder) error { return e.Encode(c) }); err != nil {
		k.failed = err
		return
	}
	if k.failed = nil; k.path != "" && k.path != path {
		os.Remove(k.path)
	}
	k.path = path
}

// turned says whether a field of interface type holds another type than when the
// method was fresh: a fresh one could not take up the state.
func (k *keeper) turned() error {
	m := k.run.Method
	now := heldBy(m)
	if now == k.held {
		return nil
	}
	return fmt.Errorf("fwkeep: a checkpoint would lose what the fields of interface type of %T hold, %q, which were %q when it was fresh: set them where the method is made, or use Run", m, now, k.held)
}

// restore takes the run to where a checkpoint was written.
func (k *keeper) restore(c *checkpoint) error {
	if err := k.run.Resume(c.State); err != nil {
		return err
	}
	return decodeState(k.run.Method, c.Method)
}
