package fwdata

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
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
