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
	status := 0
	for _, name := range os.Args[1:] {
		text, err := report(ctx, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
			continue
		}
		fmt.Println(text)
	}
	os.Exit(status)
}

// report loads the set or the network of that name, and says what it is and where it lies.
func report(ctx context.Context, name string) (string, error) {
	if e, network := datasets.LookupNetwork(name); network {
		n, err := loadNetwork(ctx, name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%v\n  %s\n  %s", n, n.Source, e.Licence), nil
	}
	s, err := load(ctx, name)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%v\n  SHA-256 %s", s, s.Digest)
	if s.Source != "" {
		text += "\n  " + s.Source
	}
	if e, _ := datasets.Lookup(name); e.SHA256 == "" {
		text += "\n  The registry has no digest of this file. This one is pinned: later loads must match it."
	}
	return text, nil
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
	return fetch(ctx, client, e)
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
		if _, err := fetch(ctx, client, file); err != nil {
			return nil, err
		}
	}
	return fwroad.LoadNetwork(name)
}

// fetch downloads the file of e and hands it to fwdata, which moves it or refuses it. The set
// is nil if the file is of a network.
func fetch(ctx context.Context, client *http.Client, e datasets.Entry) (*fwdata.Set, error) {
	dir, err := fwdata.CacheDir()
	if err != nil {
		return nil, err
	}
	for {
		p, err := claim(dir, e, client)
		if err != nil {
			return nil, noRoom(e, err)
		}
		old := p.size > 0
		if err := p.download(ctx); err != nil {
			p.release()
			return nil, err
		}
		s, err := fwdata.Import(e, p.file.Name())
		p.remove() // at least the note of the server's version
		switch {
		case err == nil:
			return s, nil
		case !old:
			return nil, fmt.Errorf("fwfetch: %s: what came is refused and removed: %w", e.URL, err)
		}
		// The kept part may have been of another version: once more, from the start.
	}
}

func noRoom(e datasets.Entry, err error) error {
	return fmt.Errorf("fwfetch: cannot write to the cache folder: %w: "+
		"make room, or fetch %s yourself and set FWLAB_DATA to its folder", err, e.URL)
}

// part is a file on its way. Its name is its owner's alone while it grows; when
// the download breaks off, it is renamed to one that the next may claim. Beside
// it, under the name with .tag, lies a note of the server's version of the file
// (ETag or Last-Modified).
type part struct {
	datasets.Entry
	client  *http.Client
	file    *os.File
	size    int64
	tag     string      // the note
	kept    string      // the name under which it may be claimed
	broken  bool        // of no use to go on from
	stalled *time.Timer // ends a connection that brings nothing
}

// abandoned is the age from which a part that still has its owner's name is
// taken for one whose owner was killed. A living one is younger: it gives up
// after idle without data.
const abandoned = 2 * time.Minute

// claim takes over the part that an earlier download of the file has left, or
// begins a new one. Renaming is atomic, so only one gets it.
func claim(dir string, e datasets.Entry, client *http.Client) (p *part, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	p = &part{Entry: e, client: client, kept: filepath.Join(dir, e.File+".part")}
	if p.file, err = os.CreateTemp(dir, e.File+".*.part"); err != nil {
		return nil, err
	}
	name, left := p.file.Name(), []string{p.kept}
	orphans, _ := filepath.Glob(filepath.Join(dir, e.File+".*.part"))
	for _, path := range append(left, orphans...) {
		info, err := os.Stat(path)
		if err != nil || path != p.kept && time.Since(info.ModTime()) <= abandoned {
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
	}
	return p, err
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

// noRoom is the error of a write to the part, which is of no use any more.
func (p *part) noRoom(err error) error {
	p.broken = true
	return noRoom(p.Entry, err)
}

// download brings the part up to the whole file. It goes on by itself as long as
// each connection brings something, five times at most.
func (p *part) download(ctx context.Context) error {
	for try := 1; ; try++ {
		before := p.size
		err := p.connect(ctx)
		if err == nil {
			if err = p.file.Sync(); err == nil {
				err = p.file.Close()
			}
			if err != nil {
				err = p.noRoom(err)
			}
			return err
		}
		if p.broken || p.size <= before || ctx.Err() != nil || try == 5 {
			return err
		}
	}
}

// connect asks for what is missing and appends it.
func (p *part) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.stalled = time.AfterFunc(idle, func() { cancel(fmt.Errorf("nothing came for %v", idle)) })
	defer p.stalled.Stop()

	byHand := fmt.Sprintf("fetch it in another way and set FWLAB_DATA to the folder that holds %s", p.File)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return fmt.Errorf("fwfetch: %w", err)
	}
	if req.URL.Scheme != "https" {
		return fmt.Errorf("fwfetch: %s is not an https address", p.URL)
	}
	req.Header.Set("Accept-Encoding", "identity") // the file is packed as it is
	if p.size > 0 && p.tag != "" {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		req.Header.Set("If-Range", p.tag)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%s: %w", p.URL, cause)
		}
		return fmt.Errorf("fwfetch: %w: %s", err, byHand)
	}
	defer resp.Body.Close()

	whole := resp.StatusCode == http.StatusOK // asked for or not
	partial := resp.StatusCode == http.StatusPartialContent
	switch {
	case partial && begins(resp, p.size), whole:
	case p.size > 0 && (partial || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable):
		if err := p.restart(); err != nil { // the part does not fit the file
			return p.noRoom(err)
		}
		return p.connect(ctx)
	default:
		return fmt.Errorf("fwfetch: %s: the server answers %s: try later, or %s", p.URL, resp.Status, byHand)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return fmt.Errorf("fwfetch: %s: the server sends a web page (HTML), not data: %s", p.URL, byHand)
	}
	if whole {
		err := p.restart()
		if p.tag = version(resp.Header); err == nil && p.tag != "" {
			err = os.WriteFile(p.file.Name()+".tag", []byte(p.tag+"\n"), 0o600)
		}
		if err != nil {
			return p.noRoom(err)
		}
	}
	if p.size+resp.ContentLength > p.MaxBytes {
		return p.tooLong()
	}
	if _, err = io.Copy(p, resp.Body); err == nil || p.broken {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("fwfetch: %s: after %d bytes: %w: call again to go on", p.URL, p.size, err)
}

// Write appends what comes, and puts off the end of a connection that brings nothing.
func (p *part) Write(b []byte) (k int, err error) {
	p.stalled.Reset(idle)
	if p.size+int64(len(b)) > p.MaxBytes {
		return 0, p.tooLong()
	}
	if k, err = p.file.Write(b); err != nil {
		return k, p.noRoom(err)
	}
	p.size += int64(k)
	return k, nil
}

func (p *part) tooLong() error {
	p.broken = true
	return fmt.Errorf("fwfetch: %s: longer than the %d bytes that the registry allows: not the file",
		p.URL, p.MaxBytes)
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
