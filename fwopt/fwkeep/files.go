package fwkeep

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// A file of this package is
//
//	"fwlab run"  format (1 byte)  kind (1)  0 (5)
//	gob values
//	CRC-64 (ECMA) of all that, little-endian (8)
//
// and nothing of it is decoded before the checksum is right.
const (
	fileMagic  = "fwlab run"
	fileFormat = 3 // of the layout; 1 was gob alone, without a checksum, 2 had other names for the gaps

	traceFile      = 't'
	checkpointFile = 'c'
)

func fileHead(kind byte) []byte {
	return append([]byte(fileMagic), fileFormat, kind, 0, 0, 0, 0, 0)
}

// writeFile writes a file whole or not at all.
func writeFile(path string, kind byte, value any) error {
	b := bytes.NewBuffer(fileHead(kind))
	if err := gob.NewEncoder(b).Encode(value); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return file.Write(path, func(w io.Writer) error {
		_, err := w.Write(file.Seal(b.Bytes()))
		return err
	})
}

// errUnread is that of a file that is there, whose content nobody knows.
var errUnread = errors.New("a run cannot be read")

// readFile reads the value of a file that is whole. The error names the file and
// the remedy; it is fs.ErrNotExist if there is none, errUnread if it cannot be read.
func readFile(path string, kind byte, value any) error {
	var b []byte
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a FIFO would be waited for
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("no regular file")}
	}
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("fwkeep: %w", err)
	} else if err != nil {
		return fmt.Errorf("fwkeep: %w: %w; make it readable, or remove it", errUnread, err)
	}
	if b, err = content(b, kind); err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(value)
	}
	if err != nil {
		return fmt.Errorf("fwkeep: %s cannot be used: %w; remove it to run anew", path, err)
	}
	return nil
}

// content returns what is between the head and the checksum of a file.
func content(b []byte, kind byte) ([]byte, error) {
	head := fileHead(kind)
	at := len(fileMagic)
	switch {
	case bytes.HasPrefix(b, []byte{3, 4, 0, 2}): // gob's number 1, alone
		return nil, errors.New(
			"it has format 1, without a checksum, so that nobody can tell whether it is right")
	case len(b) < len(head)+8:
		return nil, fmt.Errorf("it is damaged: it ends after %d bytes", len(b))
	case string(b[:at]) != fileMagic:
		return nil, errors.New("it is damaged, or no file of this package")
	}
	whole, ok := file.Unseal(b)
	switch {
	case !ok:
		return nil, errors.New("it is damaged: its checksum is wrong")
	case b[at] != fileFormat:
		return nil, fmt.Errorf("it has format %d, this program reads %d", b[at], fileFormat)
	case b[at+1] != kind:
		return nil, errors.New("it is a checkpoint where a trace is wanted, or a trace for a checkpoint")
	}
	return whole[len(head):], nil
}

// SaveTrace writes a trace to a file, whole or not at all.
// It panics if tr is nil.
func SaveTrace(path string, tr *fwopt.Trace) error {
	if tr == nil {
		panic(need.Line("fwkeep: SaveTrace of a trace that is nil"))
	}
	if err := saveRecord(path, record{Trace: tr}); err != nil {
		return fmt.Errorf("fwkeep: the trace is not saved: %w", err)
	}
	return nil
}

// LoadTrace reads a trace that SaveTrace or Keep wrote. The error says which
// file is damaged or of another version, and what to do; it is fs.ErrNotExist
// if there is none.
func LoadTrace(path string) (*fwopt.Trace, error) {
	rec, err := loadRecord(path)
	if err != nil {
		return nil, err
	}
	return rec.Trace, nil
}

// record is what is kept of a finished run.
type record struct {
	Trace   *fwopt.Trace
	Spec    string   // all that decides it, but for the schedules
	Version uint64   // of the code that it was computed by
	Walk    uint64   // the schedules at all its steps
	First   []uint64 // hashes of its first iterates, where code is one's own
}

func saveRecord(path string, rec record) error {
	tr := *rec.Trace
	tr.Note = "" // of this program only
	rec.Trace = &tr
	return writeFile(path, traceFile, rec)
}

func loadRecord(path string) (*record, error) {
	rec := &record{Trace: new(fwopt.Trace)}
	if err := readFile(path, traceFile, rec); err != nil {
		return nil, err
	}
	return rec, nil
}

// withName returns the files of a folder with this start and end of their names.
func withName(dir, start, end string) (paths []string) {
	files, _ := os.ReadDir(dir) // none, if it cannot be read
	for _, f := range files {
		if strings.HasPrefix(f.Name(), start) && strings.HasSuffix(f.Name(), end) {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths
}
