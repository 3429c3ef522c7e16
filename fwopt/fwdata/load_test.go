package fwdata

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

func sum(b []byte) string {
	d := sha256.Sum256(b)
	return hex.EncodeToString(d[:])
}

// useCache points os.UserCacheDir below dir, on every system.
func useCache(set func(key, value string) error, dir string) {
	for _, key := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		set(key, dir)
	}
}

// tiny is a registry entry of the small set.
func tiny() datasets.Entry {
	return datasets.Entry{Name: "tiny", File: "tiny.bz2", URL: "https://example.org/tiny.bz2", SHA256: sum(smallBz2), N: 3, M: 3, Classes: 2, MaxBytes: 1000}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// mustLoad loads e and checks that it is the small set.
func mustLoad(t *testing.T, e datasets.Entry, data, cache string) *Set {
	t.Helper()
	s, err := load(e, data, cache)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := Read(strings.NewReader(small), "f")
	if !same(s, want) || s.Name != "tiny" || s.Digest != sum(smallBz2) || s.Generated {
		t.Fatalf("%+v %+v", s, s.X)
	}
	return s
}

// refuse loads e and checks the error.
func refuse(t *testing.T, e datasets.Entry, data, cache string, want ...string) {
	t.Helper()
	s, err := load(e, data, cache)
	if err == nil {
		t.Fatalf("accepted: %v", s)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if errors.Is(err, ErrNotHere) {
		t.Errorf("%q wraps ErrNotHere", err)
	}
}

func TestLoadPlaces(t *testing.T) {
	data, cache := t.TempDir(), filepath.Join(t.TempDir(), "made", "by", "Load")
	e := tiny()
	if _, err := load(e, "", cache); !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "FWLAB_DATA is not set") ||
		!strings.Contains(err.Error(), "fwopt/fwfetch tiny") || strings.Contains(err.Error(), "\n") {
		t.Fatal(err)
	}
	if _, err := load(e, data, cache); !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "FWLAB_DATA is "+data) {
		t.Fatal(err)
	}
	if _, err := os.Stat(cache); err == nil {
		t.Fatal("looking made the folder")
	}

	// Each place in turn, the first one last; the binary file serves all three.
	last := ""
	for _, path := range []string{filepath.Join(cache, e.File), filepath.Join(data, e.Name, e.File), filepath.Join(data, e.File)} {
		write(t, path, smallBz2)
		for range 2 {
			if s := mustLoad(t, e, data, cache); s.Source != path {
				t.Errorf("from %s, not %s", s.Source, path)
			}
		}
		last = path
	}
	// A damaged file in the first place is an error, though the others are good.
	write(t, last, []byte(small))
	refuse(t, e, data, cache, last, "SHA-256 is "+sum([]byte(small))[:12], e.SHA256, e.URL)

	// With no source left, the binary file serves alone.
	os.RemoveAll(data)
	os.Remove(filepath.Join(cache, e.File))
	if s := mustLoad(t, e, data, cache); s.Source != filepath.Join(cache, "tiny.bin") {
		t.Errorf("from %s", s.Source)
	}
}

func TestLoadRefuses(t *testing.T) {
	e := tiny()
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"another file", []byte(small), "a damaged or another file"},
		{"cut off", smallBz2[:40], "a damaged or another file"},
		{"HTML", []byte("\n<!DOCTYPE html><html>404</html>"), "a web page (HTML)"},
		{"empty", nil, "an empty file"},
		{"too long", make([]byte, 5000), "a damaged or another file"},
	} {
		data, cache := t.TempDir(), t.TempDir()
		path := filepath.Join(data, e.File)
		write(t, path, c.b)
		refuse(t, e, data, cache, path, c.want, "remove it and get tiny.bz2 again")
		if left, _ := os.ReadDir(cache); len(left) > 0 {
			t.Errorf("%s: left %v", c.name, left)
		}
	}
}

// The binary file is what is read the second time, and only while the source's
// size and time are as they were.
func TestLoadUsesCache(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	path := filepath.Join(data, e.File)
	write(t, path, smallBz2)
	mustLoad(t, e, data, cache)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, bytes.Repeat([]byte("x"), len(smallBz2)))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	mustLoad(t, e, data, cache)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	refuse(t, e, data, cache, path, "SHA-256")

	// A touched file that is still good is checked once, and the mark renewed.
	write(t, path, smallBz2)
	mustLoad(t, e, data, cache)
	_, mark, err := find(e, data, cache)
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := readCache(filepath.Join(cache, "tiny.bin"), e.SHA256); err != nil || got != mark {
		t.Errorf("the mark was not renewed: %v", err)
	}
}

