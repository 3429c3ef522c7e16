package fwdata

import (
	"bufio"
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

// ErrNotHere says that a set of the registry is not on this machine; the error
// that wraps it says how to get it. A damaged file is another error.
var ErrNotHere = errors.New("not on this machine")

// Load returns the registry's set of that name: "digits", "news20", "rcv1" or
// "aloi" (package datasets lists them). The digits come with the module. For the
// others Load looks for the file, say news20.bz2, as
//
//	$FWLAB_DATA/news20.bz2, $FWLAB_DATA/news20/news20.bz2, news20.bz2 in CacheDir,
//
// checks its SHA-256, and keeps the parsed set in CacheDir as one binary file,
// from which news20 opens in some 10 ms. The digest is computed again only when
// path, size or time of the file have changed. The binary file is rebuilt when it
// is damaged or old, serves alone when the source is gone, and is done without
// when CacheDir cannot be written to. When the source is gone, one that is
// damaged is an error; one that another version of this package has written, or
// that is from another file than the registry's, counts as none.
//
// When the registry has no digest (aloi), the first file with the registry's n,
// m and classes is trusted: its digest is kept in CacheDir as aloi.bz2.sha256,
// and later files must match it.
//
// A set that is nowhere gives an error that wraps ErrNotHere; a file that is not
// what the registry says gives an error that names it.
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

// Import checks the file of a set or of a network at path as Load would, moves it into
// CacheDir (so it must lie on the same file system; there is best), and returns the set, nil
// of a network. A file that fails the check stays where it is.
func Import(e datasets.Entry, path string) (*Set, error) {
	dir, err := CacheDir()
	if err != nil {
		return nil, err
	}
	digest, err := pinned(e, dir)
	if err != nil {
		return nil, err
	}
	var s *Set
	if e.Classes > 0 {
		s, err = readSource(e, path, digest)
	} else {
		_, _, err = readChecked(e, path, digest)
	}
	if err != nil {
		return nil, err
	}
	to := filepath.Join(dir, e.File)
	if err = os.MkdirAll(dir, 0o755); err == nil {
		err = os.Rename(path, to)
	}
	if err != nil {
		return nil, fmt.Errorf("fwdata: %w", err)
	}
	if s != nil {
		_, mark, _ := find(e, "", dir)
		s.Source = to
		keep(e, s, mark, dir)
	}
	return s, nil
}

// load is Load for one entry. An empty folder name is no folder.
func load(e datasets.Entry, dataDir, cacheDir string) (*Set, error) {
	path, mark, err := find(e, dataDir, cacheDir)
	if err != nil {
		return nil, err
	}
	digest, err := pinned(e, cacheDir)
	if err != nil {
		return nil, err
	}
	var cached *Set
	var cachedMark [32]byte
	unusable := fs.ErrNotExist // why the binary file does not serve
	if cacheDir != "" {
		cached, cachedMark, unusable = readCache(binPath(e, cacheDir), digest)
	}
	if cached != nil {
		cached.Name = e.Name
		cached.Source = path
		if path == "" {
			cached.Source = binPath(e, cacheDir)
		}
		if path == "" || mark == cachedMark {
			return cached, nil
		}
	}
	if path == "" {
		return nil, notHere(e, dataDir, cacheDir, unusable)
	}
	s, err := readSource(e, path, digest)
	if err != nil {
		return nil, err
	}
	if cacheDir != "" {
		keep(e, s, mark, cacheDir)
	}
	return s, nil
}

// keep writes the binary file, and the pin when the registry has no digest. What
// fails here costs time at the next load, no more.
func keep(e datasets.Entry, s *Set, mark [32]byte, cacheDir string) {
	if os.MkdirAll(cacheDir, 0o755) != nil {
		return
	}
	if e.SHA256 == "" {
		file.Write(pinPath(e, cacheDir), func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s  %s\n", s.Digest, e.File)
			return err
		})
	}
	file.Sweep(binPath(e, cacheDir))
	file.Write(binPath(e, cacheDir), func(w io.Writer) error { return encode(w, s, mark) })
}

// find returns the source file of e and a mark that changes when its path, size
// or time of change do; path is empty when there is no such file.
func find(e datasets.Entry, dataDir, cacheDir string) (path string, mark [32]byte, err error) {
	var places []string
	if dataDir != "" {
		places = append(places, filepath.Join(dataDir, e.File), filepath.Join(dataDir, e.Name, e.File))
	}
	if cacheDir != "" {
		places = append(places, filepath.Join(cacheDir, e.File))
	}
	for _, path := range places {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", mark, fmt.Errorf("fwdata: %w", err)
		case info.IsDir():
			continue
		}
		full, err := filepath.Abs(path)
		if err != nil {
			full = path
		}
		mark = sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", full, info.Size(), info.ModTime().UnixNano()))
		return path, mark, nil
	}
	return "", mark, nil
}

