package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/fwdata"
)

// data is a file of some 400 KB, longer than a buffer and than what a connection
// holds back.
var data = func() []byte {
	var b bytes.Buffer
	if err := fwdata.TwinN("digits", 1797, 1).Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

func sum(b []byte) string {
	d := sha256.Sum256(b)
	return hex.EncodeToString(d[:])
}

// site is a server of the file, whose manners a test may spoil.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // the Range of each request since now
	serve func(w http.ResponseWriter, r *http.Request, nth int)
}

const etag = `"v1"`

// now changes the manners and forgets what was asked.
func (s *site) now(serve func(w http.ResponseWriter, r *http.Request, nth int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.serve = nil, serve
}

// good are the manners of a good server.
func good(w http.ResponseWriter, r *http.Request, nth int) { whole(w, r, data) }

// ranges returns what was asked.
func (s *site) ranges() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func newSite(t *testing.T) (*site, datasets.Entry) {
	t.Helper()
	dir := t.TempDir()
	for _, key := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(key, dir)
	}
	s := &site{}
	s.serve = good
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Header.Get("Range"))
		nth, serve := len(s.asked), s.serve
		s.mu.Unlock()
		serve(w, r, nth)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it speaks of the connections that we break
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, datasets.Entry{Name: "tiny", File: "tiny.svm", URL: s.URL + "/tiny.svm", SHA256: sum(data),
		N: 1797, M: 64, Classes: 10, MaxBytes: 1 << 20}
}

// whole serves b as a good server does, with ranges.
func whole(w http.ResponseWriter, r *http.Request, b []byte) {
	w.Header().Set("ETag", etag)
	http.ServeContent(w, r, "tiny.svm", time.Time{}, bytes.NewReader(b))
}

// cut serves the first k bytes of what was asked for, and breaks off.
func cut(w http.ResponseWriter, r *http.Request, k int) {
	rec := httptest.NewRecorder()
	whole(rec, r, data)
	for key, v := range rec.Header() {
		w.Header()[key] = v
	}
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes()[:min(k, rec.Body.Len())])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func (s *site) get(e datasets.Entry) (*fwdata.Set, error) {
	return fetch(context.Background(), s.Client(), e)
}

// mustGet downloads e, checks the content and that nothing else is left.
func (s *site) mustGet(t *testing.T, e datasets.Entry) {
	t.Helper()
	set, err := s.get(e)
	if err != nil {
		t.Fatal(err)
	}
	if set.N() != 1797 || set.Digest != sum(data) || set.Name != "tiny" {
		t.Errorf("%v, %s", set, set.Digest)
	}
	if b, err := os.ReadFile(set.Source); err != nil || !bytes.Equal(b, data) {
		t.Errorf("%s is not the file: %v", set.Source, err)
	}
	if want := "tiny.bin tiny.svm"; e.SHA256 != "" && files(t) != want {
		t.Errorf("in the cache: %s, want %s", files(t), want)
	}
}

// mustFail expects an error that says all that is wanted, and the given files.
func (s *site) mustFail(t *testing.T, e datasets.Entry, left string, want ...string) {
	t.Helper()
	set, err := s.get(e)
	if err == nil {
		t.Fatalf("accepted: %v", set)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if files(t) != left {
		t.Errorf("in the cache: %q, want %q", files(t), left)
	}
}

// files lists the cache.
func files(t *testing.T) string {
	t.Helper()
	dir, err := fwdata.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	all, _ := os.ReadDir(dir)
	var names []string
	for _, f := range all {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
}

func TestGet(t *testing.T) {
	s, e := newSite(t)
	s.mustGet(t, e)
	if len(s.ranges()) != 1 || s.ranges()[0] != "" {
		t.Errorf("asked %q", s.ranges())
	}
}

// A connection that breaks is taken up again at once, where it stopped.
func TestGoesOn(t *testing.T) {
	s, e := newSite(t)
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
		if nth < 4 {
			cut(w, r, 50000)
		}
		whole(w, r, data)
	})
	s.mustGet(t, e)
	if want := []string{"", "bytes=50000-", "bytes=100000-", "bytes=150000-"}; fmt.Sprint(s.ranges()) != fmt.Sprint(want) {
		t.Errorf("asked %q, want %q", s.ranges(), want)
	}
}