// Whatever happens to the binary file, Load gives the set and mends the file.
func TestLoadMendsCache(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	write(t, filepath.Join(data, e.File), smallBz2)
	mustLoad(t, e, data, cache)
	bin := filepath.Join(cache, "tiny.bin")
	good, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := readCache(bin, e.SHA256); err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) {
		t.Helper()
		write(t, bin, b)
		if _, _, err := readCache(bin, e.SHA256); err == nil {
			t.Errorf("%s: taken for good", what)
		}
		mustLoad(t, e, data, cache)
		if now, err := os.ReadFile(bin); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: not mended: %v", what, err)
		}
	}
	for k := range good {
		if k < 12 || k >= 16 && k < 48 || k >= 80 || k%8 == 0 {
			b := bytes.Clone(good)
			b[k] ^= 1 << (k % 8)
			try("a flipped bit", b)
		}
		if k%5 == 0 {
			try("cut off", good[:k])
		}
	}
	try("longer", append(bytes.Clone(good), 0))
	try("text", []byte("not a binary file"))
	if left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Without its source, a binary file that cannot be read is an error, not a set that is not here.
func TestLoadDamagedCacheAlone(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	write(t, filepath.Join(data, e.File), smallBz2)
	mustLoad(t, e, data, cache)
	bin := filepath.Join(cache, "tiny.bin")
	good, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	try := func(b []byte) {
		t.Helper()
		write(t, bin, b)
		refuse(t, e, "", cache, bin, "damaged", "remove it", "fwopt/fwfetch tiny", "FWLAB_DATA", "tiny.bz2")
		if now, err := os.ReadFile(bin); err != nil || !bytes.Equal(now, b) {
			t.Errorf("a refused file has changed: %v", err)
		}
	}
	for k := range good {
		if k < 8 || k >= 16 { // between them is the version
			b := bytes.Clone(good)
			b[k] ^= 1 << (k % 8)
			try(b)
		}
		try(good[:k])
	}
	try(append(bytes.Clone(good), 0))
	try(make([]byte, len(good)))
	try([]byte("not a binary file"))

	// What cannot be looked at is an error too.
	os.Remove(bin)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	refuse(t, e, "", cache, bin, "remove it", "fwopt/fwfetch tiny")
}

