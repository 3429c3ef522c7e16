package fwdata

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// maxLine bounds the length of a line, so that a file that is not text, or that
// unpacks without end, does not fill the memory.
const maxLine = 1 << 26

// maxIndex bounds the number of features, since weights and a matrix by columns
// take memory for each, used or not. The largest set of LIBSVM's page has 5·10⁷.
const maxIndex = 100_000_000

// ReadFile reads a LIBSVM file: plain, or packed by gzip or bzip2 in one stream or
// several, which is told from its first bytes. Each line is
//
//	label index:value index:value …    # a comment
//
// with an integer label ("3", "+1" and "3.0" are all right) and ascending
// indices from 1; a line may have no features, and blank lines are skipped. M is
// the largest index. Explicit zeros count for M and are not stored. Errors name
// the file, the line and a remedy. The set's name is the file's, without its
// endings. ReadTargets reads real targets in place of labels.
func ReadFile(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("fwdata: %w", err)
	}
	defer f.Close()
	d := sha256.New()
	src := io.TeeReader(f, d)
	s, err := read(src, path)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, src); err != nil { // what an unpacker left
		return nil, fmt.Errorf("fwdata: %w", err)
	}
	s.Name = filepath.Base(path)
	for _, end := range []string{".bz2", ".gz", ".txt", ".libsvm", ".svm"} {
		if cut := strings.TrimSuffix(s.Name, end); cut != "" {
			s.Name = cut
		}
	}
	s.Source = path
	s.Digest = hex.EncodeToString(d.Sum(nil))
	return s, nil
}

// Read reads LIBSVM text from r as ReadFile does. The name stands for the file in
// errors and is the set's Name; the digest is the content's. Memory beyond the
// set itself is one line; nothing is allocated for a number.
func Read(r io.Reader, name string) (*Set, error) {
	s, err := read(r, name)
	if err != nil {
		return nil, err
	}
	s.Digest = contentDigest(s)
	return s, nil
}

// ReadTargets reads LIBSVM text for regression from r: as ReadFile does, plain or
// packed, but with any finite real number b_i in place of the label. It returns
// the n × m matrix and the n targets, as fwsum.NewLeastSquares takes them. The
// name stands for the file in errors. Time and memory are as for Read. m is the
// largest index: where a file of test examples has more, set M of both matrices to
// the larger one before they are used.
func ReadTargets(r io.Reader, name string) (x *fwsum.Sparse, b []float64, err error) {
	p, err := parse(r, name, true)
	if err != nil {
		return nil, nil, err
	}
	return p.x, p.y, nil
}

// read is Read without the digest.
func read(r io.Reader, name string) (*Set, error) {
	p, err := parse(r, name, false)
	if err != nil {
		return nil, err
	}
	labels := make([]int, len(p.y))
	for i, y := range p.y {
		labels[i] = int(y)
	}
	s := &Set{Name: name, X: p.x}
	if err := s.setClasses(labels); err != nil {
		return nil, fmt.Errorf("fwdata: %s: line %d: %w", name, p.line, err)
	}
	return s, nil
}

// parse reads all of r. With targets, the first word of a line is any
// finite number, else an integer.
func parse(r io.Reader, name string, targets bool) (*parser, error) {
	p := &parser{name: name, targets: targets, x: &fwsum.Sparse{Ptr: []int{0}}}
	if err := p.all(r); err != nil {
		return nil, err
	}
	p.x.N = len(p.y)
	return p, nil
}

// all parses all of r, plain or packed.
func (p *parser) all(r io.Reader) error {
	r, err := p.unpack(r)
	if err != nil {
		return err
	}
	if err := p.lines(r); err != nil {
		return err
	}
	switch {
	case len(p.y)+p.taken == 0:
		return fmt.Errorf("fwdata: %s: line %d: the file ends without an example: is it empty, or a broken download?", p.name, max(p.line, 1))
	case p.x.M == 0:
		return fmt.Errorf("fwdata: %s: line %d: the file ends without a feature", p.name, p.line)
	}
	return nil
}

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

// parser holds what has been read so far.
type parser struct {
	name, packed string
	targets      bool // not labels
	line         int
	y            []float64 // labels or targets
	x            *fwsum.Sparse

	full  func() error // if set, called after each row: may take what there is
	taken int          // rows
}

func (p *parser) fail(format string, a ...any) error {
	return fmt.Errorf("fwdata: %s: line %d: %s", p.name, p.line, fmt.Sprintf(format, a...))
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
	return fmt.Errorf("fwdata: %s: after line %d: the %s file is %s (%w): get it again", p.name, p.line, p.packed, what, err)
}

// notText tells by the first line what is not LIBSVM text, and what to do about it.
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
	{0, "version https://git-lfs.", "line 1: a git-LFS pointer, not the data: run git lfs pull in its folder"},
}

// check returns an error for a line that is not one of LIBSVM text.
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

