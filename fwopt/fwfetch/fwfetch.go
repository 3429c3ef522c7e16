// Command fwfetch downloads data sets and road networks of the registry into the user's
// cache, unless they are there, and prints their sizes, digests and files, or the terms of a
// network; fwdata and fwroad load them from there:
//
//	go run github.com/projection-free/fwlab/fwopt/fwfetch news20
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwroad"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run reports on each of the names that is of a set or a network.
func run(ctx context.Context, out io.Writer, names []string) (failed error) {
	if len(names) == 0 {
		usage := "usage: fwfetch NAME…, where NAME is one of"
		for _, e := range datasets.Entries() {
			usage += " " + e.Name
		}
		for _, e := range datasets.Networks() {
			usage += " " + e.Name
		}
		return errors.New(usage)
	}
	for _, name := range names {
		text, err := report(ctx, name)
		if err == nil {
			fmt.Fprintln(out, text)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// report says what the set or the network of that name is and where it lies, after downloading
// the files when it is not on this machine. A damaged file is an error, not a reason to
// download: it may be the user's.
func report(ctx context.Context, name string) (string, error) {
	text, err := describe(name)
	if !errors.Is(err, fwdata.ErrNotHere) {
		return text, err
	}
	e, _ := datasets.Lookup(name)
	files := []datasets.Entry{e}
	if n, network := datasets.LookupNetwork(name); network {
		files = n.Files()
	}
	for _, e := range files {
		if err := fetch(ctx, client, e); err != nil {
			return "", err
		}
	}
	return describe(name)
}

// describe loads the set or the network of that name.
func describe(name string) (string, error) {
	if e, network := datasets.LookupNetwork(name); network {
		n, err := fwroad.LoadNetwork(name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%v\n  %s\n  %s", n, n.Source, e.Licence), nil
	}
	s, err := fwdata.Load(name)
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

// fetch downloads the file of e over https, no longer than the registry allows, and hands it to
// fwdata, which keeps it or refuses it. A connection that breaks off is taken up where it ended, as
// long as each brings something.
func fetch(ctx context.Context, client *http.Client, e datasets.Entry) error {
	if !strings.HasPrefix(e.URL, "https://") {
		return fmt.Errorf("fwfetch: %s is not an https address", e.URL)
	}
	var d download
	for had := -1; ; had = len(d.bytes) {
		err := d.goOn(ctx, client, e)
		if err == nil {
			break
		}
		if ctx.Err() != nil || len(d.bytes) <= had || errors.Is(err, errFinal) {
			return fmt.Errorf("fwfetch: %s: after %d bytes: %w: try again later, or fetch it in another way "+
				"and set FWLAB_DATA to the folder that holds %s", e.URL, len(d.bytes), err, e.File)
		}
	}
	if err := fwdata.Import(e, d.bytes); err != nil {
		return fmt.Errorf("fwfetch: what came is not kept: %w", err)
	}
	return nil
}

// errFinal is in the errors that another attempt would not mend.
var errFinal = errors.New("not the file")

// download is what has come of a file.
type download struct {
	bytes []byte
	tag   string // of the file's content, by the server
}

// goOn asks for what is missing, and returns nil if the file is whole.
func (d *download) goOn(ctx context.Context, client *http.Client, e datasets.Entry) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(idle, func() { cancel(fmt.Errorf("nothing came for %v", idle)) })
	defer stalled.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL, nil)
	if err != nil {
		return errors.Join(err, errFinal)
	}
	req.Header.Set("Accept-Encoding", "identity") // the file is packed as it is
	if d.tag != "" {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", len(d.bytes)))
		req.Header.Set("If-Range", d.tag)
	}
	resp, err := client.Do(req)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer resp.Body.Close()
	switch goesOn := fmt.Sprintf("bytes %d-", len(d.bytes)); {
	case resp.StatusCode == http.StatusPartialContent && d.tag != "" &&
		strings.HasPrefix(resp.Header.Get("Content-Range"), goesOn):
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answers %s: %w", resp.Status, errFinal)
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return fmt.Errorf("the server sends a web page (HTML), not data: %w", errFinal)
	default:
		d.bytes, d.tag = nil, resp.Header.Get("ETag")
	}
	had := int64(len(d.bytes))
	more, err := []byte(nil), error(nil)
	if had+resp.ContentLength <= e.MaxBytes {
		more, err = io.ReadAll(io.LimitReader(alive{resp.Body, stalled}, e.MaxBytes+1-had))
	}
	d.bytes = append(d.bytes, more...)
	if max(had+resp.ContentLength, int64(len(d.bytes))) > e.MaxBytes {
		return fmt.Errorf("longer than the %d bytes that the registry allows: %w", e.MaxBytes, errFinal)
	}
	return cmp.Or(context.Cause(ctx), err) // also where the server ended its answer as if it were whole
}

// alive reads what comes, and puts off the end of a connection that brings nothing.
type alive struct {
	io.Reader
	stalled *time.Timer
}

func (a alive) Read(b []byte) (int, error) {
	a.stalled.Reset(idle)
	return a.Reader.Read(b)
}
