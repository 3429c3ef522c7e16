package fwdata

import (
	"bytes"
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
	_       [32]byte // something else in older files

	N, M, H, Nonzeros uint64
}

var (
	cacheMagic   = [8]byte([]byte("fwlabset"))
	cacheVersion = uint64(2)
	little       = binary.LittleEndian
)

// What a binary file that cannot be used is.
var (
	errDamaged = errors.New("damaged")
	errOther   = errors.New("from another version or from another file") // but whole, as far as can be told
)

// encodeBody writes Labels, Y, row lengths, Col and Val into a hash or a buffer, which do not fail.
func encodeBody(w io.Writer, s *Set) {
	labels, y, length := make([]int64, s.H()), make([]uint32, s.N()), make([]uint32, s.N())
	for k, l := range s.Labels {
		labels[k] = int64(l)
	}
	for i := range y {
		y[i], length[i] = uint32(s.Y[i]), uint32(s.X.Ptr[i+1]-s.X.Ptr[i])
	}
	for _, part := range []any{labels, y, length, s.X.Col, s.X.Val} {
		binary.Write(w, little, part)
	}
}

// Encode writes the set in binary, as the cache has it: labels, classes, the matrix, the
// Digest and a checksum, little-endian, about 12 bytes a nonzero. A set without a Digest is
// given that of its numbers.
func (s *Set) Encode(w io.Writer) error {
	if s.loaded().Digest == "" {
		s.Digest = contentDigest(s)
	}
	digest, err := hex.DecodeString(s.Digest)
	if err != nil || len(digest) != 32 {
		return fmt.Errorf("fwdata: %s: digest %q", s.Name, s.Digest)
	}
	var b bytes.Buffer
	binary.Write(&b, little, header{Magic: cacheMagic, Version: cacheVersion, Digest: [32]byte(digest),
		N: uint64(s.N()), M: uint64(s.M()), H: uint64(s.H()), Nonzeros: uint64(len(s.X.Val))})
	encodeBody(&b, s)
	_, err = w.Write(file.Seal(b.Bytes()))
	return err
}

// Decode reads what Encode wrote, from an r of so many bytes, and checks all that the rest
// of the library relies on, in O(nonzeros). The name is the set's and stands for the file
// in errors; the Digest is that of the set that was written.
func Decode(r io.Reader, size int64, name string) (*Set, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(r, b)
	if err == nil {
		var s *Set
		if s, err = decode(b); err == nil {
			s.Name = name
			return s, nil
		}
	}
	switch err {
	case errDamaged, io.EOF, io.ErrUnexpectedEOF:
		err = errors.New("damaged, cut off or no binary set: write it again")
	case errOther:
		err = errors.New("written by another version of fwdata: write it again")
	}
	return nil, fmt.Errorf("fwdata: %s: %w", name, err)
}

// readCache reads the binary file at path, which must be whole, of this version
// and made from a file of the digest. The error is errDamaged, errOther, or the system's.
func readCache(path, digest string) (*Set, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := decode(b)
	if err == nil && s.Digest != digest {
		return nil, errOther
	}
	return s, err
}

// decode reads a binary file, and checks all that the rest of the library relies on.
func decode(b []byte) (*Set, error) {
	b, whole := file.Unseal(b)
	r, h := bytes.NewReader(b), header{}
	switch err := binary.Read(r, little, &h); {
	case !whole || err != nil || h.Magic != cacheMagic:
		return nil, errDamaged
	case h.Version != cacheVersion:
		return nil, errOther
	case max(h.N, h.M, h.H, h.Nonzeros) > math.MaxInt32, // so that no product below overflows
		uint64(r.Len()) != 8*h.H+8*h.N+12*h.Nonzeros:
		return nil, errDamaged
	}
	n, m := int(h.N), int(h.M)
	x := &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, h.Nonzeros),
		Val: make([]float64, h.Nonzeros)}
	s := &Set{Labels: make([]int, h.H), Y: make([]int, n), X: x, Digest: hex.EncodeToString(h.Digest[:])}
	labels, y, length := make([]int64, h.H), make([]uint32, n), make([]uint32, n)
	for _, part := range []any{labels, y, length, x.Col, x.Val} {
		binary.Read(r, little, part) // there is as much as that
	}
	ok := true
	for k, l := range labels {
		s.Labels[k] = int(l)
		ok = ok && (k == 0 || l > labels[k-1])
	}
	for i := range n {
		ok = ok && uint64(y[i]) < h.H
		s.Y[i], x.Ptr[i+1] = int(y[i]), x.Ptr[i]+int(length[i])
	}
	if !ok || x.Ptr[n] != int(h.Nonzeros) {
		return nil, errDamaged
	}
	for i := range n {
		last := int32(-1)
		for p := x.Ptr[i]; p < x.Ptr[i+1]; p++ {
			if j, v := x.Col[p], x.Val[p]; j <= last || int(j) >= m || v-v != 0 { // NaN, infinite
				return nil, errDamaged
			}
			last = x.Col[p]
		}
	}
	return s, nil
}