// What a call could not finish, the next goes on from, and only if the server's
// file is still the same one.
func TestGoesOnNextTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request)
		asked int // requests of the second call
	}{
		{"good server", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-Range") != etag {
				t.Errorf("If-Range: %q", r.Header.Get("If-Range"))
			}
			whole(w, r, data)
		}, 1},
		{"ignores Range", func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			whole(w, r, data)
		}, 1},
		{"another version now", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, 1},
		{"416", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			whole(w, r, data)
		}, 2},
		{"another range than asked for", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(data)
				return
			}
			whole(w, r, data)
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, e := newSite(t)
			s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
				if nth == 1 {
					cut(w, r, 70000)
				}
				panic(http.ErrAbortHandler) // the network is gone
			})
			s.mustFail(t, e, "tiny.svm.part tiny.svm.part.tag", "fwfetch: ", e.URL)
			s.now(func(w http.ResponseWriter, r *http.Request, nth int) { c.serve(w, r) })
			s.mustGet(t, e)
			if s.ranges()[0] != "bytes=70000-" || len(s.ranges()) != c.asked {
				t.Errorf("asked %q", s.ranges())
			}
		})
	}
}

// A kept part that is not the file's beginning spoils one download, not the result.
func TestSpoiledPart(t *testing.T) {
	s, e := newSite(t)
	dir, _ := fwdata.CacheDir()
	os.MkdirAll(dir, 0o755)
	os.WriteFile(filepath.Join(dir, "tiny.svm.part"), make([]byte, 1000), 0o600)
	os.WriteFile(filepath.Join(dir, "tiny.svm.part.tag"), []byte(etag+"\n"), 0o600)
	s.mustGet(t, e)
	if fmt.Sprint(s.ranges()) != "[bytes=1000- ]" {
		t.Errorf("asked %q", s.ranges())
	}
	// Without its note it is not even tried.
	os.RemoveAll(dir)
	os.MkdirAll(dir, 0o755)
	os.WriteFile(filepath.Join(dir, "tiny.svm.part"), make([]byte, 1000), 0o600)
	s.now(good)
	s.mustGet(t, e)
	if fmt.Sprint(s.ranges()) != "[]" {
		t.Errorf("asked %q", s.ranges())
	}
}

// The part of a download that was killed is taken over once it is old, and a
// young one is left to its owner.
func TestKilledDownload(t *testing.T) {
	s, e := newSite(t)
	dir, _ := fwdata.CacheDir()
	os.MkdirAll(dir, 0o755)
	path := filepath.Join(dir, "tiny.svm.123.part")
	os.WriteFile(path, data[:3000], 0o600)
	os.WriteFile(path+".tag", []byte(etag+"\n"), 0o600)
	if _, err := s.get(e); err != nil {
		t.Fatal(err)
	}
	if want := "tiny.bin tiny.svm tiny.svm.123.part tiny.svm.123.part.tag"; files(t) != want || fmt.Sprint(s.ranges()) != "[]" {
		t.Errorf("%s, want %s; asked %q", files(t), want, s.ranges())
	}
	os.Remove(filepath.Join(dir, "tiny.svm"))
	old := time.Now().Add(-2 * abandoned)
	os.Chtimes(path, old, old)
	s.now(good)
	s.mustGet(t, e)
	if fmt.Sprint(s.ranges()) != "[bytes=3000-]" {
		t.Errorf("asked %q", s.ranges())
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request, nth int)
		left  string
		want  []string
	}{
		{"404", func(w http.ResponseWriter, r *http.Request, nth int) { http.NotFound(w, r) },
			"", []string{"404 Not Found", "set FWLAB_DATA to the folder that holds tiny.svm"}},
		{"HTML by its type", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "<html>please log in</html>")
		}, "", []string{"a web page (HTML)"}},
		{"HTML by its content", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("Content-Type", "application/octet-stream")
			io.WriteString(w, "<html>please log in</html>")
		}, "", []string{"a web page (HTML)", "SHA-256"}},
		{"empty", func(w http.ResponseWriter, r *http.Request, nth int) {}, "", []string{"an empty file"}},
		{"another file", func(w http.ResponseWriter, r *http.Request, nth int) { w.Write(data[:len(data)-1]) },
			"", []string{"a damaged or another file", sum(data)}},
		{"too long by its header", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("Content-Length", "2000000")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // refused before any of it came
		}, "", []string{"longer than the 1048576 bytes"}},
		{"endless", func(w http.ResponseWriter, r *http.Request, nth int) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1<<16))
			}
		}, "", []string{"longer than the 1048576 bytes"}},
		{"always breaks off", func(w http.ResponseWriter, r *http.Request, nth int) { cut(w, r, 10) },
			"tiny.svm.part tiny.svm.part.tag", []string{"after 50 bytes", "unexpected EOF", "call again to go on"}},
		{"breaks off, without a version", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Write(data[:100])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "", []string{"after 100 bytes"}},
		{"overloaded", func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 1 {
				cut(w, r, 1000)
			}
			http.Error(w, "later", http.StatusServiceUnavailable)
		}, "tiny.svm.part tiny.svm.part.tag", []string{"503 Service Unavailable: try later"}},
		{"a login page half-way", func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 1 {
				cut(w, r, 1000)
			}
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>please log in</html>")
		}, "tiny.svm.part tiny.svm.part.tag", []string{"a web page (HTML)"}},
		{"range unasked for", func(w http.ResponseWriter, r *http.Request, nth int) { w.WriteHeader(http.StatusPartialContent) },
			"", []string{"206 Partial Content"}},
		{"redirected to http", func(w http.ResponseWriter, r *http.Request, nth int) {
			http.Redirect(w, r, "http://example.org/", http.StatusFound)
		}, "", []string{"redirected away from https"}},
		{"redirected for ever", func(w http.ResponseWriter, r *http.Request, nth int) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "", []string{"too many redirects"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, e := newSite(t)
			s.now(c.serve)
			s.Client().CheckRedirect = client.CheckRedirect
			s.mustFail(t, e, c.left, append(c.want, "fwfetch: ")...)
			s.now(good)
			s.mustGet(t, e) // and nothing of it stands in the way of a good download
		})
	}
}

