package fwdata

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lines hands do each line of r, plain or packed, without a byte order mark. A line has at most
// so many bytes. The errors are those of do, and say the file and the line.
func (p *parser) lines(r io.Reader, most int, do func(line []byte) error) error {
	r, err := p.unpack(r)
	text := bufio.NewReader(r)
	var line, part []byte
	for err == nil || err == bufio.ErrBufferFull {
		part, err = text.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			p.line++
			return cmp.Or(p.check(line), p.fail("longer than %d bytes: cut it into lines; "+
				"if the file is no text with a row a line, get it again", most))
		}
		if err == nil || err == io.EOF && len(line) > 0 {
			p.line++
			if err := p.check(line); err != nil {
				return err
			}
			if p.line == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if err := do(line); err != nil {
				return err
			}
			line = line[:0]
		}
	}
	if err == io.EOF {
		return nil
	}
	return p.damaged(err) // half a line before it tells nothing
}

// unpack returns the text of r, which is plain or packed by gzip or bzip2.
func (p *parser) unpack(r io.Reader) (io.Reader, error) {
	packed := bufio.NewReader(r)
	head, err := packed.Peek(3)
	if err == io.EOF {
		err = nil // a short file
	}
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		p.packed = "bzip2"
		return bzip2.NewReader(packed), err
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		p.packed = "gzip"
		return gzip.NewReader(packed)
	}
	return packed, err
}

// maxRow bounds a line of a text with columns: encoding/csv takes some 100 bytes for a comma,
// and gzip packs a thousand commas into a byte.
const maxRow = 1 << 20

// table hands do the cells of each line of r that has some, plain or packed; they are there until
// do returns. The first line tells whether commas, tabs or semicolons part them.
func (p *parser) table(r io.Reader, do func(row []string) error) error {
	line := bytes.NewReader(nil)
	text := bufio.NewReader(line) // which csv.NewReader takes as it is
	cells := csv.NewReader(text)
	cells.FieldsPerRecord, cells.ReuseRecord = -1, true
	return p.lines(r, maxRow, func(b []byte) (err error) {
		if p.line == 1 {
			if cells.Comma, err = p.separator(string(b)); err != nil {
				return err
			}
		}
		line.Reset(b)
		text.Reset(line)
		row, err := cells.Read()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return p.fail("%v: remove it, or close the quotes", errors.Unwrap(err))
		}
		return do(row)
	})
}

// separator returns what stands between the columns of the first line.
func (p *parser) separator(line string) (rune, error) {
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "<"):
		return 0, p.fail("a web page (HTML), not data: look at it, remove it and get the file again")
	case strings.Contains(line, "::"):
		return 0, p.fail("columns between two colons: put commas there (sed 's/::/,/g')")
	}
	for _, c := range "\t;," {
		if strings.ContainsRune(line, c) {
			return c, nil
		}
	}
	return ',', nil // a line of one column, which is an error of its own
}

func (p *parser) fail(format string, a ...any) error {
	return fmt.Errorf("fwdata: %s: line %d: %s", p.name, p.line, fmt.Sprintf(format, a...))
}

// ends says that nothing was in the file.
func (p *parser) ends(without string) error {
	p.line = max(p.line, 1)
	return p.fail("the file ends without %s: is it empty, or a broken download?", without)
}

// damaged says what a read error means: of an unpacker, that the file is broken.
func (p *parser) damaged(err error) error {
	if p.packed == "" {
		return fmt.Errorf("fwdata: %s: after line %d: %w", p.name, p.line, err)
	}
	what := "damaged"
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "cut off"
	}
	return fmt.Errorf("fwdata: %s: after line %d: the %s file is %s (%w): get it again",
		p.name, p.line, p.packed, what, err)
}

// notText tells by the first line what is no text with a row a line, and what to do about it.
var notText = []struct {
	at          int
	magic, what string
}{
	{0, "\xfd7zXZ", "an xz file: unpack it first (xz -d)"},
	{0, "PK\x03\x04", "a zip archive: unpack it first"},
	{0, "\x28\xb5\x2f\xfd", "a zstd file: unpack it first (zstd -d)"},
	{257, "ustar", "a tar archive: unpack it first (tar -xf) and read the file in it"},
	{0, "\xff\xfe", "line 1: UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
	{0, "\xfe\xff", "line 1: UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
	{0, "version https://git-lfs.",
		"line 1: a git-LFS pointer, not the data: run git lfs pull in its folder"},
}

// check returns an error for a line of what is no text.
func (p *parser) check(b []byte) error {
	if p.line == 1 {
		for _, k := range notText {
			if len(b) > k.at && bytes.HasPrefix(b[k.at:], []byte(k.magic)) {
				return fmt.Errorf("fwdata: %s: %s", p.name, k.what)
			}
		}
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 && len(bytes.TrimSpace(b[i:])) > 0 {
		return p.fail(`CR alone ends a line (old Mac text): turn each CR into a newline (tr '\r' '\n')`)
	}
	return nil
}
