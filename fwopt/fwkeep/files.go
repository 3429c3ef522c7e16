package fwkeep

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// A file of this package is
//
//	"fwlab run"  format (1 byte)  6 bytes that nobody reads
//	a record, by gob
//	CRC-64 (ECMA) of all that, little-endian (8)
//
// and nothing of it is decoded before the checksum is right.
const (
	fileMagic  = "fwlab run"
	fileFormat = 3 // of the layout; 1 was gob alone, without a checksum, 2 had other names for the gaps
	headSize   = 16
)

// A record is what is kept of a run. A finished one has the Trace, another one what it goes on from.
type record struct {
	Spec    string   // all that decides it, but for the parameters at each step
	Version uint64   // of the code
	Walk    uint64   // the parameters at the steps so far
	First   []uint64 // hashes of the first iterates, where code is the caller's

	Trace *fwopt.Trace

	*fwopt.State
	Method []byte // its own state
	Owner  uint64 // the parameters at the first steps: who may remove the file
}

// soFar returns how many steps the run has made, and what was recorded of them.
func (rec *record) soFar() (steps int, points []fwopt.Point) {
	if rec.Trace != nil {
		return rec.Trace.Last().Step, rec.Trace.Points
	}
	return rec.Now.Step, rec.Points
}

// save writes a file whole or not at all.
func (rec record) save(path string) error {
	if rec.Trace != nil {
		tr := *rec.Trace
		tr.Note = "" // of this program only
		rec.Trace = &tr
	}
	head := append([]byte(fileMagic), fileFormat)
	b := bytes.NewBuffer(append(head, make([]byte, headSize-len(head))...))
	if err := gob.NewEncoder(b).Encode(rec); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return file.Write(path, func(w io.Writer) error {
		_, err := w.Write(file.Seal(b.Bytes()))
		return err
	})
}

// errUnread is that of a file that is there, whose content nobody knows.
var errUnread = errors.New("a run cannot be read")

// load reads a file that is whole. The error names the file and the remedy; it is fs.ErrNotExist
// if there is none, errUnread if it cannot be read.
func load(path string) (*record, error) {
	var b []byte
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a FIFO would be waited for
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("no regular file")}
	}
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("fwkeep: %w", err)
	} else if err != nil {
		return nil, fmt.Errorf("fwkeep: %w: %w; make it readable, or remove it", errUnread, err)
	}
	rec := new(record)
	if b, err = content(b); err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(rec)
	}
	if err != nil {
		return nil, unusable(path, err)
	}
	return rec, nil
}

func unusable(path string, err error) error {
	return fmt.Errorf("fwkeep: %s cannot be used: %w; remove it to run anew", path, err)
}

// content returns what is between the head and the checksum of a file.
func content(b []byte) ([]byte, error) {
	at := len(fileMagic)
	switch whole, ok := file.Unseal(b); {
	case bytes.HasPrefix(b, []byte{3, 4, 0, 2}): // gob's number 1, alone
		return nil, errors.New(
			"it has format 1, without a checksum, so that nobody can tell whether it is right")
	case len(b) < headSize+8:
		return nil, fmt.Errorf("it is damaged: it ends after %d bytes", len(b))
	case string(b[:at]) != fileMagic:
		return nil, errors.New("it is damaged, or no file of this package")
	case !ok:
		return nil, errors.New("it is damaged: its checksum is wrong")
	case b[at] != fileFormat:
		return nil, fmt.Errorf("it has format %d, this program reads %d", b[at], fileFormat)
	default:
		return whole[headSize:], nil
	}
}

// SaveTrace writes a trace to a file, whole or not at all. It panics if tr is nil.
func SaveTrace(path string, tr *fwopt.Trace) error {
	if tr == nil {
		panic(need.Line("fwkeep: SaveTrace of a trace that is nil"))
	}
	if err := (record{Trace: tr}).save(path); err != nil {
		return fmt.Errorf("fwkeep: the trace is not saved: %w", err)
	}
	return nil
}

// LoadTrace reads a trace that SaveTrace or Keep wrote. The error names the file that is damaged or
// of another version, and what to do; it is fs.ErrNotExist if there is none.
func LoadTrace(path string) (*fwopt.Trace, error) {
	rec, err := load(path)
	if err != nil {
		return nil, err
	}
	if rec.Trace == nil {
		return nil, unusable(path, errors.New("it is a checkpoint where a trace is wanted"))
	}
	return rec.Trace, nil
}
