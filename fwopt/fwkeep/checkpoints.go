package fwkeep

import (
	"fmt"
	"os"
	"reflect"

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
	if err := readFile(path, checkpointFile, c); err != nil {
		return nil, err
	}
	return c, nil
}

// save writes a checkpoint, if the method is known to go on from one.
func (k *keeper) save() {
	if !k.proven && !k.wentOn || k.refused != nil {
		return
	}
	state, err := k.state()
	if k.refused = err; err != nil {
		return
	}
	now := k.run.State()
	c := &checkpoint{k.spec, k.version, k.walk(now.Now.Step), k.owner, k.first, now, state}
	path := k.name(now.Now.Step, ".ckpt")
	if err := writeFile(path, checkpointFile, c); err != nil {
		k.failed = err
		return
	}
	if k.failed = nil; k.path != "" && k.path != path {
		os.Remove(k.path)
	}
	k.path = path
}

// state returns the state of the method, if a fresh one can take it up.
func (k *keeper) state() ([]byte, error) {
	m := k.run.Method
	if was, now := rules(reflect.ValueOf(k.fresh).Elem()), rules(reflect.ValueOf(m).Elem()); was != now {
		return nil, fmt.Errorf("fwkeep: a checkpoint of %T would lose its rules, %q, which were %q when it "+
			"was fresh: set them where the method is made, or use Run", m, now, was)
	}
	return encodeState(m)
}

// restore takes the run to where a checkpoint was written.
func (k *keeper) restore(c *checkpoint) error {
	if err := k.run.Resume(c.State); err != nil {
		return err
	}
	return decodeState(k.run.Method, c.Method)
}
