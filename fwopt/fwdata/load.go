package fwdata

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/mat"
)

// ErrNotHere means that a set of the registry is not on this machine; the error
// that wraps it tells how to get it. A damaged file is another error.
var ErrNotHere = errors.New("not on this machine")

// Load returns the registry's set of that name: "digits", "news20", "rcv1" or
// "aloi" (package datasets lists them). The digits come with the module. For the
// others Load looks for the file, say news20.bz2, as
//
//	$FWLAB_DATA/news20.bz2, $FWLAB_DATA/news20/news20.bz2, news20.bz2 in CacheDir,
//
// checks its SHA-256, and keeps the parsed set in CacheDir as one binary file,
// from which news20 opens some thirty times as fast. The binary file is rebuilt when it
// is damaged or old, serves alone when the source is gone, and is done without
// when CacheDir cannot be written to. When the source is gone, one that is
// damaged is an error; one that another version of this package has written, or
// that is from another file than the registry's, counts as none.
//
// When the registry has no digest (aloi), the first file with the registry's n,
// m and classes is trusted: its digest is kept in CacheDir as aloi.bz2.sha256,
// and later files must match it.
//
// A set that is nowhere gives an error that wraps ErrNotHere; a file other than the
// registry describes gives an error that names it.
func Load(name string) (*Set, error) {
	e, ok := datasets.Lookup(name)
	if !ok {
		var names []string
		for _, e := range datasets.Entries() {
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("fwdata: no set %q in the registry (%s; networks: LoadNetwork): "+
			"a file of your own goes in by ReadFile", name, strings.Join(names, ", "))
	}
	if e.Name == "digits" {
		return digits(e)
	}
	return load(e, os.Getenv("FWLAB_DATA"), cacheDir())
}

// LoadOrTwin returns Load(name), or Twin(name, seed) when the set is not on this
// machine. A damaged file is an error all the same, the binary file too when there
// is no source to rebuild it from.
func LoadOrTwin(name string, seed uint64) (*Set, error) {
	s, err := Load(name)
	if errors.Is(err, ErrNotHere) {
		return Twin(name, seed), nil
	}
	return s, err
}

// CacheDir returns the folder of downloads and binary files: fwlab in the user's
// cache folder (os.UserCacheDir). It need not exist.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("fwdata: no cache folder: %w", err)
	}
	return filepath.Join(dir, "fwlab"), nil
}

// cacheDir returns CacheDir, or "" for no folder: Load does without.
func cacheDir() string {
	dir, _ := CacheDir()
	return dir
}

// Import checks what a file of a set or of a network holds, as Load would, and keeps it in
// CacheDir, where Load finds it. A wrong one is an error and is not kept.
func Import(e datasets.Entry, b []byte) error {
	dir, err := CacheDir()
	if err != nil {
		return err
	}
	pin, err := pinned(e, dir)
	if err == nil {
		_, err = check(e, e.URL, b, pin)
	}
	if err == nil && pin == "" {
		_, err = parse(e, e.URL, b)
	}
	if err != nil {
		return err
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		path := filepath.Join(dir, e.File)
		file.Sweep(path)
		err = file.Write(path, func(w io.Writer) error { return second(w.Write(b)) })
	}
	if err != nil {
		return fmt.Errorf("fwdata: cannot write to the cache folder: %w: free some space, "+
			"or fetch %s yourself and set FWLAB_DATA to its folder", err, e.URL)
	}
	return nil
}

func second[T any](_ T, err error) error { return err }

