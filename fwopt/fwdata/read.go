package fwdata

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
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
	p := newParser(name)
	p.targets = true
	if err := p.parse(r); err != nil {
		return nil, nil, err
	}
	p.x.N = len(p.y)
	return p.x, p.y, nil
}

// read is Read without the digest.
func read(r io.Reader, name string) (*Set, error) {
	p := newParser(name)
	if err := p.parse(r); err != nil {
		return nil, err
	}
	piece := p.take()
	s := &Set{Name: name, X: piece.X}
	if err := s.setClasses(piece.Labels); err != nil {
		return nil, fmt.Errorf("fwdata: %s: line %d: %w", name, p.line, err)
	}
	return s, nil
}

// Piece is some rows of a file that is read piece by piece, with the file's labels.
type Piece struct {
	X      *fwsum.Sparse // M is the largest index so far
	Labels []int         // of each row
}

// errEnough ends a scan of which no more is wanted.
var errEnough = errors.New("enough")

// Scan reads LIBSVM text from r as Read does, plain or packed, but yields it in pieces of
// so many rows, the last one shorter, so that a file may be larger than memory: a piece
// and a line are held. An error is yielded last, without a piece, and is that of Read. The
// name stands for the file in errors. Scan panics if rows is less than 1.
func Scan(r io.Reader, name string, rows int) iter.Seq2[Piece, error] {
	if rows < 1 {
		panic(need.Linef("fwdata: pieces of %d rows", rows))
	}
	return func(yield func(Piece, error) bool) {
		p := newParser(name)
		p.full = func() error {
			if len(p.y) == rows && !yield(p.take(), nil) {
				return errEnough
			}
			return nil
		}
		err := p.parse(r)
		if err == nil && len(p.y) > 0 {
			yield(p.take(), nil)
		} else if err != nil && err != errEnough {
			yield(Piece{}, err)
		}
	}
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

func newParser(name string) *parser { return &parser{name: name, x: &fwsum.Sparse{Ptr: []int{0}}} }

// take returns the rows so far, and begins anew.
func (p *parser) take() Piece {
	piece := Piece{p.x, make([]int, len(p.y))}
	piece.X.N = len(p.y)
	for i, y := range p.y {
		piece.Labels[i] = int(y)
	}
	p.taken += len(p.y)
	p.y, p.x = p.y[:0], &fwsum.Sparse{M: p.x.M, Ptr: []int{0}}
	return piece
}

// parse reads all of r, plain or packed.
func (p *parser) parse(r io.Reader) error {
	err := p.lines(r, maxLine, p.row)
	switch {
	case err != nil:
		return err
	case len(p.y)+p.taken == 0:
		return p.ends("an example")
	case p.x.M == 0:
		return p.fail("the file ends without a feature")
	}
	return nil
}

// row parses one line.
func (p *parser) row(b []byte) error {
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
	x, last := p.x, uint64(0)
	for tok, b = token(b); len(tok) > 0; tok, b = token(b) {
		index, value, ok := bytes.Cut(tok, []byte(":"))
		j, err := strconv.ParseUint(string(index), 10, 31)
		switch {
		case !ok || len(value) == 0 || errors.Is(err, strconv.ErrSyntax):
			remedy := ""
			if string(index) == "qid" {
				remedy = ": a ranking file? remove the qid words"
			}
			return p.fail("%s is not index:value%s", quote(tok), remedy)
		case j > maxIndex:
			return p.fail("feature index %s is larger than %d: is it an identifier? number the features",
				quote(index), maxIndex)
		case j == 0:
			return p.fail("feature index 0: indices start at 1, so add 1 to all")
		case j == last:
			return p.fail("feature index %d is there twice: keep one", j)
		case j < last:
			return p.fail("feature index %d after %d: sort each line by index", j, last)
		}
		last = j
		v, ok := number(value)
		if !ok {
			return p.fail("value %s of feature %d is not a finite number", quote(value), j)
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
	what := "label"
	if p.targets {
		what = "target"
	}
	comma := bytes.IndexByte(tok, ',') >= 0
	switch {
	case len(p.y)+p.taken == 0 && tok[0] == '<':
		return p.fail("a web page (HTML), not data: look at it, remove it and get the file again")
	case comma && bytes.IndexByte(tok, ':') < 0 && bytes.IndexByte(rest, ':') < 0:
		return p.fail("%s: a table with commas (CSV), not LIBSVM text: read it by ReadTable, or rename it to .csv for "+
			"fwlab fit", quote(tok))
	case comma:
		return p.fail("%s %s: several %ss an example are not supported", what, quote(tok), what)
	case p.targets:
		return p.fail("target %s is not a finite number: remove or replace its line", quote(tok))
	}
	instead := ""
	if finite {
		instead = ", or read it by ReadTargets if it is a number to predict"
	}
	return p.fail("label %s is not an integer of at most 9 digits: number the classes%s", quote(tok), instead)
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
	for _, c := range b {
		if c-'0' >= 10 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false // ParseFloat takes hexadecimal, inf and nan too
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// quote shows the start of a word in an error.
func quote[T string | []byte](b T) string {
	if len(b) > 24 {
		return fmt.Sprintf("%q…", b[:24])
	}
	return fmt.Sprintf("%q", b)
}
