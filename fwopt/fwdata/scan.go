package fwdata

import (
	"errors"
	"io"
	"iter"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

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
		p := &parser{name: name, x: &fwsum.Sparse{Ptr: []int{0}}}
		take := func() error {
			piece := Piece{p.x, make([]int, len(p.y))}
			piece.X.N = len(p.y)
			for i, y := range p.y {
				piece.Labels[i] = int(y)
			}
			p.taken += len(p.y)
			p.y, p.x = p.y[:0], &fwsum.Sparse{M: p.x.M, Ptr: []int{0}}
			if !yield(piece, nil) {
				return errEnough
			}
			return nil
		}
		p.full = func() error {
			if len(p.y) < rows {
				return nil
			}
			return take()
		}
		err := p.all(r)
		if err == nil && len(p.y) > 0 {
			err = take()
		}
		if err != nil && err != errEnough {
			yield(Piece{}, err)
		}
	}
}