// A whole binary file that does not serve, without its source, is as good as none, and the error says so.
func TestLoadOldCacheAlone(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	write(t, filepath.Join(data, e.File), smallBz2)
	mustLoad(t, e, data, cache)
	bin := filepath.Join(cache, "tiny.bin")
	good, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	notHere := func(e datasets.Entry) {
		t.Helper()
		_, err := load(e, "", cache)
		if !errors.Is(err, ErrNotHere) {
			t.Fatal(err)
		}
		for _, want := range []string{bin, "another version or from another file", "fwopt/fwfetch tiny"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
		if strings.Contains(err.Error(), "damaged") {
			t.Errorf("%q speaks of damage", err)
		}
	}
	other := e
	other.SHA256 = sum(nil)
	notHere(other)
	other.SHA256 = "" // its pin is gone
	notHere(other)

	old := bytes.Clone(good)
	old[8]++
	write(t, bin, old)
	notHere(e)
	mustLoad(t, e, data, cache) // with its source it is rebuilt
	if now, err := os.ReadFile(bin); err != nil || !bytes.Equal(now, good) {
		t.Errorf("not rebuilt: %v", err)
	}
}

// With a right checksum but a content that is not a set, too: nothing is built on
// what the file says before it is checked.
func TestReadCacheChecksContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.bin")
	s, _ := Read(strings.NewReader(small), "f")
	try := func(what string, good bool, change func(*Set)) {
		t.Helper()
		c := *s
		x := *s.X
		c.X, c.Y, c.Labels = &x, slices.Clone(s.Y), slices.Clone(s.Labels)
		x.Ptr, x.Col = slices.Clone(x.Ptr), slices.Clone(x.Col)
		change(&c)
		var b bytes.Buffer
		if err := encode(&b, &c, [32]byte{1}); err != nil {
			t.Fatal(err)
		}
		write(t, path, b.Bytes())
		if _, _, err := readCache(path, s.Digest); (err == nil) != good {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("as it is", true, func(*Set) {})
	try("class out of range", false, func(c *Set) { c.Y[1] = 2 })
	try("labels descend", false, func(c *Set) { c.Labels[1] = 0 })
	try("column out of range", false, func(c *Set) { c.X.Col[2] = 3 })
	try("negative column", false, func(c *Set) { c.X.Col[0] = -1 })
	try("columns descend", false, func(c *Set) { c.X.Col[0], c.X.Col[1] = 2, 0 })
	try("rows too long", false, func(c *Set) { c.X.Ptr[3] = 9 })
	try("rows too short", false, func(c *Set) { c.X.Ptr[3] = 2; c.X.Ptr[2] = 2 })
}

func TestCacheRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.bin")
	g := rand.New(rand.NewPCG(5, 1))
	for range 100 {
		s := randomSet(g)
		mark := [32]byte{byte(g.Uint32())}
		if err := file.Write(path, func(w io.Writer) error { return encode(w, s, mark) }); err != nil {
			t.Fatal(err)
		}
		back, m, err := readCache(path, s.Digest)
		if err != nil || !same(s, back) || m != mark || contentDigest(back) != s.Digest {
			t.Fatalf("%v\n%+v\n%+v", err, s.X, back)
		}
		if _, _, err := readCache(path, sum(nil)); err == nil {
			t.Fatal("another digest: taken for good")
		}
	}
}

// A cache that cannot be written to costs time, not data. The cache's parent is a
// file here, which stops root too; then a read-only folder, which does not.
func TestLoadWithoutCache(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	e := tiny()
	write(t, filepath.Join(data, e.File), smallBz2)
	write(t, filepath.Join(dir, "file"), []byte("in the way"))
	if runtime.GOOS != "windows" { // there, the path below a file "does not exist" in another way
		if _, err := load(e, data, filepath.Join(dir, "file", "cache")); err != nil {
			t.Error(err)
		}
	}
	mustLoad(t, e, data, "")

	readOnly := filepath.Join(dir, "readonly")
	if err := os.Mkdir(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	mustLoad(t, e, data, readOnly)
	mustLoad(t, e, data, readOnly)
	left, _ := os.ReadDir(readOnly)
	for _, f := range left { // root's, whom the mode does not stop
		if f.Name() != "tiny.bin" {
			t.Errorf("left %s", f.Name())
		}
	}
}

// A file that cannot be looked at is an error, never a twin.
func TestLoadReportsTrouble(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths fail differently there")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), []byte("in the way"))
	e := tiny()
	refuse(t, e, filepath.Join(dir, "file"), t.TempDir(), "file")
}

func TestLoadsAtOnce(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	write(t, filepath.Join(data, e.File), smallBz2)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range 20 {
				if k%5 == 4 { // and someone breaks the cache meanwhile
					os.WriteFile(filepath.Join(cache, "tiny.bin"), []byte("fwlabset"), 0o644)
				}
				s, err := load(e, data, cache)
				if err != nil || len(s.X.Val) != 3 {
					t.Error(err, s)
				}
			}
		}()
	}
	wg.Wait()
	mustLoad(t, e, data, cache)
	files, _ := os.ReadDir(cache)
	if len(files) != 1 {
		t.Errorf("left %v", files)
	}
}

// Without a digest in the registry the first good file pins its own.
func TestPin(t *testing.T) {
	data, cache := t.TempDir(), t.TempDir()
	e := tiny()
	e.SHA256 = ""
	path := filepath.Join(data, e.File)

	// A file of another shape pins nothing.
	write(t, path, []byte("1 1:1\n2 1:1\n"))
	refuse(t, e, data, cache, path, "n = 2, m = 1 and 2 classes, where tiny has 3, 3 and 2")
	write(t, path, []byte("<html>"))
	refuse(t, e, data, cache, path, "a web page (HTML)")
	if files, _ := os.ReadDir(cache); len(files) > 0 {
		t.Fatalf("left %v", files)
	}

	write(t, path, smallBz2)
	for range 2 {
		mustLoad(t, e, data, cache)
	}
	pin := filepath.Join(cache, "tiny.bz2.sha256")
	if b, err := os.ReadFile(pin); err != nil || string(b) != sum(smallBz2)+"  tiny.bz2\n" {
		t.Fatalf("%q, %v", b, err)
	}

	// From now on the same content in another packing is another file.
	write(t, path, []byte(small))
	refuse(t, e, data, cache, path, "as pinned when it was first seen", "tiny.bz2.sha256")

	write(t, pin, []byte("garbage"))
	refuse(t, e, data, cache, pin, "not a SHA-256")
	os.Remove(pin)
	if s, err := load(e, data, cache); err != nil || s.Digest != sum([]byte(small)) {
		t.Fatal(err)
	}
}

