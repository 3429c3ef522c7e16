package fwdata

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Write writes the set as LIBSVM text, with its labels and with values that read
// back to the same bits. When the last column is empty, the first line gets an
// explicit zero for it, so that M survives.
func (s *Set) Write(w io.Writer) error {
	bw := bufio.NewWriter(w)
	used := int32(-1)
	for _, j := range s.X.Col {
		used = max(used, j)
	}
	var b []byte
	for i := range s.N() {
		b = strconv.AppendInt(b[:0], int64(s.Labels[s.Y[i]]), 10)
		col, val := s.X.Row(i)
		for k, j := range col {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(j)+1, 10)
			b = append(b, ':')
			b = strconv.AppendFloat(b, val[k], 'g', -1, 64)
		}
		if i == 0 && int(used)+1 < s.M() {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(s.M()), 10)
			b = append(b, ":0"...)
		}
		b = append(b, '\n')
		if _, err := bw.Write(b); err != nil {
			return fmt.Errorf("fwdata: writing %s: %w", s.Name, err)
		}
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("fwdata: writing %s: %w", s.Name, err)
	}
	return nil
}
