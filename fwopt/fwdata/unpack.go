package fwdata

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// unpack returns the text of r, which is plain or packed by gzip or bzip2.
func (p *parser) unpack(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	head, err := br.Peek(3) // shorter at the end of a short file
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("fwdata: %s: %w", p.name, err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		p.packed = "bzip2"
		return bzip2.NewReader(br), nil
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		p.packed = "gzip"
		return &gunzip{from: br}, nil
	}
	return br, nil
}

// gunzip reads the members of a gzip file one after the other. Unlike gzip.Reader
// it lets zero bytes follow a member, as tapes and block devices leave them.
type gunzip struct {
	from *bufio.Reader
	z    gzip.Reader
	in   bool // a member
}

func (g *gunzip) Read(b []byte) (int, error) {
	for {
		if g.in {
			n, err := g.z.Read(b)
			if n > 0 {
				return n, nil // the error, if there is one, comes again
			}
			if err != io.EOF {
				return 0, err
			}
			g.in = false
		}
		c, err := g.from.ReadByte()
		for c == 0 && err == nil {
			c, err = g.from.ReadByte()
		}
		if err != nil {
			return 0, err // io.EOF where no member follows
		}
		g.from.UnreadByte()
		if c != 0x1f {
			return 0, errors.New("garbage after its end")
		}
		if err := g.z.Reset(g.from); err != nil {
			return 0, err
		}
		g.z.Multistream(false)
		g.in = true
	}
}

// maxRow bounds a row of a text with columns: encoding/csv takes some 100 bytes for a comma,
// and gzip packs a thousand commas into a byte.
const maxRow = 1 << 20

var errLong = errors.New("a row without end")

// table reads text between commas, row by row.
type table struct {
	p    *parser
	rows *rows
	text *bufio.Reader
	csv  *csv.Reader // of text
}

// table returns a reader of r, plain or packed.
func (p *parser) table(r io.Reader) (*table, error) {
	r, err := p.unpack(r)
	if err != nil {
		return nil, err
	}
	t := &table{p: p, rows: &rows{from: r}}
	t.text = file.Unmarked(t.rows)
	t.csv = csv.NewReader(t.text)
	t.csv.FieldsPerRecord, t.csv.ReuseRecord = -1, true
	return t, nil
}

// next returns the next row, which is there until the one after it. The error is io.EOF at
// the end, or names the line and a remedy.
func (t *table) next() ([]string, error) {
	row, err := t.csv.Read()
	var wrong *csv.ParseError
	switch {
	case err == io.EOF:
		return nil, err
	case errors.As(err, &wrong):
		t.p.line = wrong.Line
		return nil, t.p.fail("%v: remove it, or close the quotes", wrong.Err)
	case err == errLong:
		t.p.line = t.rows.began
		return nil, t.p.fail("a row of more than %d bytes: cut it into lines, or close its quotes; "+
			"if it is no text with a row a line, get the file again", maxRow)
	case err != nil:
		return nil, t.p.damaged(err)
	}
	t.p.line, _ = t.csv.FieldPos(0)
	return row, nil
}

// rows hands a text on up to a row of more than maxRow bytes. A row ends with its line, or
// where its last quotes are closed.
type rows struct {
	from        io.Reader
	line, began int // the lines so far; the one in which the row began, from 1
	size        int // of the row, so far
	open        bool
}

func (r *rows) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	for at := 0; at < n; {
		if r.size == 0 {
			r.began = r.line + 1
		}
		end, newline := n, bytes.IndexByte(b[at:n], '\n')
		if newline >= 0 {
			end = at + newline + 1
			r.line++
		}
		if r.size += end - at; r.size > maxRow {
			return at, errLong
		}
		if bytes.Count(b[at:end], []byte(`"`))%2 == 1 {
			r.open = !r.open
		}
		if at = end; newline >= 0 && !r.open {
			r.size = 0
		}
	}
	return n, err
}