func TestAdopt(t *testing.T) {
	useCache(func(k, v string) error { t.Setenv(k, v); return nil }, t.TempDir())
	dir, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	e := tiny()
	path := filepath.Join(filepath.Dir(dir), "download")
	write(t, path, []byte(small))
	if _, err := Import(e, path); err == nil || !strings.Contains(err.Error(), path) {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("a refused file is gone")
	}
	write(t, path, smallBz2)
	s, err := Import(e, path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Source != filepath.Join(dir, "tiny.bz2") || s.Digest != e.SHA256 {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was not moved")
	}
	mustLoad(t, e, "", dir)
}

func TestLoadByName(t *testing.T) {
	useCache(func(k, v string) error { t.Setenv(k, v); return nil }, t.TempDir())
	t.Setenv("FWLAB_DATA", t.TempDir())
	if _, err := Load("mnist"); err == nil || errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "digits, news20, rcv1, aloi") {
		t.Error(err)
	}
	if _, err := LoadOrTwin("mnist", 1); err == nil {
		t.Error("a twin of an unknown set")
	}
	if _, err := Load("news20"); !errors.Is(err, ErrNotHere) {
		t.Error(err)
	}
	s, err := LoadOrTwin("news20", 3)
	if err != nil || !s.Generated {
		t.Fatal(err)
	}
	// A damaged file is never hidden by a twin.
	write(t, filepath.Join(os.Getenv("FWLAB_DATA"), "news20.bz2"), smallBz2)
	if s, err := LoadOrTwin("news20", 3); err == nil || errors.Is(err, ErrNotHere) {
		t.Errorf("%v, %v", s, err)
	}
	// Nor is a damaged binary file that is all there is.
	os.Remove(filepath.Join(os.Getenv("FWLAB_DATA"), "news20.bz2"))
	dir, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "news20.bin")
	write(t, bin, []byte("fwlabset"))
	if s, err := LoadOrTwin("news20", 3); err == nil || errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), bin) {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := LoadOrTwin("digits", 3); err != nil || s.Generated {
		t.Error(err)
	}
}

// Unavailable has what something generated stands in for, and nothing else.
func TestUnavailable(t *testing.T) {
	useCache(func(k, v string) error { t.Setenv(k, v); return nil }, t.TempDir())
	data := t.TempDir()
	t.Setenv("FWLAB_DATA", data)
	for _, want := range [][]string{{"news20", "SiouxFalls", "Anaheim"}, {"Anaheim"}} {
		if got := Unavailable("digits", "news20", "SiouxFalls", "Anaheim"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		// Damaged ones are here.
		write(t, filepath.Join(data, "news20.bz2"), smallBz2)
		write(t, filepath.Join(data, "SiouxFalls_net.tntp"), []byte("damaged"))
		write(t, filepath.Join(data, "SiouxFalls_trips.tntp"), []byte("damaged"))
	}
	defer func() {
		if p := fmt.Sprint(recover()); p != `fwdata: no set or network "mnist" in the registry` {
			t.Errorf("%q", p)
		}
	}()
	Unavailable("mnist")
}

// The files of a network lie where those of a set may, or in a folder for traffic; the last two
// may be missing.
func TestNetworkFiles(t *testing.T) {
	e := datasets.Network{Name: "own"}
	data, cache := t.TempDir(), t.TempDir()
	_, _, err := networkFiles(e, data, cache)
	if !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "fwopt/fwfetch own") {
		t.Errorf("nowhere: %v", err)
	}
	var want [4]string
	for i, f := range []*datasets.Entry{&e.Net, &e.Trips, &e.Flow, &e.Nodes} {
		name := fmt.Sprint("own", i)
		digest := sha256.Sum256([]byte(name))
		*f = datasets.Entry{Name: "own", File: name, SHA256: hex.EncodeToString(digest[:]), MaxBytes: 100}
		want[i] = filepath.Join([]string{data, filepath.Join(data, "own"), filepath.Join(data, "traffic", "own"), cache}[i], name)
		write(t, want[i], []byte(name))
	}
	if paths, texts, err := networkFiles(e, data, cache); err != nil || paths != want || string(texts[3]) != "own3" {
		t.Errorf("%q, %q, %v", paths, texts, err)
	}
	if paths, _, err := networkFiles(e, data, ""); err != nil || paths[3] != "" || paths[2] != want[2] {
		t.Errorf("without the last: %q, %v", paths, err)
	}
	write(t, want[0], []byte("other"))
	if _, _, err := networkFiles(e, data, cache); err == nil || errors.Is(err, ErrNotHere) ||
		!strings.Contains(err.Error(), want[0]) || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a changed file: %v", err)
	}
}

