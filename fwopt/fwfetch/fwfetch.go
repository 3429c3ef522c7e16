// Command fwfetch downloads data sets and road networks of the registry into the user's
// cache, unless they are there, and prints their sizes, digests and files, or the terms of a
// network; fwdata and fwroad load them from there:
//
//	go run github.com/projection-free/fwlab/fwopt/fwfetch news20
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwroad"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, "usage: fwfetch NAME…, where NAME is one of")
		for _, e := range datasets.Entries() {
			fmt.Fprint(os.Stderr, " ", e.Name)
		}
		for _, e := range datasets.Networks() {
			fmt.Fprint(os.Stderr, " ", e.Name)
		}
		fmt.Fprintln(os.Stderr)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed := false
	for _, name := range os.Args[1:] {
		if e, network := datasets.LookupNetwork(name); network {
			n, err := loadNetwork(ctx, name)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				failed = true
				continue
			}
			fmt.Printf("%v\n  %s\n  %s\n", n, n.Source, e.Licence)
			continue
		}
		s, err := load(ctx, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
			continue
		}
		fmt.Printf("%v\n  SHA-256 %s\n", s, s.Digest)
		if s.Source != "" {
			fmt.Printf("  %s\n", s.Source)
		}
		if e, _ := datasets.Lookup(name); e.SHA256 == "" {
			fmt.Println("  The registry has no digest of this file. This one is pinned: later loads must match it.")
		}
	}
	if failed {
		os.Exit(1)
	}
}

// load returns fwdata.Load(name), after downloading the file when it is not on
// this machine: over https, to a temporary name in fwdata.CacheDir, no longer
// than the registry allows, checked by its SHA-256 and then renamed. A download
// that breaks off is kept and goes on where it stopped, at once or at the next
// call. Several downloads at once do not disturb each other. When the registry
// has no digest, the Digest of the set is pinned from then on, as fwdata.Load
// says.
//
// A damaged file is an error, not a reason to download: it may be the user's.
func load(ctx context.Context, name string) (*fwdata.Set, error) {
	s, err := fwdata.Load(name)
	if !errors.Is(err, fwdata.ErrNotHere) {
		return s, err
	}
	e, _ := datasets.Lookup(name) // there, or Load would have said so
	return get(ctx, client, e)
}

var client = &http.Client{
	CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != "https" {
			return errors.New("redirected away from https")
		}
		if len(via) >= 10 {
			return errors.New("too many redirects")
		}
		return nil
	},
}

// idle is how long a connection may bring nothing.
var idle = 30 * time.Second

// loadNetwork returns fwroad.LoadNetwork(name), after downloading the files that are not
// on this machine, as Load does.
func loadNetwork(ctx context.Context, name string) (*fwroad.Network, error) {
	n, err := fwroad.LoadNetwork(name)
	if !errors.Is(err, fwdata.ErrNotHere) {
		return n, err
	}
	e, _ := datasets.LookupNetwork(name) // there, or LoadNetwork would have said so
	for _, file := range e.Files() {
		if err := fetch(ctx, client, file, func(path string) error { return fwdata.ImportFile(file, path) }); err != nil {
			return nil, err
		}
	}
	return fwroad.LoadNetwork(name)
}

// get downloads the file of e and hands it to fwdata.
func get(ctx context.Context, client *http.Client, e datasets.Entry) (s *fwdata.Set, err error) {
	err = fetch(ctx, client, e, func(path string) (err error) {
		s, err = fwdata.Import(e, path)
		return err
	})
	return s, err
}

// fetch downloads the file of e and hands it to adopt, which moves it or refuses it.
func fetch(ctx context.Context, client *http.Client, e datasets.Entry, adopt func(path string) error) error {
	dir, err := fwdata.CacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return noRoom(e, err)
	}
	for {
		p, err := claim(dir, e.File)
		if err != nil {
			return noRoom(e, err)
		}
		old := p.size > 0
		if err := p.download(ctx, client, e); err != nil {
			p.release()
			return err
		}
		err = adopt(p.file.Name())
		p.remove() // at least the note of the server's version
		if err == nil {
			return nil
		}
		if !old {
			return fmt.Errorf("fwfetch: %s: what came is refused and removed: %w", e.URL, err)
		}
		// The kept part may have been of another version: once more, from the start.
	}
}

func noRoom(e datasets.Entry, err error) error {
	return fmt.Errorf("fwfetch: cannot write to the cache folder: %w: make room, or fetch %s yourself and set FWLAB_DATA to its folder", err, e.URL)
}

// part is a file on its way. Its name is its owner's alone while it grows; when
// the download breaks off, it is renamed to one that the next may claim. Beside
// it, under the name with .tag, lies a note of the server's version of the file
// (ETag or Last-Modified).
type part struct {
	file   *os.File
	size   int64
	tag    string // the note
	kept   string // the name under which it may be claimed
	broken bool   // of no use to go on from
}

// abandoned is the age from which a part that still has its owner's name is
// taken for one whose owner was killed. A living one is younger: it gives up
// after idle without data.
const abandoned = 2 * time.Minute