// notHere returns the error for a set without a source, when its binary file is
// unusable too: one line, with the remedy.
func notHere(e datasets.Entry, dataDir, cacheDir string, unusable error) error {
	get := fmt.Sprintf("run `go run ./fwopt/fwfetch %s` in fwlab's folder, "+
		"or set FWLAB_DATA to a folder that holds %s", e.Name, e.File)
	looked := "FWLAB_DATA is not set"
	if dataDir != "" {
		looked = "FWLAB_DATA is " + dataDir
	}
	looked += "; cache " + cacheDir
	switch {
	case errors.Is(unusable, fs.ErrNotExist):
	case errors.Is(unusable, errOther):
		looked += fmt.Sprintf(", where %s is %v", binPath(e, cacheDir), unusable)
	default:
		return fmt.Errorf("fwdata: %s: %w, and there is no %s to rebuild it from: remove it, then %s",
			binPath(e, cacheDir), unusable, e.File, get)
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

func binPath(e datasets.Entry, cacheDir string) string {
	return filepath.Join(cacheDir, e.Name+".bin")
}

func pinPath(e datasets.Entry, cacheDir string) string {
	return filepath.Join(cacheDir, e.File+".sha256")
}

// readChecked returns the file at path and its SHA-256, which must be the digest unless that
// is empty.
func readChecked(e datasets.Entry, path, digest string) (b []byte, got string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("fwdata: %w", err)
	}
	defer f.Close()
	b, err = io.ReadAll(io.LimitReader(f, e.MaxBytes+1))
	if err != nil {
		return nil, "", fmt.Errorf("fwdata: %w", err)
	}
	sum := sha256.Sum256(b)
	got = hex.EncodeToString(sum[:])
	if digest != "" && got != digest {
		what := "a damaged or another file"
		switch {
		case len(b) == 0:
			what = "an empty file"
		case bytes.HasPrefix(bytes.TrimSpace(b[:min(len(b), 512)]), []byte("<")) &&
			!bytes.Contains(b, []byte("END OF METADATA")): // a road network begins so, too
			what = "a web page (HTML)"
		}
		by := "as the registry says"
		if e.SHA256 == "" {
			by = "as pinned when it was first seen (" + e.File + ".sha256 in the cache folder)"
		}
		return nil, "", fmt.Errorf("fwdata: %s: %s: its SHA-256 is %s, not %s %s: "+
			"remove it and get %s again from %s", path, what, got, digest, by, e.File, e.URL)
	}
	return b, got, nil
}

// readSource reads the file at path, which must have the digest, or, when that is
// empty, the registry's shape.
func readSource(e datasets.Entry, path, digest string) (*Set, error) {
	b, got, err := readChecked(e, path, digest)
	if err != nil {
		return nil, err
	}
	s, err := read(bytes.NewReader(b), path)
	if err != nil {
		return nil, err
	}
	if digest == "" && (s.N() != e.N || s.M() > e.M || s.H() != e.Classes) {
		return nil, fmt.Errorf("fwdata: %s: n = %d, m = %d and %d classes, where %s has %d, %d and %d: "+
			"another file?", path, s.N(), s.M(), s.H(), e.Name, e.N, e.M, e.Classes)
	}
	s.X.M = max(s.X.M, e.M) // the last features may not occur in the file
	s.Name, s.Source, s.Digest = e.Name, path, got
	return s, nil
}

// digits reads the embedded set.
func digits(e datasets.Entry) (*Set, error) {
	text, err := io.ReadAll(&gunzip{from: bufio.NewReader(bytes.NewReader(datasets.Digits))})
	if err != nil {
		return nil, fmt.Errorf("fwdata: the embedded digits: %w", err)
	}
	x, labels, v := make([]float64, 0, e.N*e.M), make([]int, 0, e.N), 0
	for _, c := range text { // all numbers are small integers; the file's digest is tested
		switch c {
		case ',':
			x, v = append(x, float64(v)), 0
		case '\n':
			labels, v = append(labels, v), 0
		default:
			v = 10*v + int(c-'0')
		}
	}
	s, err := FromMatrix(e.Name, mat.NewDense(e.N, e.M, x), labels)
	if err == nil {
		s.Digest = e.SHA256
	}
	return s, err
}

// NetworkFiles returns what the files of the registry's road network of that name hold, links,
// trips, best known flows and nodes, for fwroad.LoadNetwork; "" for the path of one of the last
// two that is not here. Their SHA-256 is checked.
func NetworkFiles(name string) (paths [4]string, texts [4][]byte, err error) {
	e, ok := datasets.LookupNetwork(name)
	if !ok {
		return paths, texts, fmt.Errorf("fwdata: no network %q in the registry", name)
	}
	return networkFiles(e, os.Getenv("FWLAB_DATA"), cacheDir())
}

// networkFiles is NetworkFiles for one entry. An empty folder name is no folder.
func networkFiles(e datasets.Network, dataDir, cacheDir string) (
	paths [4]string, texts [4][]byte, err error) {
	for i, file := range e.Files() {
		path, _, err := find(file, dataDir, cacheDir)
		if path == "" && err == nil && dataDir != "" {
			path, _, err = find(file, filepath.Join(dataDir, "traffic"), "")
		}
		if path == "" && err == nil && i < 2 {
			err = fmt.Errorf("fwdata: %s of %s is %w (FWLAB_DATA is %q; cache %s): "+
				"run `go run ./fwopt/fwfetch %s` in fwlab's folder, "+
				"or set FWLAB_DATA to a folder that holds it",
				file.File, e.Name, ErrNotHere, dataDir, cacheDir, e.Name)
		}
		if err == nil && path != "" {
			texts[i], _, err = readChecked(file, path, file.SHA256)
		}
		if err != nil {
			return paths, texts, err
		}
		paths[i] = path
	}
	return paths, texts, nil
}

// Unavailable returns which of these sets and road networks of the registry are not on this
// machine, so that LoadOrTwin and fwroad.LoadNetworkOrGrid generate something in their place. A
// damaged one is not missing. It panics if the registry has no such name.
func Unavailable(names ...string) (missing []string) {
	for _, name := range names {
		_, set := datasets.Lookup(name)
		_, network := datasets.LookupNetwork(name)
		var err error
		switch {
		case set:
			_, err = Load(name)
		case network:
			_, _, err = NetworkFiles(name)
		default:
			panic(need.Linef("fwdata: no set or network %q in the registry", name))
		}
		if errors.Is(err, ErrNotHere) {
			missing = append(missing, name)
		}
	}
	return missing
}
