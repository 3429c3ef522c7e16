package fwdata

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// The binary file of a set, little-endian throughout:
//
//	header
//	Labels (8 bytes each)  Y (4)  row lengths (4)  Col (4)  Val (8)
//	the checksum of all that (8)
type header struct {
	Magic   [8]byte
	Version uint64
	Digest  [32]byte // of the source
	Mark    [32]byte // of the source file

	N, M, H, Nonzeros uint64
}

var (
	cacheMagic   = [8]byte([]byte("fwlabset"))
	cacheVersion = uint64(2)
	cacheHeader  = binary.Size(header{})
	little       = binary.LittleEndian
)

// What a binary file that cannot be used is.
var (
	errDamaged = errors.New("damaged")
	errOther   = errors.New("from another version or from another file") // but whole, as far as can be told
)

// encode writes the binary file.
func encode(w io.Writer, s *Set, mark [32]byte) error {
	digest, err := hex.DecodeString(s.Digest)
	if err != nil || len(digest) != 32 {
		return fmt.Errorf("fwdata: %s: digest %q", s.Name, s.Digest)
	}
	h := header{cacheMagic, cacheVersion, [32]byte(digest), mark,
		uint64(s.N()), uint64(s.M()), uint64(s.H()), uint64(len(s.X.Val))}
	sum := file.Sum()
	both := io.MultiWriter(w, sum)
	if err := errors.Join(binary.Write(both, little, h), encodeBody(both, s)); err != nil {
		return err
	}
	return binary.Write(w, little, sum.Sum64())
}

// encodeBody writes Labels, Y, row lengths, Col and Val.
func encodeBody(w io.Writer, s *Set) error {
	labels, y, length := make([]int64, s.H()), make([]uint32, s.N()), make([]uint32, s.N())
	for k, l := range s.Labels {
		labels[k] = int64(l)
	}
	for i := range y {
		y[i], length[i] = uint32(s.Y[i]), uint32(s.X.Ptr[i+1]-s.X.Ptr[i])
	}
	for _, part := range []any{labels, y, length, s.X.Col, s.X.Val} {
		if err := binary.Write(w, little, part); err != nil {
			return err
		}
	}
	return nil
}

// Encode writes the set in binary, as the cache has it: labels, classes, the matrix, the
// Digest and a checksum, little-endian, some 12 bytes a nonzero. A set without a Digest is
// given that of its numbers.
func (s *Set) Encode(w io.Writer) error {
	if s.loaded().Digest == "" {
		s.Digest = contentDigest(s)
	}
	return encode(w, s, [32]byte{})
}

// Decode reads what Encode wrote, from an r of so many bytes, and checks all that the rest
// of the library relies on, in O(nonzeros). The name is the set's and stands for the file
// in errors; the Digest is that of the set that was written.
func Decode(r io.Reader, size int64, name string) (*Set, error) {
	s, _, err := decode(r, size)
	switch err {
	case nil:
		s.Name = name
		return s, nil
	case errDamaged, io.EOF, io.ErrUnexpectedEOF:
		err = errors.New("damaged, cut off or no binary set: write it again")
	case errOther:
		err = errors.New("written by another version of fwdata: write it again")
	}
	return nil, fmt.Errorf("fwdata: %s: %w", name, err)
}

// readCache reads the binary file at path, which must be whole, of this version
// and made from a file of the digest. The error is errDamaged, errOther, or the system's.
func readCache(path, digest string) (s *Set, mark [32]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, mark, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		s, mark, err = decode(f, info.Size())
	}
	if err == nil && s.Digest != digest { // asked last, as a damaged digest is damage
		s, err = nil, errOther
	}
	return s, mark, err
}

// decode reads a binary file of the size, and checks all that the rest of the library
// relies on.
func decode(f io.Reader, size int64) (s *Set, mark [32]byte, err error) {
	var h header
	switch err := binary.Read(f, little, &h); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, mark, errDamaged
	case err != nil:
		return nil, mark, err
	case h.Magic != cacheMagic:
		return nil, mark, errDamaged
	case h.Version != cacheVersion:
		return nil, mark, errOther
	case max(h.N, h.M, h.H, h.Nonzeros) > math.MaxInt32: // so that no product below overflows
		return nil, mark, errDamaged
	case uint64(size) != uint64(cacheHeader)+8*h.H+8*h.N+12*h.Nonzeros+8:
		return nil, mark, errDamaged
	}
	n, m := int(h.N), int(h.M)
	x := &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, h.Nonzeros),
		Val: make([]float64, h.Nonzeros)}
	s = &Set{Labels: make([]int, h.H), Y: make([]int, n), X: x, Digest: hex.EncodeToString(h.Digest[:])}
	labels, y, length, stored := make([]int64, h.H), make([]uint32, n), make([]uint32, n), uint64(0)
	sum := file.Sum()
	binary.Write(sum, little, h)
	both := io.TeeReader(f, sum)
	for _, part := range []any{labels, y, length, x.Col, x.Val} {
		if err := binary.Read(both, little, part); err != nil && binary.Size(part) > 0 {
			return nil, mark, err
		}
	}
	if err := binary.Read(f, little, &stored); err != nil {
		return nil, mark, err
	}
	ok := stored == sum.Sum64()
	for k, l := range labels {
		s.Labels[k] = int(l)
		ok = ok && (k == 0 || l > labels[k-1])
	}
	for i := range n {
		ok = ok && uint64(y[i]) < h.H
		s.Y[i], x.Ptr[i+1] = int(y[i]), x.Ptr[i]+int(length[i])
	}
	if !ok || x.Ptr[n] != int(h.Nonzeros) {
		return nil, mark, errDamaged
	}
	for i := range n {
		last := int32(-1)
		for p := x.Ptr[i]; p < x.Ptr[i+1]; p++ {
			if j, v := x.Col[p], x.Val[p]; j <= last || int(j) >= m || v-v != 0 { // NaN, infinite
				return nil, mark, errDamaged
			}
			last = x.Col[p]
		}
	}
	return s, h.Mark, nil
}
