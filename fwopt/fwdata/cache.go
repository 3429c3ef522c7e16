package fwdata

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// The binary file of a set, little-endian throughout:
//
//	"fwlabset"  version (4 bytes)  0 (4)          magic
//	digest of the source (32)  mark of the source file (32)
//	n  m  h  nonzeros (8 each)
//	Labels (8 each)  Y (4)  row lengths (4)  Col (4)  Val (8)
//	CRC-32C of all that (4)
const (
	cacheMagic   = "fwlabset"
	cacheVersion = 1
	cacheHeader  = 112
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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
	h := append([]byte(cacheMagic), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(h[8:], cacheVersion)
	h = append(append(h, digest...), mark[:]...)
	for _, k := range []int{s.N(), s.M(), s.H(), len(s.X.Val)} {
		h = binary.LittleEndian.AppendUint64(h, uint64(k))
	}
	sum := crc32.New(castagnoli)
	both := io.MultiWriter(w, sum)
	if _, err := both.Write(h); err != nil {
		return err
	}
	if err := encodeBody(both, s); err != nil {
		return err
	}
	_, err = w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
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
	h, err := readHeader(r, size)
	if err == nil {
		var s *Set
		if s, err = readBody(r, h); err == nil {
			s.Name, s.Digest = name, hex.EncodeToString(h[16:48])
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

// encodeBody writes Labels, Y, row lengths, Col and Val.
func encodeBody(w io.Writer, s *Set) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var t [8]byte
	put4 := func(v uint32) { binary.LittleEndian.PutUint32(t[:], v); b.Write(t[:4]) }
	put8 := func(v uint64) { binary.LittleEndian.PutUint64(t[:], v); b.Write(t[:8]) }
	for _, l := range s.Labels {
		put8(uint64(l))
	}
	for _, y := range s.Y {
		put4(uint32(y))
	}
	for i := range s.N() {
		put4(uint32(s.X.Ptr[i+1] - s.X.Ptr[i]))
	}
	for _, j := range s.X.Col {
		put4(uint32(j))
	}
	for _, v := range s.X.Val {
		put8(math.Float64bits(v))
	}
	return b.Flush() // the first error of all
}

// readCache reads the binary file at path, which must be whole, of this version
// and made from a file of the digest. It checks all that the rest of the library
// relies on, at O(nonzeros). The error is errDamaged, errOther, or the system's.
func readCache(path, digest string) (*Set, [32]byte, error) {
	var mark [32]byte
	f, err := os.Open(path)
	if err != nil {
		return nil, mark, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, mark, err
	}
	h, err := readHeader(f, info.Size())
	if err != nil {
		return nil, mark, err
	}
	copy(mark[:], h[48:])
	s, err := readBody(f, h)
	if err != nil {
		return nil, mark, err
	}
	s.Digest = digest
	if hex.EncodeToString(h[16:48]) != digest { // asked last, as a damaged digest is damage
		return nil, mark, errOther
	}
	return s, mark, nil
}

// readHeader reads the first bytes of a binary file of this version and of the size
// that they say.
func readHeader(f io.Reader, size int64) ([]byte, error) {
	h := make([]byte, cacheHeader)
	switch _, err := io.ReadFull(f, h); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, errDamaged
	case err != nil:
		return nil, err
	case string(h[:8]) != cacheMagic:
		return nil, errDamaged
	case binary.LittleEndian.Uint32(h[8:]) != cacheVersion:
		return nil, errOther
	}
	dim := dimensions(h)
	for _, d := range dim {
		if d > math.MaxInt32 { // so that no product below overflows
			return nil, errDamaged
		}
	}
	if uint64(size) != cacheHeader+8*dim[2]+8*dim[0]+12*dim[3]+4 {
		return nil, errDamaged
	}
	return h, nil
}

// dimensions are n, m, h and the nonzeros, as a header has them.
func dimensions(h []byte) (dim [4]uint64) {
	for k := range dim {
		dim[k] = binary.LittleEndian.Uint64(h[80+8*k:])
	}
	return dim
}

// readBody reads what follows the header, and checks the sum of both.
func readBody(f io.Reader, h []byte) (*Set, error) {
	dim := dimensions(h)
	n, m, nh, nz := int(dim[0]), int(dim[1]), int(dim[2]), int(dim[3])
	r := &sumReader{r: f, sum: crc32.Update(0, castagnoli, h), buf: make([]byte, 1<<17)}
	s := &Set{Labels: make([]int, nh), Y: make([]int, n),
		X: &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, nz), Val: make([]float64, nz)}}
	ok := true
	for k := 0; k < nh; {
		for b := r.next(8, nh-k); len(b) > 0; b = b[8:] {
			s.Labels[k] = int(int64(binary.LittleEndian.Uint64(b)))
			ok = ok && (k == 0 || s.Labels[k] > s.Labels[k-1])
			k++
		}
	}
	for k := 0; k < n; {
		for b := r.next(4, n-k); len(b) > 0; b = b[4:] {
			y := binary.LittleEndian.Uint32(b)
			ok = ok && uint64(y) < dim[2]
			s.Y[k] = int(y)
			k++
		}
	}
	for k := 0; k < n; {
		for b := r.next(4, n-k); len(b) > 0; b = b[4:] {
			s.X.Ptr[k+1] = s.X.Ptr[k] + int(binary.LittleEndian.Uint32(b))
			k++
		}
	}
	ok = ok && s.X.Ptr[n] == nz
	for k := 0; k < nz; {
		for b := r.next(4, nz-k); len(b) > 0; b = b[4:] {
			s.X.Col[k] = int32(binary.LittleEndian.Uint32(b))
			k++
		}
	}
	for k := 0; k < nz; {
		for b := r.next(8, nz-k); len(b) > 0; b = b[8:] {
			v := math.Float64frombits(binary.LittleEndian.Uint64(b))
			ok = ok && v-v == 0 // finite
			s.X.Val[k] = v
			k++
		}
	}
	sum := r.sum
	tail := r.next(4, 1)
	if r.err != nil {
		return nil, r.err
	}
	if !ok || binary.LittleEndian.Uint32(tail) != sum {
		return nil, errDamaged
	}
	for i := range n {
		last := int32(-1)
		for _, j := range s.X.Col[s.X.Ptr[i]:s.X.Ptr[i+1]] {
			if j <= last || int(j) >= m {
				return nil, errDamaged
			}
			last = j
		}
	}
	return s, nil
}

// sumReader hands out pieces of a file and keeps their checksum.
type sumReader struct {
	r   io.Reader
	sum uint32
	buf []byte
	err error
}

// next returns as many of the next k numbers of the given size as the buffer
// holds, at least one; after an error, zeros.
func (r *sumReader) next(size, k int) []byte {
	b := r.buf[:min(size*k, len(r.buf))]
	if r.err == nil {
		_, r.err = io.ReadFull(r.r, b)
	}
	if r.err != nil {
		clear(b)
	}
	r.sum = crc32.Update(r.sum, castagnoli, b)
	return b
}

// writeFile writes a file whole or not at all: under another name first, synced
// and then renamed. After an error nothing is left.
func writeFile(path string, fill func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	sweep(filepath.Join(dir, base+".*.tmp"))
	f, err := os.CreateTemp(dir, base+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// sweep removes what killed programs have left: files of the pattern that are
// more than an hour old.
func sweep(pattern string) {
	old, _ := filepath.Glob(pattern)
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(path)
		}
	}
}
