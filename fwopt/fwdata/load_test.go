package fwdata

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
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
func useCache(set func(key, value string), dir string) {
	for _, key := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		set(key, dir)
	}
}

func TestMain(m *testing.M) {
	// No test may write to the user's cache.
	dir, err := os.MkdirTemp("", "fwdata")
	if err != nil {
		panic(err)
	}
	useCache(func(key, value string) { os.Setenv(key, value) }, dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// tiny is a registry entry of the small set, of which data has the file.
func tiny(t *testing.T) (e datasets.Entry, data, cache string) {
	e = datasets.Entry{Name: "tiny", File: "tiny.bz2", URL: "https://example.org/tiny.bz2",
		SHA256: sum(smallBz2), N: 3, M: 3, Classes: 2, MaxBytes: 1000}
	data, cache = t.TempDir(), t.TempDir()
	write(t, filepath.Join(data, e.File), smallBz2)
	return e, data, cache
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
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
	_, err := load(e, data, cache)
	says(t, err, want...)
	if errors.Is(err, ErrNotHere) {
		t.Errorf("%q wraps ErrNotHere", err)
	}
}

// says fails unless there is an error, in a line, that has all that is wanted.
func says(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("accepted, want %q", want)
	}
	for _, w := range append(want, "fwdata: ") {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

// files lists a folder.
func files(dir string) string {
	var names []string
	all, _ := os.ReadDir(dir)
	for _, f := range all {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
}

func TestLoadPlaces(t *testing.T) {
	e, data, _ := tiny(t)
	cache := filepath.Join(t.TempDir(), "made", "by", "Load")
	os.Remove(filepath.Join(data, e.File))
	for dir, want := range map[string]string{"": "FWLAB_DATA is not set", data: "FWLAB_DATA is " + data} {
		_, err := load(e, dir, cache)
		if says(t, err, want, "fwopt/fwfetch tiny"); !errors.Is(err, ErrNotHere) {
			t.Error(err)
		}
	}
	if _, err := os.Stat(cache); err == nil {
		t.Fatal("looking made the folder")
	}
	// Each place in turn, the first one last; the binary file serves all three.
	places := []string{filepath.Join(cache, e.File), filepath.Join(data, e.Name, e.File),
		filepath.Join(data, e.File)}
	for _, path := range places {
		write(t, path, smallBz2)
		for range 2 {
			if s := mustLoad(t, e, data, cache); s.Source != path {
				t.Errorf("from %s, not %s", s.Source, path)
			}
		}
	}
	// A damaged file in the first place is an error, though the others are good.
	write(t, places[2], []byte(small))
	refuse(t, e, data, cache, places[2], "SHA-256 is "+sum([]byte(small))[:12], e.SHA256, e.URL)
	// With no source left, the binary file serves alone.
	os.RemoveAll(data)
	os.Remove(places[0])
	if s := mustLoad(t, e, data, cache); s.Source != filepath.Join(cache, "tiny.bin") {
		t.Errorf("from %s", s.Source)
	}
}

func TestLoadRefuses(t *testing.T) {
	e, data, cache := tiny(t)
	path := filepath.Join(data, e.File)
	for text, want := range map[string]string{
		small:                               "a damaged or another file",
		string(smallBz2[:40]):               "a damaged or another file",
		strings.Repeat("a", 5000):           "a damaged or another file",
		"\n<!DOCTYPE html><html>404</html>": "a web page (HTML)",
		"":                                  "an empty file",
	} {
		write(t, path, []byte(text))
		if refuse(t, e, data, cache, path, want, "remove it and get tiny.bz2 again"); files(cache) != "" {
			t.Errorf("%s: left %s", want, files(cache))
		}
	}
	if runtime.GOOS != "windows" { // a file that cannot be looked at is an error, never a twin
		refuse(t, e, path, cache, path)
	}
}

// The binary file is what is read the second time, and only for a source that is as it was.
func TestLoadUsesCache(t *testing.T) {
	e, data, cache := tiny(t)
	mustLoad(t, e, data, cache)
	other := TwinN("digits", 20, 1)
	other.Digest = e.SHA256
	var b bytes.Buffer
	if err := other.Encode(&b); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "tiny.bin"), b.Bytes())
	if s, err := load(e, data, cache); err != nil || !same(s, other) {
		t.Errorf("%v, %v", s, err)
	}
	write(t, filepath.Join(data, e.File), bytes.Repeat([]byte("x"), len(smallBz2)))
	refuse(t, e, data, cache, filepath.Join(data, e.File), "SHA-256")
}

// Whatever happens to the binary file, Load gives the set and mends the file; without the
// source it is an error, not a set that is not here.
func TestLoadDamagedCache(t *testing.T) {
	e, data, cache := tiny(t)
	mustLoad(t, e, data, cache)
	bin := filepath.Join(cache, "tiny.bin")
	good, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	mended := func(what string) {
		t.Helper()
		mustLoad(t, e, data, cache)
		if now, err := os.ReadFile(bin); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: not mended: %v", what, err)
		}
	}
	flipped := bytes.Clone(good)
	flipped[len(good)/2] ^= 1
	for what, b := range map[string][]byte{
		"a flipped bit": flipped, "cut off": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
		"empty": nil, "zeros": make([]byte, len(good)), "text": []byte("no binary file"),
	} {
		write(t, bin, b)
		refuse(t, e, "", cache, bin, "damaged", "remove it", "fwopt/fwfetch tiny", "FWLAB_DATA", "tiny.bz2")
		if now, err := os.ReadFile(bin); err != nil || !bytes.Equal(now, b) {
			t.Errorf("%s: a refused file has changed: %v", what, err)
		}
		mended(what)
	}
	if files(cache) != "tiny.bin" {
		t.Errorf("left %s", files(cache))
	}

	// A whole one that does not serve is as good as none, and the error says so.
	notHere := func(e datasets.Entry) {
		t.Helper()
		_, err := load(e, "", cache)
		says(t, err, bin, "another version or from another file", "fwopt/fwfetch tiny")
		if !errors.Is(err, ErrNotHere) || strings.Contains(err.Error(), "damaged") {
			t.Error(err)
		}
	}
	other := e
	for _, other.SHA256 = range []string{sum(nil), ""} { // without a digest, its pin is gone
		notHere(other)
	}
	old := bytes.Clone(good[:len(good)-8])
	old[8]++
	write(t, bin, file.Seal(old))
	notHere(e)
	mended("an old one") // with its source
	// What cannot be looked at is an error too.
	os.Remove(bin)
	os.Mkdir(bin, 0o755)
	refuse(t, e, "", cache, bin, "remove it", "fwopt/fwfetch tiny")
}

// A cache that cannot be written to costs time, not data. Its parent is a file here, which stops root too.
func TestLoadWithoutCache(t *testing.T) {
	e, data, dir := tiny(t)
	write(t, filepath.Join(dir, "file"), []byte("in the way"))
	if runtime.GOOS != "windows" { // there, the path below a file "does not exist" in another way
		mustLoad(t, e, data, filepath.Join(dir, "file", "cache"))
	}
	mustLoad(t, e, data, "")
}

func TestLoadsAtOnce(t *testing.T) {
	e, data, cache := tiny(t)
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
	if mustLoad(t, e, data, cache); files(cache) != "tiny.bin" {
		t.Errorf("left %s", files(cache))
	}
}

// Without a digest in the registry the first good file pins its own.
func TestPin(t *testing.T) {
	e, data, cache := tiny(t)
	e.SHA256 = ""
	path := filepath.Join(data, e.File)
	// A file of another shape pins nothing.
	write(t, path, []byte("1 1:1\n2 1:1\n"))
	refuse(t, e, data, cache, path, "n = 2, m = 1 and 2 classes, where tiny has 3, 3 and 2")
	write(t, path, []byte("<html>"))
	if refuse(t, e, data, cache, path, "a web page (HTML)"); files(cache) != "" {
		t.Fatalf("left %s", files(cache))
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

// A file is kept where Load finds it, and a wrong one not at all.
func TestImport(t *testing.T) {
	useCache(t.Setenv, t.TempDir())
	dir, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	e, _, _ := tiny(t)
	says(t, Import(e, []byte(small)), e.URL, "SHA-256")
	if err := Import(e, smallBz2); err != nil {
		t.Error(err)
	}
	mustLoad(t, e, "", dir)
	e.File, e.SHA256 = "pinned.bz2", ""
	says(t, Import(e, []byte("1 1:1\n2 1:1\n")), e.URL, "n = 2, m = 1")
	if err := Import(e, smallBz2); err != nil || files(dir) != "pinned.bz2 tiny.bin tiny.bz2" {
		t.Errorf("%s in the cache: %v", files(dir), err)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	useCache(t.Setenv, file) // which stops root too
	e.SHA256 = sum(smallBz2)
	says(t, Import(e, smallBz2), "cannot write to the cache folder", "set FWLAB_DATA")
}

func TestLoadByName(t *testing.T) {
	useCache(t.Setenv, t.TempDir())
	data := t.TempDir()
	t.Setenv("FWLAB_DATA", data)
	for _, err := range []error{second(Load("mnist")), second(LoadOrTwin("mnist", 1))} {
		if says(t, err, "digits, news20, rcv1, aloi"); errors.Is(err, ErrNotHere) {
			t.Error(err)
		}
	}
	if _, err := Load("news20"); !errors.Is(err, ErrNotHere) {
		t.Error(err)
	}
	if s, err := LoadOrTwin("news20", 3); err != nil || !s.Generated {
		t.Fatal(err)
	}
	// A damaged file is never hidden by a twin, nor a damaged binary file that is all there is.
	dir, _ := CacheDir()
	for _, path := range []string{filepath.Join(data, "news20.bz2"), filepath.Join(dir, "news20.bin")} {
		write(t, path, []byte("fwlabset"))
		_, err := LoadOrTwin("news20", 3)
		if says(t, err, path); errors.Is(err, ErrNotHere) {
			t.Error(err)
		}
		os.Remove(path)
	}
	if s, err := LoadOrTwin("digits", 3); err != nil || s.Generated {
		t.Error(err)
	}
}

// Unavailable has what something generated stands in for, and nothing else.
func TestUnavailable(t *testing.T) {
	useCache(t.Setenv, t.TempDir())
	data := t.TempDir()
	t.Setenv("FWLAB_DATA", data)
	for _, want := range [][]string{{"news20", "SiouxFalls", "Anaheim"}, {"Anaheim"}} {
		if got := Unavailable("digits", "news20", "SiouxFalls", "Anaheim"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for _, file := range []string{"news20.bz2", "SiouxFalls_net.tntp", "SiouxFalls_trips.tntp"} {
			write(t, filepath.Join(data, file), []byte("damaged")) // a damaged one is here
		}
	}
}

// The files of a network lie where those of a set may, or in a folder for traffic; the last two
// may be missing.
func TestNetworkFiles(t *testing.T) {
	useCache(t.Setenv, t.TempDir())
	cache, _ := CacheDir()
	data := t.TempDir()
	t.Setenv("FWLAB_DATA", data)
	e := datasets.Network{Name: "own"}
	want := [4]string{data, filepath.Join(data, "own"), filepath.Join(data, "traffic", "own"), cache}
	for i, f := range []*datasets.Entry{&e.Net, &e.Trips, &e.Flow, &e.Nodes} {
		name := fmt.Sprint("own", i)
		*f = datasets.Entry{Name: "own", File: name, SHA256: sum([]byte(name)), MaxBytes: 100}
		want[i] = filepath.Join(want[i], name)
	}
	if err := third(NetworkFiles(e)); !errors.Is(err, ErrNotHere) {
		t.Error(err)
	}
	for _, path := range want {
		write(t, path, []byte(filepath.Base(path)))
	}
	paths, texts, err := NetworkFiles(e)
	if err != nil || paths != want || string(texts[3]) != "own3" {
		t.Errorf("%q, %q, %v", paths, texts, err)
	}
	os.Remove(want[3])
	if paths, _, err := NetworkFiles(e); err != nil || paths[3] != "" || paths[2] != want[2] {
		t.Errorf("without the last: %q, %v", paths, err)
	}
	write(t, want[0], []byte("other"))
	err = third(NetworkFiles(e))
	if says(t, err, want[0], "SHA-256"); errors.Is(err, ErrNotHere) {
		t.Error(err)
	}
}

func third[S, T any](_ S, _ T, err error) error { return err }

// A failure leaves neither a half file nor a temporary one, and the file that was there stays.
// What a killed program has left goes, once it is old.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.bin")
	write(t, path, []byte("old"))
	err := file.Write(path, func(w io.Writer) error {
		w.Write(make([]byte, 1<<20))
		return errFull
	})
	if b, _ := os.ReadFile(path); !errors.Is(err, errFull) || string(b) != "old" || files(dir) != "f.bin" {
		t.Fatalf("%v; %q in %s", err, b, files(dir))
	}
	for k, age := range []time.Duration{0, 2 * time.Hour} {
		tmp := fmt.Sprintf("%s.%d.tmp", path, k)
		write(t, tmp, nil)
		os.Chtimes(tmp, time.Now().Add(-age), time.Now().Add(-age))
	}
	if file.Sweep(path); files(dir) != "f.bin f.bin.0.tmp" {
		t.Errorf("left %s", files(dir))
	}
}

// realData is the folder of the real files, from before the tests changed the
// environment.
var realData = os.Getenv("FWLAB_DATA")

// The facts of Table 3 and of the registry, from the file.
func TestNews20(t *testing.T) {
	e, _ := datasets.Lookup("news20")
	cache := t.TempDir()
	s, err := load(e, realData, cache)
	if errors.Is(err, ErrNotHere) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkSet(t, s)
	want := "news20: n = 15,935, m = 62,061, h = 20, 1,272,569 nonzeros (79.9 a row), " +
		"780 to 800 examples a class"
	if s.String() != want || s.Labels[0] != 1 || s.Labels[19] != 20 {
		t.Errorf("%v, labels %v", s, s.Labels)
	}
	used := map[int32]bool{}
	for _, j := range s.X.Col {
		used[j] = true
	}
	if len(used) != 60346 || slices.Min(s.X.Val) != 1 || slices.Max(s.X.Val) != 549 {
		t.Errorf("%d columns used, values %g to %g", len(used), slices.Min(s.X.Val), slices.Max(s.X.Val))
	}
	if again, err := load(e, realData, cache); err != nil || !same(s, again) {
		t.Errorf("from the binary file: %v", err)
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