// A full disk or any other failure leaves neither a half file nor a temporary
// one, and the file that was there stays.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.bin")
	write(t, path, []byte("old"))
	s := TwinN("digits", 100, 1)
	var whole bytes.Buffer
	if err := encode(&whole, s, [32]byte{}); err != nil {
		t.Fatal(err)
	}
	for left := 0; left < whole.Len(); left += 1 + left/3 {
		err := file.Write(path, func(w io.Writer) error {
			return encode(io.MultiWriter(&failing{left: left}, w), s, [32]byte{})
		})
		if !errors.Is(err, errFull) {
			t.Fatalf("with %d bytes left: %v", left, err)
		}
		if b, _ := os.ReadFile(path); string(b) != "old" {
			t.Fatalf("with %d bytes left: the old file is gone", left)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left %v", files)
	}
	// What a killed program has left goes, once it is old.
	for k, age := range []time.Duration{0, 2 * time.Hour} {
		tmp := filepath.Join(dir, "f.bin."+string(rune('1'+k))+".tmp")
		write(t, tmp, nil)
		os.Chtimes(tmp, time.Now().Add(-age), time.Now().Add(-age))
	}
	file.Sweep(path)
	write(t, path, nil)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{path, path + ".1.tmp"}; !slices.Equal(files, want) {
		t.Errorf("%v, want %v", files, want)
	}
}

// realData is the folder of the real files, from before the tests changed the
// environment.
var realData = os.Getenv("FWLAB_DATA")

func news20(t testing.TB) (e datasets.Entry, path string) {
	e, _ = datasets.Lookup("news20")
	path, _, err := find(e, realData, "")
	if err != nil || path == "" {
		t.Skip("no news20.bz2 in FWLAB_DATA")
	}
	return e, path
}

// The facts of Table 3 and of the registry, from the file.
func TestNews20(t *testing.T) {
	e, path := news20(t)
	cache := t.TempDir()
	s, err := load(e, realData, cache)
	if err != nil {
		t.Fatal(err)
	}
	checkSet(t, s)
	if s.N() != 15935 || s.M() != 62061 || s.H() != 20 || len(s.X.Val) != 1272569 {
		t.Error(s)
	}
	if c := s.counts(); slices.Min(c) != 780 || slices.Max(c) != 800 || s.Labels[0] != 1 || s.Labels[19] != 20 {
		t.Errorf("%v %v", s.Labels, c)
	}
	used := map[int32]bool{}
	for _, j := range s.X.Col {
		used[j] = true
	}
	if len(used) != 60346 || slices.Min(s.X.Val) != 1 || slices.Max(s.X.Val) != 549 {
		t.Errorf("%d columns used, values %g to %g", len(used), slices.Min(s.X.Val), slices.Max(s.X.Val))
	}
	again, err := load(e, realData, cache)
	if err != nil || !same(s, again) {
		t.Errorf("from the binary file: %v", err)
	}
	own, err := ReadFile(path)
	if err != nil || !same(s, own) || own.Digest != s.Digest || own.Name != "news20" {
		t.Errorf("by its path: %v", err)
	}
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	x, _ := naive(t, b.String())
	if !slices.Equal(x.Col, s.X.Col) || !slices.Equal(x.Ptr, s.X.Ptr) || !slices.Equal(x.Val, s.X.Val) {
		t.Error("a plain reader reads another matrix")
	}
	// The registry's distribution of row sizes is the file's.
	sizes := make([]int, s.N())
	for i := range sizes {
		sizes[i] = s.X.Ptr[i+1] - s.X.Ptr[i]
	}
	slices.Sort(sizes)
	for _, q := range e.RowNonzeros {
		if got := sizes[int(math.RoundToEven(q[0]/100*float64(s.N()-1)))]; float64(got) != q[1] {
			t.Errorf("%g %% of the rows have at most %d nonzeros, not %g", q[0], got, q[1])
		}
	}
}

func BenchmarkReadNews20(b *testing.B) {
	_, path := news20(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCachedNews20(b *testing.B) {
	e, _ := news20(b)
	cache := b.TempDir()
	if _, err := load(e, realData, cache); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := load(e, realData, cache); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse reads unpacked text, 1.27 million numbers.
func BenchmarkParse(b *testing.B) {
	s := Twin("news20", 1)
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(bytes.NewReader(text.Bytes()), "f"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTwinNews20(b *testing.B) {
	for b.Loop() {
		Twin("news20", 1)
	}
}

func BenchmarkDigits(b *testing.B) {
	for b.Loop() {
		if _, err := Load("digits"); err != nil {
			b.Fatal(err)
		}
	}
}