// lines cuts the text into lines and parses each.
func (p *parser) lines(r io.Reader) error {
	buf := make([]byte, 1<<18)
	fill := 0 // buf[:fill] holds the start of a line
	for {
		if fill == len(buf) {
			if fill >= maxLine {
				p.line++
				if err := p.check(buf); err != nil {
					return err
				}
				return p.fail("longer than %d bytes: not LIBSVM text", maxLine)
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
		k, err := r.Read(buf[fill:])
		at, end := 0, fill+k
		for {
			nl := bytes.IndexByte(buf[max(at, fill):end], '\n')
			if nl < 0 {
				break
			}
			nl += max(at, fill)
			if err := p.row(buf[at:nl]); err != nil {
				return err
			}
			at = nl + 1
		}
		fill = copy(buf, buf[at:end])
		if err == io.EOF {
			if fill > 0 {
				return p.row(buf[:fill])
			}
			return nil
		}
		if err != nil {
			return p.damaged(err)
		}
	}
}

// row parses one line.
func (p *parser) row(b []byte) error {
	p.line++
	if err := p.check(b); err != nil {
		return err
	}
	if p.line == 1 {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // a byte order mark
	}
	if i := bytes.IndexByte(b, '#'); i >= 0 {
		b = b[:i]
	}
	tok, b := token(b)
	if len(tok) == 0 {
		return nil
	}
	y, finite := number(tok)
	if !finite || !p.targets && (y != math.Trunc(y) || math.Abs(y) >= 1e9) {
		return p.noLabel(tok, b, finite)
	}
	x, last := p.x, int64(0)
	for {
		tok, b = token(b)
		if len(tok) == 0 {
			break
		}
		colon, j := 0, int64(0)
		for colon < len(tok) && '0' <= tok[colon] && tok[colon] <= '9' {
			if j <= maxIndex { // beyond, it is too large whatever follows
				j = 10*j + int64(tok[colon]-'0')
			}
			colon++
		}
		if colon == 0 || colon >= len(tok)-1 || tok[colon] != ':' {
			if bytes.HasPrefix(tok, []byte("qid:")) {
				return p.fail("%s is not index:value: a ranking file? remove the qid words", quote(tok))
			}
			return p.fail("%s is not index:value", quote(tok))
		}
		switch {
		case j > maxIndex:
			return p.fail("feature index %s is larger than %d: is it an identifier? number the features", quote(tok[:colon]), maxIndex)
		case j == 0:
			return p.fail("feature index 0: indices start at 1, so add 1 to all")
		case j == last:
			return p.fail("feature index %d is there twice: keep one", j)
		case j < last:
			return p.fail("feature index %d after %d: sort each line by index", j, last)
		}
		last = j
		v, ok := number(tok[colon+1:])
		if !ok {
			return p.fail("value %s of feature %d is not a finite number", quote(tok[colon+1:]), j)
		}
		if v != 0 {
			x.Col = append(x.Col, int32(j-1))
			x.Val = append(x.Val, v)
		}
	}
	x.M = max(x.M, int(last))
	x.Ptr = append(x.Ptr, len(x.Val))
	p.y = append(p.y, y)
	if p.full != nil {
		return p.full()
	}
	return nil
}

// noLabel returns the error for a line's first word that is not a label, or not a
// target. The rest of the line and whether the word is a finite number tell why.
func (p *parser) noLabel(tok, rest []byte, finite bool) error {
	what, use := "label", "hand it to FromMatrix"
	if p.targets {
		what, use = "target", "fill a fwsum.Sparse"
	}
	comma := bytes.IndexByte(tok, ',') >= 0
	switch {
	case len(p.y)+p.taken == 0 && tok[0] == '<':
		return p.fail("a web page (HTML), not data: look at it, remove it and get the file again")
	case comma && bytes.IndexByte(tok, ':') < 0 && bytes.IndexByte(rest, ':') < 0:
		return p.fail("%s: a table with commas (CSV), not LIBSVM text: read it with encoding/csv and %s", quote(tok), use)
	case comma:
		return p.fail("%s %s: several %ss an example are not supported", what, quote(tok), what)
	case p.targets:
		return p.fail("target %s is not a finite number: remove or replace its line", quote(tok))
	case finite:
		return p.fail("label %s is not an integer of at most 9 digits: number the classes, or read it by ReadTargets if it is a number to predict", quote(tok))
	}
	return p.fail("label %s is not an integer of at most 9 digits: number the classes", quote(tok))
}

// token returns the first word of b and what follows it.
func token(b []byte) (tok, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i]-'\t' < 5) { // \t \n \v \f \r
		i++
	}
	j := i
	for j < len(b) && b[j] != ' ' && b[j]-'\t' >= 5 {
		j++
	}
	return b[i:j], b[j:]
}

// number reads a finite decimal number.
func number(b []byte) (float64, bool) {
	if 0 < len(b) && len(b) <= 18 { // an integer, the common case; its conversion rounds as ParseFloat does
		k, i := 0, 0
		for i < len(b) && b[i]-'0' < 10 {
			k = 10*k + int(b[i]-'0')
			i++
		}
		if i == len(b) {
			return float64(k), true
		}
	}
	for _, c := range b {
		if c-'0' >= 10 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false // ParseFloat takes hexadecimal, inf and nan too
		}
	}
	if len(b) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(unsafe.String(&b[0], len(b)), 64) // b does not change meanwhile
	return v, err == nil
}

// quote shows the start of a word in an error.
func quote(b []byte) string {
	if len(b) > 24 {
		return strconv.Quote(string(b[:24])) + "…"
	}
	return strconv.Quote(string(b))
}
