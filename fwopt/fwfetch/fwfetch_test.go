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
	serve manners
}

type manners func(w http.ResponseWriter, r *http.Request, nth int)

const etag = `"v1"`

// now changes the manners and forgets what was asked.
func (s *site) now(serve manners) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.serve = nil, serve
}

// good are the manners of a good server.
func good(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, data) }

// wasAsked checks the ranges of all requests since now.
func (s *site) wasAsked(t *testing.T, ranges ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.asked, ranges) {
		t.Errorf("asked %q, want %q", s.asked, ranges)
	}
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
	_, err := s.get(e)
	says(t, err, want...)
	if files(t) != left {
		t.Errorf("in the cache: %q, want %q", files(t), left)
	}
}

// says fails unless there is an error that has all that is wanted.
func says(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

// cache makes the cache's folder.
func cache(t *testing.T) string {
	t.Helper()
	dir, err := fwdata.CacheDir()
	if err = errors.Join(err, os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files lists the cache.
func files(t *testing.T) string {
	t.Helper()
	dir, _ := fwdata.CacheDir()
	all, _ := os.ReadDir(dir)
	var names []string
	for _, f := range all {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
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
	s.wasAsked(t, "", "bytes=50000-", "bytes=100000-", "bytes=150000-")
}

// What a call could not finish, the next goes on from, and only if the server's
// file is still the same one.
func TestGoesOnNextTime(t *testing.T) {
	on, anew := []string{"bytes=70000-"}, []string{"bytes=70000-", ""}
	for name, c := range map[string]struct {
		serve manners
		asked []string // by the second call
	}{
		"good server": {func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.Header.Get("If-Range") != etag {
				t.Errorf("If-Range: %q", r.Header.Get("If-Range"))
			}
			whole(w, r, data)
		}, on},
		"ignores Range": {func(w http.ResponseWriter, r *http.Request, _ int) {
			r.Header.Del("Range")
			whole(w, r, data)
		}, on},
		"another version now": {func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("ETag", `"v2"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}, on},
		"416": {func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 1 {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			whole(w, r, data)
		}, anew},
		"another range than asked for": {func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 1 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(data)
				return
			}
			whole(w, r, data)
		}, anew},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := newSite(t)
			s.now(func(w http.ResponseWriter, r *http.Request, nth int) {
				if nth == 1 {
					cut(w, r, 70000)
				}
				panic(http.ErrAbortHandler) // the network is gone
			})
			s.mustFail(t, e, "tiny.svm.part tiny.svm.part.tag", "fwfetch: ", e.URL)
			s.now(c.serve)
			s.mustGet(t, e)
			s.wasAsked(t, c.asked...)
		})
	}
}

// What an earlier download has left is gone on from, if it has a note of the server's version
// and its owner is not at it any more. One that is not the file's beginning spoils one download,
// not the result.
func TestLeftPart(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		part  []byte
		tag   bool
		age   time.Duration
		asked []string
		left  string
	}{
		"spoiled":        {"tiny.svm.part", make([]byte, 1000), true, 0, []string{"bytes=1000-", ""}, ""},
		"without a note": {"tiny.svm.part", make([]byte, 1000), false, 0, []string{""}, ""},
		"killed long ago": {"tiny.svm.123.part", data[:3000], true, 2 * abandoned,
			[]string{"bytes=3000-"}, ""},
		"another's": {"tiny.svm.123.part", data[:3000], true, 0, []string{""},
			" tiny.svm.123.part tiny.svm.123.part.tag"},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := newSite(t)
			path := filepath.Join(cache(t), c.file)
			os.WriteFile(path, c.part, 0o600)
			if c.tag {
				os.WriteFile(path+".tag", []byte(etag+"\n"), 0o600)
			}
			os.Chtimes(path, time.Now().Add(-c.age), time.Now().Add(-c.age))
			if set, err := s.get(e); err != nil || set.Digest != sum(data) {
				t.Fatal(set, err)
			}
			if s.wasAsked(t, c.asked...); files(t) != "tiny.bin tiny.svm"+c.left {
				t.Errorf("in the cache: %s", files(t))
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	const kept, login = "tiny.svm.part tiny.svm.part.tag", "<html>please log in</html>"
	text := func(typ, text string) manners {
		return func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", typ)
			io.WriteString(w, text)
		}
	}
	// then breaks off at first, and goes on in another way.
	then := func(serve manners) manners {
		return func(w http.ResponseWriter, r *http.Request, nth int) {
			if nth == 1 {
				cut(w, r, 1000)
			}
			serve(w, r, nth)
		}
	}
	for name, c := range map[string]struct {
		serve manners
		left  string
		want  string // parts
	}{
		"404": {func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) },
			"", "404 Not Found; set FWLAB_DATA to the folder that holds tiny.svm"},
		"HTML by its type":    {text("text/html; charset=utf-8", login), "", "a web page (HTML)"},
		"HTML by its content": {text("application/x", login), "", "a web page (HTML); SHA-256"},
		"empty":               {func(http.ResponseWriter, *http.Request, int) {}, "", "an empty file"},
		"another file": {text("application/x", string(data[:len(data)-1])),
			"", "a damaged or another file; " + sum(data)},
		"too long by its header": {func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Length", "2000000")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // refused before any of it came
		}, "", "longer than the 1048576 bytes"},
		"endless": {func(w http.ResponseWriter, r *http.Request, _ int) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1<<16))
			}
		}, "", "longer than the 1048576 bytes"},
		"always breaks off": {func(w http.ResponseWriter, r *http.Request, _ int) { cut(w, r, 10) },
			kept, "after 50 bytes; unexpected EOF; call again to go on"},
		"breaks off, without a version": {func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Write(data[:100])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "", "after 100 bytes"},
		"overloaded": {then(func(w http.ResponseWriter, _ *http.Request, _ int) {
			http.Error(w, "later", http.StatusServiceUnavailable)
		}), kept, "503 Service Unavailable: try later"},
		"a login page half-way": {then(text("text/html", login)), kept, "a web page (HTML)"},
		"range unasked for": {func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.WriteHeader(http.StatusPartialContent)
		}, "", "206 Partial Content"},
		"redirected to http": {func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, "http://example.org/", http.StatusFound)
		}, "", "redirected away from https"},
		"redirected for ever": {func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "", "too many redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := newSite(t)
			s.now(c.serve)
			s.Client().CheckRedirect = client.CheckRedirect
			s.mustFail(t, e, c.left, append(strings.Split(c.want, "; "), "fwfetch: ")...)
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
	if _, err := fetch(context.Background(), client, e2); !strings.Contains(fmt.Sprint(err), "certificate") {
		t.Error(err)
	}
	s2.wasAsked(t)
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
	s.wasAsked(t, "bytes=1000-")
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
	s.wasAsked(t, "")
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
	s.mustFail(t, e, "", "cannot write to the cache folder")
	s.wasAsked(t)
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // modes stop neither
	}
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "fwlab"), 0o555)
	t.Setenv("XDG_CACHE_HOME", dir)
	s.mustFail(t, e, "", "cannot write to the cache folder")
}

// A write that fails leaves nothing: here the file is closed under the download.
func TestWriteFails(t *testing.T) {
	s, e := newSite(t)
	p, err := claim(cache(t), e, s.Client())
	if err != nil {
		t.Fatal(err)
	}
	s.now(func(w http.ResponseWriter, r *http.Request, _ int) {
		cut(w, r, 1000) // then goes on at a file that is closed
	})
	says(t, p.connect(context.Background()), "after 1000 bytes")
	p.file.Close()
	s.now(good)
	if says(t, p.download(context.Background()), "cannot write to the cache folder"); !p.broken {
		t.Error("it may be gone on from")
	}
	if p.release(); files(t) != "" {
		t.Errorf("left %s", files(t))
	}
}

// What is here is reported without asking a server; what is nowhere is asked for at the
// registry's address.
func TestReport(t *testing.T) {
	newSite(t) // for the cache
	asked := ""
	client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		return nil, errors.New("no route to host")
	})
	defer func() { client.Transport = nil }()
	get := func(name, wantAsked string, want ...string) {
		t.Helper()
		asked = ""
		text, err := report(context.Background(), name)
		if says(t, errors.Join(err, errors.New(text)), want...); asked != wantAsked {
			t.Errorf("%s: asked %q, want %q", name, asked, wantAsked)
		}
	}
	t.Setenv("FWLAB_DATA", "")
	digits, _ := datasets.Lookup("digits")
	news20, _ := datasets.Lookup("news20")
	sioux, _ := datasets.LookupNetwork("SiouxFalls")
	get("digits", "", "digits: n = 1,797", "\n  SHA-256 "+digits.SHA256)
	get("mnist", "", "news20")
	get("news20", news20.URL, "no route to host")
	get("SiouxFalls", sioux.Net.URL, "no route to host")
	_, err := loadNetwork(context.Background(), "nosuch")
	says(t, err, `no network "nosuch"`)
	// A user's damaged file is reported, not replaced.
	dir := t.TempDir()
	t.Setenv("FWLAB_DATA", dir)
	os.WriteFile(filepath.Join(dir, news20.File), []byte("x"), 0o600)
	get("news20", "", dir)
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBegins(t *testing.T) {
	for header, want := range map[string]bool{
		"bytes 70000-99999/100000": true, "bytes 70000-99999/*": true, "bytes 0-99999/100000": false,
		"bytes 7-9/10": false, "bytes */100000": false, "bytes 70000": false, "": false,
		"items 70000-99999/100000": false,
	} {
		resp := &http.Response{Header: http.Header{"Content-Range": {header}}}
		if begins(resp, 70000) != want || begins(resp, 0) {
			t.Errorf("%q: %v", header, !want)
		}
	}
}

// A file of a network is checked and moved as it is; another one is refused and removed.
func TestFetchFile(t *testing.T) {
	s, e := newSite(t)
	e.Classes = 0
	if _, err := s.get(e); err != nil || files(t) != "tiny.svm" {
		t.Fatal(files(t), err)
	}
	e.SHA256, e.File = sum([]byte("other")), "other.svm"
	s.mustFail(t, e, "tiny.svm", "refused and removed")
}