func TestNoNetwork(t *testing.T) {
	s, e := newSite(t)
	s.Close()
	s.mustFail(t, e, "", "fwfetch: ", e.URL, "set FWLAB_DATA")
	e.URL = "http://example.org/tiny.svm"
	s.mustFail(t, e, "", "not an https address")
	// The certificate counts: the plain client does not know the test's.
	s2, e2 := newSite(t)
	if _, err := fetch(context.Background(), client, e2); err == nil || !strings.Contains(err.Error(), "certificate") || len(s2.ranges()) > 0 {
		t.Errorf("%v, asked %q", err, s2.ranges())
	}
}

// A connection that goes silent is given up; one that is interrupted ends at
// once. Both keep what came.
func TestSilence(t *testing.T) {
	s, e := newSite(t)
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
		rec := httptest.NewRecorder()
		whole(rec, r, data)
		for key, v := range rec.Header() {
			w.Header()[key] = v
		}
		w.WriteHeader(rec.Code)
		if nth == 1 {
			w.Write(data[:1000])
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	idle = 2 * time.Second
	defer func() { idle = 30 * time.Second }()
	s.mustFail(t, e, "tiny.svm.part tiny.svm.part.tag", "after 1000 bytes", "nothing came for 2s")

	idle = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	start := time.Now()
	_, err := fetch(ctx, s.Client(), e)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if files(t) != "tiny.svm.part tiny.svm.part.tag" {
		t.Error(files(t))
	}
	s.now(good)
	s.mustGet(t, e)
	if fmt.Sprint(s.ranges()) != "[bytes=1000-]" {
		t.Errorf("asked %q", s.ranges())
	}
}

// A slow connection is not a silent one.
func TestSlow(t *testing.T) {
	s, e := newSite(t)
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
		for k := range 7 {
			w.Write(data[k*len(data)/7 : (k+1)*len(data)/7])
			w.(http.Flusher).Flush()
			time.Sleep(350 * time.Millisecond)
		}
	})
	idle = 2 * time.Second
	defer func() { idle = 30 * time.Second }()
	s.mustGet(t, e)
	if len(s.ranges()) != 1 {
		t.Errorf("asked %q", s.ranges())
	}
}

// Downloads at once, over a server that breaks off at random places: each gets
// the file, and nothing is left over.
func TestAtOnce(t *testing.T) {
	s, e := newSite(t)
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
		if nth%3 == 0 {
			cut(w, r, 10000*nth%len(data))
		}
		whole(w, r, data)
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				set, err := s.get(e)
				if err == nil {
					if set.Digest != sum(data) || set.N() != 1797 {
						t.Error(set)
					}
					return
				}
				if !strings.Contains(err.Error(), "EOF") {
					t.Error(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	s.mustGet(t, e)
}

// Without a digest in the registry, the first download pins its own.
func TestPins(t *testing.T) {
	s, e := newSite(t)
	e.SHA256 = ""
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) { io.WriteString(w, "1 1:1\n2 1:1\n") })
	s.mustFail(t, e, "", "n = 2, m = 1 and 2 classes, where tiny has 1797, 64 and 10")
	s.now(good)
	s.mustGet(t, e)
	if want := "tiny.bin tiny.svm tiny.svm.sha256"; files(t) != want {
		t.Errorf("in the cache: %s, want %s", files(t), want)
	}
	changed := append([]byte("# another\n"), data...)
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) { whole(w, r, changed) })
	s.mustFail(t, e, "tiny.bin tiny.svm tiny.svm.sha256", "as pinned when it was first seen")
}

