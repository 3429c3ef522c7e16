package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // gs:// and s3:// are one import each: see README.md
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// join returns the path of a file in a folder, which may be one of a bucket.
func join(dir, file string) string { return strings.TrimRight(dir, "/") + "/" + file }

func openFile(ctx context.Context, path string) (f io.ReadCloser, size int64, err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer fs.Close()
	if f, err = fs.OpenRead(ctx, path); err != nil {
		return nil, 0, err
	}
	if file, ok := f.(*os.File); ok { // Size of a local file leaves it open
		var info os.FileInfo
		if info, err = file.Stat(); err == nil {
			size = info.Size()
		}
	} else {
		size, err = fs.Size(ctx, path)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, size, nil
}

func sizeOf(ctx context.Context, path string) (int64, error) {
	f, size, err := openFile(ctx, path)
	if err != nil {
		return 0, err
	}
	return size, f.Close()
}

func readFile(ctx context.Context, path string) ([]byte, error) {
	f, size, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, size)
	_, err = io.ReadFull(f, b)
	return b, err
}

// writeFile writes a file under another name, which no other attempt has, and renames it:
// it is whole or not there, however often and wherever it is written.
func writeFile(ctx context.Context, path string, fill func(io.Writer) error) (err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	other := file.Other(path)
	f, err := fs.OpenWrite(ctx, other)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = filesystem.Rename(ctx, fs, other, path)
	}
	if err != nil {
		remove(ctx, other)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// remove removes files; one that is not there is no error.
func remove(ctx context.Context, paths ...string) {
	for _, path := range paths {
		if fs, err := filesystem.New(ctx, path); err == nil {
			if r, ok := fs.(filesystem.Remover); ok {
				r.Remove(ctx, path)
			}
			fs.Close()
		}
	}
}

// unseal reads a file that was sealed.
func unseal(ctx context.Context, path string) ([]byte, error) {
	b, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	whole, ok := file.Unseal(b)
	if !ok {
		return nil, fmt.Errorf("%s is damaged: its checksum is wrong", path)
	}
	return whole, nil
}

func writeSealed(ctx context.Context, path string, b []byte) error {
	return writeFile(ctx, path, func(w io.Writer) error {
		_, err := w.Write(file.Seal(b))
		return err
	})
}

func appendFloats(b []byte, x []float64) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func floatAt(b []byte, k int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
}

// own returns a name that starts so, and that no other driver takes: it says the machine and
// the process, so that others see whether that is over.
func own(start string) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s-%s-%d-%016x", start, host, os.Getpid(), rand.Uint64())
}

// clean removes the folders that killed drivers of this machine have left in dir. Those of
// another machine stay, for nobody sees from here whether they are over; so does what is
// in a bucket.
func clean(dir, start string) {
	host, _ := os.Hostname()
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), start+"-"+host+"-")
		id, tail, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(id)
		if !ok || err != nil || len(tail) != 16 || !e.IsDir() {
			continue
		}
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(syscall.Signal(0))
		}
		if errors.Is(err, os.ErrProcessDone) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
