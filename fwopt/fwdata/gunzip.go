package fwdata

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

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