// The cache's parent is a file here, which stops root too.
func TestNoCacheFolder(t *testing.T) {
	s, e := newSite(t)
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	for _, key := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(key, file)
	}
	if _, err := s.get(e); err == nil || !strings.Contains(err.Error(), "cannot write to the cache folder") || len(s.ranges()) > 0 {
		t.Errorf("%v, asked %q", err, s.ranges())
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // modes stop neither
	}
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "fwlab"), 0o555)
	t.Setenv("XDG_CACHE_HOME", dir)
	if _, err := s.get(e); err == nil || !strings.Contains(err.Error(), "cannot write to the cache folder") {
		t.Error(err)
	}
}

// A write that fails leaves nothing: here the file is closed under the download.
func TestWriteFails(t *testing.T) {
	s, e := newSite(t)
	dir, _ := fwdata.CacheDir()
	os.MkdirAll(dir, 0o755)
	p, err := claim(dir, e, s.Client())
	if err != nil {
		t.Fatal(err)
	}
	s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
		cut(w, r, 1000) // then goes on at a file that is closed
	})
	if err := p.connect(context.Background()); err == nil {
		t.Fatal("the server did not break off")
	}
	p.file.Close()
	s.now(good)
	err = p.download(context.Background())
	if err == nil || !strings.Contains(err.Error(), "cannot write to the cache folder") || !p.broken {
		t.Errorf("%v, broken %v", err, p.broken)
	}
	p.release()
	if files(t) != "" {
		t.Errorf("left %s", files(t))
	}
}

// Load of what is here asks no server.
func TestLoad(t *testing.T) {
	newSite(t) // for the cache
	t.Setenv("FWLAB_DATA", "")
	if set, err := load(context.Background(), "digits"); err != nil || set.N() != 1797 {
		t.Error(err)
	}
	if _, err := load(context.Background(), "mnist"); err == nil || !strings.Contains(err.Error(), "news20") {
		t.Error(err)
	}
	// A user's damaged file is reported, not replaced.
	dir := t.TempDir()
	t.Setenv("FWLAB_DATA", dir)
	os.WriteFile(filepath.Join(dir, "news20.bz2"), []byte("x"), 0o600)
	if _, err := load(context.Background(), "news20"); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	// What is nowhere is asked for at the registry's address.
	t.Setenv("FWLAB_DATA", "")
	var asked string
	client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		return nil, errors.New("no route to host")
	})
	defer func() { client.Transport = nil }()
	e, _ := datasets.Lookup("news20")
	if _, err := load(context.Background(), "news20"); err == nil || !strings.Contains(err.Error(), "no route to host") || asked != e.URL {
		t.Errorf("%v, asked %s", err, asked)
	}
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBegins(t *testing.T) {
	for _, c := range []struct {
		header string
		at     int64
		want   bool
	}{
		{"bytes 70000-99999/100000", 70000, true}, {"bytes 70000-99999/*", 70000, true},
		{"bytes 0-99999/100000", 70000, false}, {"bytes 7-9/10", 70000, false}, {"bytes 0-9/10", 0, false},
		{"bytes */100000", 70000, false}, {"bytes 70000", 70000, false}, {"items 70000-99999/100000", 70000, false}, {"", 70000, false},
	} {
		resp := &http.Response{Header: http.Header{"Content-Range": {c.header}}}
		if got := begins(resp, c.at); got != c.want {
			t.Errorf("%q at %d: %v", c.header, c.at, got)
		}
	}
}

// A file of a network is checked and moved as it is; another one is refused and removed.
func TestFetchFile(t *testing.T) {
	s, e := newSite(t)
	e.Classes = 0
	if _, err := s.get(e); err != nil {
		t.Fatal(err)
	}
	if files(t) != "tiny.svm" {
		t.Errorf("in the cache: %s", files(t))
	}
	e.SHA256, e.File = sum([]byte("other")), "other.svm"
	if _, err := s.get(e); err == nil || !strings.Contains(err.Error(), "refused and removed") || files(t) != "tiny.svm" {
		t.Errorf("%v; in the cache: %s", err, files(t))
	}
	if _, err := loadNetwork(context.Background(), "nosuch"); err == nil || !strings.Contains(err.Error(), `no network "nosuch"`) {
		t.Error(err)
	}
}
