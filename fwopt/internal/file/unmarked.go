// Package file holds what several rooms do with files.
package file

import (
	"bufio"
	"io"
)

// Unmarked passes over a byte order mark in UTF-8, as some editors put one at the beginning.
func Unmarked(r io.Reader) *bufio.Reader {
	const mark = "\ufeff"
	b := bufio.NewReader(r)
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		b.Discard(len(mark))
	}
	return b
}
