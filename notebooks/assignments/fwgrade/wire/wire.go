// Package wire links two programs by a pair of pipes: the parent, which checks,
// calls functions of the child, which has a student's solution. Arguments and
// results are copied; what a function changed in a slice argument is copied
// back. A func argument stays in the parent, and the child calls it there.
//
// The parent takes every frame for hostile: a child can end it with a message,
// but has no say in what it finds. fwgrade puts these files into the programs
// that it builds, so they need nothing but the standard library.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Frames of one check, from the child: 16 MiB each, four million.
const (
	maxFrame  = 1 << 24
	maxFrames = 1 << 22
)

// Kinds of frames.
const (
	call   = 'c' // number, function (its name; of a func argument its number), arguments
	result = 'r' // number of the call, results, changed arguments
	failed = 'f' // number of the call, text
)

var errFrame = errors.New("a frame that no solution sends")

func send(w io.Writer, b []byte) error {
	if len(b) > maxFrame {
		return fmt.Errorf("%d bytes in one call, more than %d", len(b), maxFrame)
	}
	_, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

func receive(in io.Reader) (*reader, error) {
	var size uint32
	if err := binary.Read(in, binary.LittleEndian, &size); err != nil {
		return nil, err
	}
	if size == 0 || size > maxFrame {
		return nil, errFrame
	}
	r := &reader{b: make([]byte, size)}
	if _, err := io.ReadFull(in, r.b); err != nil {
		return nil, err
	}
	r.kind = r.take(1)[0]
	r.number = r.uint()
	return r, r.err
}