// claim takes over the part that an earlier download of the file has left, or
// begins a new one. Renaming is atomic, so only one gets it.
func claim(dir, file string) (*part, error) {
	f, err := os.CreateTemp(dir, file+".*.part")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	p := &part{file: f, kept: filepath.Join(dir, file+".part")}
	left := []string{p.kept}
	orphans, _ := filepath.Glob(filepath.Join(dir, file+".*.part"))
	for _, path := range orphans {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			left = append(left, path)
		}
	}
	for _, path := range left {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		p.file.Close() // or Windows does not rename
		if os.Rename(path, name) == nil && os.Rename(path+".tag", name+".tag") == nil {
			note, _ := os.ReadFile(name + ".tag")
			p.tag = strings.TrimSpace(string(note))
		}
		if p.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, err
		}
		break
	}
	if p.tag == "" { // a new part, or one whose version is not known
		err = p.restart()
	} else {
		p.size, err = p.file.Seek(0, io.SeekEnd)
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// restart empties the part.
func (p *part) restart() error {
	p.size, p.tag = 0, ""
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return err
}

// remove leaves nothing.
func (p *part) remove() {
	p.file.Close()
	os.Remove(p.file.Name())
	os.Remove(p.file.Name() + ".tag")
}

// release keeps the part for the next download, if that can go on from it.
func (p *part) release() {
	name := p.file.Name()
	if p.broken || p.size == 0 || p.tag == "" || p.file.Close() != nil ||
		os.Rename(name+".tag", p.kept+".tag") != nil || os.Rename(name, p.kept) != nil {
		p.remove()
	}
}

// download brings the part up to the whole file. It goes on by itself as long as
// each connection brings something, five times at most.
func (p *part) download(ctx context.Context, client *http.Client, e datasets.Entry) error {
	for try := 1; ; try++ {
		before := p.size
		err := p.connect(ctx, client, e)
		if err == nil {
			if err = p.file.Sync(); err == nil {
				err = p.file.Close()
			}
			if err != nil {
				p.broken = true
				return noRoom(e, err)
			}
			return nil
		}
		if p.broken || p.size <= before || ctx.Err() != nil || try == 5 {
			return err
		}
	}
}

// connect asks for what is missing and appends it.
func (p *part) connect(ctx context.Context, client *http.Client, e datasets.Entry) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(idle, func() { cancel(fmt.Errorf("nothing came for %v", idle)) })
	defer stalled.Stop()

	byHand := fmt.Sprintf("fetch it in another way and set FWLAB_DATA to the folder that holds %s", e.File)
	req, err := p.request(ctx, e)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%s: %w", e.URL, cause)
		}
		return fmt.Errorf("fwfetch: %w: %s", err, byHand)
	}
	defer resp.Body.Close()

	whole := resp.StatusCode == http.StatusOK // asked for or not
	switch {
	case resp.StatusCode == http.StatusPartialContent && begins(resp, p.size), whole:
	case p.size > 0 && (resp.StatusCode == http.StatusPartialContent || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable):
		if err := p.restart(); err != nil { // the part does not fit the file
			return noRoom(e, err)
		}
		return p.connect(ctx, client, e)
	default:
		return fmt.Errorf("fwfetch: %s: the server answers %s: try later, or %s", e.URL, resp.Status, byHand)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return fmt.Errorf("fwfetch: %s: the server sends a web page (HTML), not data: %s", e.URL, byHand)
	}
	if whole {
		if err := p.restart(); err != nil {
			return noRoom(e, err)
		}
		if p.tag = version(resp.Header); p.tag != "" {
			if err := os.WriteFile(p.file.Name()+".tag", []byte(p.tag+"\n"), 0o600); err != nil {
				return noRoom(e, err)
			}
		}
	}
	return p.receive(ctx, resp, stalled, e)
}

// request is for what is missing.
func (p *part) request(ctx context.Context, e datasets.Entry) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("fwfetch: %w", err)
	}
	if req.URL.Scheme != "https" {
		return nil, fmt.Errorf("fwfetch: %s is not an https address", e.URL)
	}
	req.Header.Set("Accept-Encoding", "identity") // the file is packed as it is
	if p.size > 0 && p.tag != "" {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		req.Header.Set("If-Range", p.tag)
	}
	return req, nil
}

// receive appends what comes, and puts off the timer of a connection that brings nothing.
func (p *part) receive(ctx context.Context, resp *http.Response, stalled *time.Timer, e datasets.Entry) error {
	tooLong := fmt.Errorf("fwfetch: %s: longer than the %d bytes that the registry allows: not the file", e.URL, e.MaxBytes)
	if resp.ContentLength > e.MaxBytes-p.size {
		p.broken = true
		return tooLong
	}
	buf := make([]byte, 1<<16)
	for {
		k, err := resp.Body.Read(buf)
		stalled.Reset(idle)
		if p.size+int64(k) > e.MaxBytes {
			p.broken = true
			return tooLong
		}
		if _, err := p.file.Write(buf[:k]); err != nil {
			p.broken = true
			return noRoom(e, err)
		}
		p.size += int64(k)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return fmt.Errorf("fwfetch: %s: after %d bytes: %w: call again to go on", e.URL, p.size, err)
		}
	}
}

// begins reports whether the answer's part of the file begins at the byte.
func begins(resp *http.Response, at int64) bool {
	from, ok := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes ")
	from, _, dash := strings.Cut(from, "-")
	k, err := strconv.ParseInt(from, 10, 64)
	return ok && dash && err == nil && k == at && at > 0
}

// version returns what If-Range takes to name the server's version of the file.
func version(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) { // a weak one does not do
		return tag
	}
	return h.Get("Last-Modified")
}
