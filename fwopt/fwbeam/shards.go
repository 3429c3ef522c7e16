package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwdata"
)

// manifest says what a folder of shards holds; it is the file manifest.json there.
type manifest struct {
	Format    int
	Name      string // of the data, as on figures
	Generated bool   // not real data
	Rows      int    // n
	Features  int    // m
	Labels    []int  // of the file, ascending; h of them
	Nonzeros  int
	Norm2     float64 // max_i ‖e_i‖²
	Shards    []shard // in the order of their rows
	Digest    string  `json:",omitempty"` // of all that, as JSON without it
}

// shard is a part of the rows, one after the other, as fwdata.Set.Encode has written it.
type shard struct {
	File     string // in the folder
	Rows     int
	Nonzeros int
	Bytes    int64
	Digest   string
}

const (
	manifestFile   = "manifest.json"
	manifestFormat = 1
)

// open reads and checks the manifest of a folder, and that its shards are there and have
// their sizes. What is in them is checked where they are read, in each pass.
func open(ctx context.Context, dir string) (*manifest, error) {
	b, err := readFile(ctx, join(dir, manifestFile))
	if err != nil {
		return nil, fmt.Errorf("no shards in %s: %w: fwbeam shard writes them", dir, err)
	}
	m, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w: run fwbeam shard again", join(dir, manifestFile), err)
	}
	for _, s := range m.Shards {
		size, err := sizeOf(ctx, join(dir, s.File))
		if err != nil {
			return nil, fmt.Errorf("a shard is missing: %w", err)
		}
		if size != s.Bytes {
			return nil, fmt.Errorf("%s has %d bytes, not the %d of the manifest: it is cut off, or was "+
				"changed, or the manifest is of other data", join(dir, s.File), size, s.Bytes)
		}
	}
	return m, nil
}

// parse returns the manifest that stands in b.
func parse(b []byte) (*manifest, error) {
	m := new(manifest)
	if err := json.Unmarshal(b, m); err != nil || m.Format != manifestFormat {
		return nil, fmt.Errorf("it is no manifest of format %d (%v)", manifestFormat, err)
	}
	switch m.Digest {
	case m.digest():
		return m, nil
	case "":
		return nil, errors.New("it has no checksum, as those of older versions, so that nobody can tell " +
			"whether it is right")
	}
	return nil, errors.New("it is damaged or was changed: its checksum is wrong")
}

// digest is what Digest should be.
func (m manifest) digest() string {
	m.Digest = ""
	b, _ := json.Marshal(m) // a struct of numbers and strings
	d := sha256.Sum256(b)
	return hex.EncodeToString(d[:])
}

// dim returns d = m·h.
func (m *manifest) dim() int { return m.Features * len(m.Labels) }

// load reads a shard, which must be the one that the manifest names.
func load(ctx context.Context, dir string, t *task) (*fwdata.Set, error) {
	path := join(dir, t.File)
	f, size, err := openFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("a shard is missing: %w", err)
	}
	defer f.Close()
	s, err := fwdata.Decode(f, size, path)
	switch {
	case err != nil:
		return nil, err
	case s.M() != t.Features || !slices.Equal(s.Labels, t.Labels):
		return nil, fmt.Errorf("%s has %d features and the labels %v, the manifest %d and %v: shards of "+
			"two sets", path, s.M(), s.Labels, t.Features, t.Labels)
	case s.Digest != t.Digest || s.N() != t.Rows:
		return nil, fmt.Errorf("%s is not the shard of the manifest: it was changed since, or the manifest "+
			"is of other data: run fwbeam shard again", path)
	}
	return s, nil
}

// writer writes shards and their manifest into a folder.
type writer struct {
	ctx context.Context
	dir string
	m   manifest
}

// add writes the next shard.
func (w *writer) add(s *fwdata.Set) error {
	if s.N() == 0 {
		return fmt.Errorf("a shard of no rows")
	}
	file := fmt.Sprintf("shard-%05d.bin", len(w.m.Shards))
	size, err := int64(0), writeFile(w.ctx, join(w.dir, file), s.Encode)
	if err == nil {
		size, err = sizeOf(w.ctx, join(w.dir, file))
	}
	if err != nil {
		return err
	}
	for i := range s.N() {
		_, val := s.X.Row(i)
		sum := 0.
		for _, v := range val {
			sum += v * v
		}
		w.m.Norm2 = max(w.m.Norm2, sum)
	}
	w.m.Shards = append(w.m.Shards, shard{file, s.N(), len(s.X.Val), size, s.Digest})
	w.m.Rows, w.m.Nonzeros = w.m.Rows+s.N(), w.m.Nonzeros+len(s.X.Val)
	w.m.Features, w.m.Labels = s.M(), s.Labels
	return nil
}

// finish writes the manifest, last, so that a folder with one is whole.
func (w *writer) finish() error {
	if math.IsInf(w.m.Norm2, 0) {
		return fmt.Errorf("the largest row has the squared length %g", w.m.Norm2)
	}
	w.m.Format = manifestFormat
	w.m.Name = strings.ToValidUTF8(w.m.Name, "\ufffd") // as JSON has it
	w.m.Digest = w.m.digest()
	return writeFile(w.ctx, join(w.dir, manifestFile), func(out io.Writer) error {
		e := json.NewEncoder(out)
		e.SetIndent("", " ")
		return e.Encode(w.m)
	})
}
