// Package file writes files whole or not at all, and tells a damaged one.
package file

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Write writes path under another name, of which there is no other, syncs and renames it. After an
// error nothing is left. Who may read it the umask says, while os.CreateTemp lets its owner alone.
func Write(path string, fill func(io.Writer) error) (err error) {
	f, err := os.OpenFile(Other(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// Other returns the name under which Write writes path, another one each time.
func Other(path string) string { return fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64()) }

// Sweep removes what killed programs have left of files whose names begin so: what Write has
// begun more than an hour ago.
func Sweep(start string) {
	old, _ := filepath.Glob(start + "*.tmp")
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(path)
		}
	}
}

var ecma = crc64.MakeTable(crc64.ECMA)

// Seal returns b with its checksum, 8 bytes.
func Seal(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, crc64.Checksum(b, ecma)) }

// Unseal returns b without its checksum, and whether that is right.
func Unseal(b []byte) (content []byte, ok bool) {
	end := len(b) - 8
	if end < 0 {
		return nil, false
	}
	return b[:end], binary.LittleEndian.Uint64(b[end:]) == crc64.Checksum(b[:end], ecma)
}

// Unmarked passes over a byte order mark in UTF-8, as some editors put one at the beginning.
func Unmarked(r io.Reader) *bufio.Reader {
	const mark = "\ufeff"
	b := bufio.NewReader(r)
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		b.Discard(len(mark))
	}
	return b
}
