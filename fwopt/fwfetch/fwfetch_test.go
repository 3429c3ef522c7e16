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

// site is a server of the file, in the manners that a test wants, and its entry of the registry.
func site(t *testing.T, serve http.HandlerFunc) (*httptest.Server, datasets.Entry) {
	t.Helper()
	useCache(t, t.TempDir())
	s := httptest.NewUnstartedServer(serve)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it speaks of the connections that we break
	s.StartTLS()
	t.Cleanup(s.Close)
	s.Client().CheckRedirect = client.CheckRedirect
	return s, datasets.Entry{Name: "tiny", File: "tiny.svm", URL: s.URL + "/tiny.svm", SHA256: sum(data),
		N: 1797, M: 64, Classes: 10, MaxBytes: 1 << 20}
}

func useCache(t *testing.T, dir string) {
	for _, key := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(key, dir)
	}
}

// good are the manners of a good server.
func good(w http.ResponseWriter, _ *http.Request) { w.Write(data) }

func get(s *httptest.Server, e datasets.Entry) error {
	return fetch(context.Background(), s.Client(), e)
}

// mustGet downloads e, and checks the content and that nothing else is left.
func mustGet(t *testing.T, s *httptest.Server, e datasets.Entry) {
	t.Helper()
	if err := get(s, e); err != nil {
		t.Fatal(err)
	}
	dir, _ := fwdata.CacheDir()
	if b, err := os.ReadFile(filepath.Join(dir, e.File)); err != nil || !bytes.Equal(b, data) {
		t.Errorf("not the file: %v", err)
	}
	if files(t) != e.File {
		t.Errorf("in the cache: %s, want %s", files(t), e.File)
	}
}

// mustFail expects an error that says all that is wanted, and nothing in the cache.
func mustFail(t *testing.T, s *httptest.Server, e datasets.Entry, want ...string) {
	t.Helper()
	says(t, get(s, e), want...)
	if files(t) != "" {
		t.Errorf("in the cache: %q", files(t))
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

func TestRefuses(t *testing.T) {
	const login = "<html>please log in</html>"
	text := func(typ, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", typ)
			io.WriteString(w, text)
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string // parts
	}{
		"404":                 {http.NotFound, "404 Not Found; set FWLAB_DATA to the folder that holds tiny.svm"},
		"HTML by its type":    {text("text/html; charset=utf-8", login), "a web page (HTML)"},
		"HTML by its content": {text("application/x", login), "a web page (HTML); SHA-256"},
		"empty":               {func(http.ResponseWriter, *http.Request) {}, "an empty file"},
		"another file": {text("application/x", string(data[1:])),
			"a damaged or another file; " + sum(data)},
		"too long by its header": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "2000000")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // refused before any of it came
		}, "longer than the 1048576 bytes"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1<<16))
			}
		}, "longer than the 1048576 bytes"},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write(data[:1000])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "after 1000 bytes: unexpected EOF: try again"},
		"range unasked for": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusPartialContent)
		}, "206 Partial Content"},
		"redirected to http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.org/", http.StatusFound)
		}, "redirected away from https"},
		"redirected for ever": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "too many redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := site(t, c.serve)
			mustFail(t, s, e, append(strings.Split(c.want, "; "), "fwfetch: ", e.URL)...)
		})
	}
}

func TestNoNetwork(t *testing.T) {
	s, e := site(t, good)
	// The certificate counts: the plain client does not know the test's.
	says(t, fetch(context.Background(), client, e), "certificate")
	s.Close()
	mustFail(t, s, e, "fwfetch: ", e.URL, "set FWLAB_DATA")
	e.URL = "http://example.org/tiny.svm"
	mustFail(t, s, e, "not an https address")
}

// A connection that goes silent is given up, a slow one is not, and one that is interrupted ends at once.
func TestSilence(t *testing.T) {
	s, e := site(t, func(w http.ResponseWriter, r *http.Request) {
		for k := range 7 {
			w.Write(data[k*len(data)/7 : (k+1)*len(data)/7])
			w.(http.Flusher).Flush()
			if time.Sleep(350 * time.Millisecond); r.URL.RawQuery == "silent" {
				<-r.Context().Done()
				return
			}
		}
	})
	idle = 2 * time.Second
	defer func() { idle = 30 * time.Second }()
	mustGet(t, s, e)
	e.URL += "?silent"
	says(t, get(s, e), fmt.Sprintf("after %d bytes", len(data)/7), "nothing came for 2s")

	idle = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	start := time.Now()
	err := fetch(ctx, s.Client(), e)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// A connection that breaks off is taken up where it ended if the server names the file and it is the same.
func TestResumes(t *testing.T) {
	for name, c := range map[string]struct {
		tags string // of the answers
		want string // the ranges asked for
	}{
		"the same file": {"aaaa", "; bytes=100000-; bytes=200000-"},
		"another file":  {"ab", ""},
		"no tag":        {" ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			s, e := site(t, func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.Header.Get("Range"))
				tag := strings.TrimSpace(c.tags[min(len(asked), len(c.tags))-1:][:1])
				if tag != "" {
					w.Header().Set("ETag", `"`+tag+`"`)
				}
				http.ServeContent(&breaksOff{ResponseWriter: w, left: 100_000}, r, "", time.Time{},
					bytes.NewReader(data))
			})
			if c.want == "" {
				mustFail(t, s, e, "after 100000 bytes: unexpected EOF")
				return
			}
			mustGet(t, s, e)
			if got := strings.Join(asked, "; "); got != c.want {
				t.Errorf("asked for %q, want %q", got, c.want)
			}
		})
	}
}

// breaksOff is an answer of which so many bytes come.
type breaksOff struct {
	http.ResponseWriter
	left int
}

func (w *breaksOff) Write(b []byte) (int, error) {
	n, _ := w.ResponseWriter.Write(b[:min(len(b), w.left)])
	if w.left -= n; n < len(b) {
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// Several downloads at once do not disturb each other.
func TestAtOnce(t *testing.T) {
	s, e := site(t, good)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := get(s, e); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	mustGet(t, s, e)
}

// What is here is reported without asking a server; what is nowhere is asked for at the
// registry's address.
func TestReport(t *testing.T) {
	useCache(t, t.TempDir())
	asked := ""
	client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		return nil, errors.New("no route to host")
	})
	defer func() { client.Transport = nil }()
	get := func(name, wantAsked string, want ...string) {
		t.Helper()
		asked = ""
		var out bytes.Buffer
		err := run(context.Background(), &out, []string{name})
		if says(t, errors.Join(err, errors.New(out.String())), want...); asked != wantAsked {
			t.Errorf("%s: asked %q, want %q", name, asked, wantAsked)
		}
	}
	t.Setenv("FWLAB_DATA", "")
	says(t, run(context.Background(), nil, nil), "usage: ", " digits", " SiouxFalls")
	digits, _ := datasets.Lookup("digits")
	news20, _ := datasets.Lookup("news20")
	sioux, _ := datasets.LookupNetwork("SiouxFalls")
	get("digits", "", "digits: n = 1,797", "\n  SHA-256 "+digits.SHA256)
	get("mnist", "", "news20")
	get("news20", news20.URL, "no route to host")
	get("SiouxFalls", sioux.Net.URL, "no route to host")
	// A user's damaged file is reported, not replaced.
	dir := t.TempDir()
	t.Setenv("FWLAB_DATA", dir)
	os.WriteFile(filepath.Join(dir, news20.File), []byte("x"), 0o600)
	get("news20", "", dir)
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