// load is Load for one entry. An empty folder name is no folder.
func load(e datasets.Entry, dataDir, cacheDir string) (*Set, error) {
	pin, err := pinned(e, cacheDir)
	if err != nil {
		return nil, err
	}
	path, b, digest, err := source(e, dataDir, cacheDir, pin)
	if err != nil {
		return nil, err
	}
	bin, here := filepath.Join(cacheDir, e.Name+".bin"), path != ""
	if !here {
		path, digest = bin, pin
	}
	var s *Set
	unusable := fs.ErrNotExist // why the binary file does not serve
	if cacheDir != "" {
		s, unusable = readCache(bin, digest)
	}
	switch {
	case s == nil && !here:
		return nil, notHere(e, dataDir, cacheDir, unusable)
	case s == nil:
		if s, err = parse(e, path, b); err != nil {
			return nil, err
		}
		s.Digest = digest
		keep(e, s, cacheDir)
	}
	s.Name, s.Source = e.Name, path
	return s, nil
}

// keep writes the binary file, and the pin when the registry has no digest. What
// fails here costs time at the next load, no more.
func keep(e datasets.Entry, s *Set, cacheDir string) {
	if cacheDir == "" || os.MkdirAll(cacheDir, 0o755) != nil {
		return
	}
	if e.SHA256 == "" {
		file.Write(pinPath(e, cacheDir), func(w io.Writer) error {
			return second(fmt.Fprintf(w, "%s  %s\n", s.Digest, e.File))
		})
	}
	bin := filepath.Join(cacheDir, e.Name+".bin")
	file.Sweep(bin)
	file.Write(bin, s.Encode)
}

// source reads the file of e and checks it; path is empty when there is no such file.
func source(e datasets.Entry, dataDir, cacheDir, pin string) (
	path string, b []byte, digest string, err error) {
	var dirs []string
	if dataDir != "" {
		dirs = append(dirs, dataDir, filepath.Join(dataDir, "traffic"))
	}
	if cacheDir != "" {
		dirs = append(dirs, cacheDir)
	}
	for _, dir := range dirs {
		for _, path := range []string{filepath.Join(dir, e.File), filepath.Join(dir, e.Name, e.File)} {
			f, err := os.Open(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				defer f.Close()
				b, err = io.ReadAll(io.LimitReader(f, e.MaxBytes+1))
			}
			if err != nil {
				return "", nil, "", fmt.Errorf("fwdata: %w", err)
			}
			digest, err = check(e, path, b, pin)
			return path, b, digest, err
		}
	}
	return "", nil, "", nil
}

// notHere returns the error for a file that is nowhere, when the binary file of its set is
// unusable too: one line, with the remedy.
func notHere(e datasets.Entry, dataDir, cacheDir string, unusable error) error {
	get := fmt.Sprintf("run `go run ./fwopt/fwfetch %s` in fwlab's folder, "+
		"or set FWLAB_DATA to a folder that holds %s", e.Name, e.File)
	looked := "FWLAB_DATA is not set"
	if dataDir != "" {
		looked = "FWLAB_DATA is " + dataDir
	}
	looked += "; cache " + cacheDir
	switch bin := filepath.Join(cacheDir, e.Name+".bin"); {
	case errors.Is(unusable, fs.ErrNotExist):
	case errors.Is(unusable, errOther):
		looked += fmt.Sprintf(", where %s is %v", bin, unusable)
	default:
		return fmt.Errorf("fwdata: %s: %w, and there is no %s to rebuild it from: remove it, then %s",
			bin, unusable, e.File, get)
	}
	return fmt.Errorf("fwdata: %s is %w (%s): %s", e.Name, ErrNotHere, looked, get)
}

// pinned returns the digest that a file of e must have: the registry's, or the
// one kept in the cache, or "" when there is neither.
func pinned(e datasets.Entry, cacheDir string) (string, error) {
	if e.SHA256 != "" || cacheDir == "" {
		return e.SHA256, nil
	}
	path := pinPath(e, cacheDir)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("fwdata: %w", err)
	}
	digest, _, _ := strings.Cut(string(b), " ")
	if d, err := hex.DecodeString(digest); err != nil || len(d) != sha256.Size {
		return "", fmt.Errorf("fwdata: %s: not a SHA-256: remove the file to trust the next %s anew",
			path, e.File)
	}
	return digest, nil
}

func pinPath(e datasets.Entry, cacheDir string) string {
	return filepath.Join(cacheDir, e.File+".sha256")
}

// check returns the SHA-256 of b, from path, which must be the pin unless that is empty.
func check(e datasets.Entry, path string, b []byte, pin string) (digest string, err error) {
	sum := sha256.Sum256(b)
	digest = hex.EncodeToString(sum[:])
	if pin == "" || digest == pin {
		return digest, nil
	}
	what := "a damaged or another file"
	switch {
	case len(b) == 0:
		what = "an empty file"
	case bytes.HasPrefix(bytes.TrimSpace(b[:min(len(b), 512)]), []byte("<")) &&
		!bytes.Contains(b, []byte("END OF METADATA")): // a road network begins so, too
		what = "a web page (HTML)"
	}
	by := "as in the registry"
	if e.SHA256 == "" {
		by = "as pinned when it was first seen (" + e.File + ".sha256 in the cache folder)"
	}
	return "", fmt.Errorf("fwdata: %s: %s: its SHA-256 is %s, not %s %s: "+
		"remove it and get %s again from %s", path, what, digest, pin, by, e.File, e.URL)
}

// parse reads b, from path, which must have the registry's shape if that has no digest.
func parse(e datasets.Entry, path string, b []byte) (*Set, error) {
	s, err := read(bytes.NewReader(b), path)
	if err != nil {
		return nil, err
	}
	if e.SHA256 == "" && (s.N() != e.N || s.M() > e.M || s.H() != e.Classes) {
		return nil, fmt.Errorf("fwdata: %s: n = %d, m = %d and %d classes, where %s has %d, %d and %d: "+
			"another file?", path, s.N(), s.M(), s.H(), e.Name, e.N, e.M, e.Classes)
	}
	s.X.M = max(s.X.M, e.M) // the last features may not occur in the file
	return s, nil
}

// digits reads the embedded set, whose digest is tested.
func digits(e datasets.Entry) (*Set, error) {
	x, labels := make([]float64, 0, e.N*(e.M+1)), make([]int, 0, e.N)
	p := &parser{name: e.File}
	err := p.table(bytes.NewReader(datasets.Digits), func(row []string) error {
		for _, cell := range row {
			v, _ := number([]byte(cell))
			x = append(x, v)
		}
		labels = append(labels, int(x[len(x)-1]))
		x = x[:len(x)-1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	s, err := FromMatrix(e.Name, mat.NewDense(e.N, e.M, x), labels)
	if err == nil {
		s.Digest = e.SHA256
	}
	return s, err
}

// NetworkFiles returns what the files of a road network hold, links, trips, best known flows and
// nodes, for fwroad.LoadNetwork; "" for the path of one of the last two that is not here. Their
// SHA-256 is checked.
func NetworkFiles(e datasets.Network) (paths [4]string, texts [4][]byte, err error) {
	dataDir, cacheDir := os.Getenv("FWLAB_DATA"), cacheDir()
	for i, f := range e.Files() {
		paths[i], texts[i], _, err = source(f, dataDir, cacheDir, f.SHA256)
		if err == nil && paths[i] == "" && i < 2 {
			err = notHere(f, dataDir, cacheDir, fs.ErrNotExist)
		}
		if err != nil {
			return paths, texts, err
		}
	}
	return paths, texts, nil
}

// Unavailable returns which of these sets and road networks of the registry are not on this
// machine, so that LoadOrTwin and fwroad.LoadNetworkOrGrid generate something in their place. A
// damaged one is not missing. It panics if the registry has no such name.
func Unavailable(names ...string) (missing []string) {
	for _, name := range names {
		_, set := datasets.Lookup(name)
		e, network := datasets.LookupNetwork(name)
		var err error
		switch {
		case set:
			_, err = Load(name)
		case network:
			_, _, err = NetworkFiles(e)
		default:
			panic(need.Linef("fwdata: no set or network %q in the registry", name))
		}
		if errors.Is(err, ErrNotHere) {
			missing = append(missing, name)
		}
	}
	return missing
}
