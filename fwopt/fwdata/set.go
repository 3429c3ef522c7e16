// Package fwdata reads multiclass data sets: the registry's by name (Load), a user's own
// LIBSVM file (ReadFile) or matrix (FromMatrix), and generated stand-ins for the sets that are
// not at hand (Twin, LoadOrTwin). ReadTargets reads data for regression, ReadTable and
// ReadNPY text of columns and numpy's matrices, ReadRatings those of users and items,
// ReadVideo the boxes of a video, and NetworkFiles finds the registry's road networks for
// package fwroad. The package never uses the network; package fwfetch does.
package fwdata

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Set is a multiclass data set: n examples (e_i, y_i) of Section 2.1 with m
// features and h classes. The sets of this package share storage with each
// other; treat them as read-only.
type Set struct {
	Name      string        // as figures show it: "news20", or "news20 (generated)"
	X         *fwsum.Sparse // n × m, row i is e_i
	Y         []int         // the n classes, 0 … h−1
	Labels    []int         // the file's label of each class, ascending, length h
	Generated bool          // not real data: say so wherever it is shown
	Source    string        // the file it was read from; empty when there is none

	// Digest identifies the content, in hex: the SHA-256 of the source file, or
	// of the numbers when there is no file. A set made from another (UnitRows,
	// Split, Subset) has one of its own.
	Digest string
}

// N returns n, the number of examples.
func (s *Set) N() int { return s.loaded().X.N }

// M returns m, the number of features.
func (s *Set) M() int { return s.loaded().X.M }

// H returns h, the number of classes.
func (s *Set) H() int { return len(s.loaded().Labels) }

// loaded returns s. It panics for the nil that came with an error which nobody looked at.
func (s *Set) loaded() *Set {
	if s == nil {
		panic(need.Line("fwdata: this set is nil: print the error that was returned with it"))
	}
	return s
}

// counts returns the number of examples of each class.
func (s *Set) counts() []int {
	c := make([]int, s.H())
	for _, y := range s.Y {
		c[y]++
	}
	return c
}

// String returns the set's row of Table 3, with a little more, as in
// "digits: n = 1,797, m = 64, h = 10, 58,736 nonzeros (32.7 a row), 174 to 183 examples a class".
func (s *Set) String() string {
	c := s.counts()
	nz := len(s.X.Val)
	k := num.Thousands
	return fmt.Sprintf("%s: n = %s, m = %s, h = %s, %s nonzeros (%.1f a row), %s to %s examples a class",
		s.Name, k(s.N()), k(s.M()), k(s.H()), k(nz), float64(nz)/float64(s.N()),
		k(slices.Min(c)), k(slices.Max(c)))
}

// UnitRows returns the set with each row scaled to unit Euclidean length; a row
// of zeros stays. It costs O(nonzeros); only the values are copied.
func (s *Set) UnitRows() *Set {
	x := *s.loaded().X
	x.Val = slices.Clone(s.X.Val)
	for i := range x.N {
		_, val := x.Row(i)
		big := floats.Norm(val, math.Inf(1))
		if big == 0 {
			continue
		}
		sum := 0.0 // Σ (v/big)², which neither overflows nor vanishes
		for _, v := range val {
			sum += (v / big) * (v / big)
		}
		norm := math.Sqrt(sum)
		for k, v := range val {
			val[k] = v / big / norm
		}
	}
	t := *s
	t.X = &x
	t.Digest = s.derive("unit rows")
	return &t
}

// Subset returns the set of the given rows, in that order, copied, with the same
// labels (so a class may be without examples). It panics when rows is empty or a
// row is not in 0 … n−1.
func (s *Set) Subset(rows []int) *Set {
	if len(rows) == 0 {
		panic(need.Line("fwdata: a subset of no rows"))
	}
	nz := 0
	key := make([]byte, 0, 8*len(rows))
	for _, i := range rows {
		if i < 0 || i >= s.N() {
			panic(need.Linef("fwdata: row %d of a set with %d rows", i, s.N()))
		}
		nz += s.X.Ptr[i+1] - s.X.Ptr[i]
		key = binary.LittleEndian.AppendUint64(key, uint64(i))
	}
	x := &fwsum.Sparse{N: len(rows), M: s.M(), Ptr: make([]int, 1, len(rows)+1),
		Col: make([]int32, 0, nz), Val: make([]float64, 0, nz)}
	y := make([]int, len(rows))
	for k, i := range rows {
		col, val := s.X.Row(i)
		x.Col = append(x.Col, col...)
		x.Val = append(x.Val, val...)
		x.Ptr = append(x.Ptr, len(x.Val))
		y[k] = s.Y[i]
	}
	t := *s
	t.X, t.Y = x, y
	t.Digest = s.derive("subset " + string(key))
	return &t
}

// Split shuffles the examples by the seed and returns the first frac·n of them
// (rounded) as train, the others as test. The same seed gives the same split. It
// panics when one of the two would be empty.
func (s *Set) Split(frac float64, seed uint64) (train, test *Set) {
	k := firstPart(s.N(), "rows", frac)
	rows := shuffled(sample.NewPortable(seed, 1), s.N())
	return s.Subset(rows[:k]), s.Subset(rows[k:])
}

// firstPart returns the size of the first part of n, where neither part may be empty.
func firstPart(n int, of string, frac float64) int {
	k := int(math.Round(frac * float64(n)))
	if !(frac > 0 && frac < 1) || k == 0 || k == n {
		panic(need.Linef("fwdata: a split of %d %s at %g leaves one part empty", n, of, frac))
	}
	return k
}

// shuffled returns 0 … n−1 in a random order.
func shuffled(g sample.Portable, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	g.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// derive returns the digest of a set that was made from s by the named step. The
// step and s determine the new content, so their digest stands for it.
func (s *Set) derive(step string) string {
	d := sha256.Sum256([]byte(s.Digest + "\n" + step))
	return hex.EncodeToString(d[:])
}

// contentDigest returns the SHA-256 of the numbers of s. It costs O(nonzeros).
func contentDigest(s *Set) string {
	d := sha256.New()
	encodeBody(d, s) // a hash does not fail
	return hex.EncodeToString(d.Sum(nil))
}

// setClasses fills Y and Labels from the examples' labels. It returns an error
// when there are fewer than two classes.
func (s *Set) setClasses(labels []int) error {
	s.Labels = slices.Clone(slices.Compact(slices.Sorted(slices.Values(labels))))
	if len(s.Labels) == 1 {
		return fmt.Errorf("all %d examples have the label %d: at least two classes are needed",
			len(labels), s.Labels[0])
	}
	s.Y = make([]int, len(labels))
	for i, l := range labels {
		s.Y[i], _ = slices.BinarySearch(s.Labels, l)
	}
	return nil
}

// FromMatrix makes a set from the n × m matrix x, one example a row, and its n
// labels, any integers. Zeros are not stored. It returns an error that names
// the row and column of a NaN or an infinity, and one when the lengths differ or
// there are fewer than two classes.
func FromMatrix(name string, x mat.Matrix, labels []int) (*Set, error) {
	n, m := x.Dims()
	switch {
	case n == 0 || m == 0:
		return nil, fmt.Errorf("fwdata: %s: a %d x %d matrix has no data", name, n, m)
	case len(labels) != n:
		return nil, fmt.Errorf("fwdata: %s: %d labels for %d rows: give one label a row",
			name, len(labels), n)
	case m > math.MaxInt32:
		return nil, fmt.Errorf("fwdata: %s: %d columns: at most %d are possible", name, m, math.MaxInt32)
	}
	s := &Set{Name: name, X: &fwsum.Sparse{N: n, M: m, Ptr: make([]int, 1, n+1)}}
	for i := range n {
		for j := range m {
			v := x.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("fwdata: %s: row %d, column %d of the matrix is %v: "+
					"remove or replace it", name, i, j, v)
			}
			if v != 0 {
				s.X.Col = append(s.X.Col, int32(j))
				s.X.Val = append(s.X.Val, v)
			}
		}
		s.X.Ptr = append(s.X.Ptr, len(s.X.Val))
	}
	if err := s.setClasses(labels); err != nil {
		return nil, fmt.Errorf("fwdata: %s: %w", name, err)
	}
	s.Digest = contentDigest(s)
	return s, nil
}

// Logistic returns the multiclass logistic loss of Section 2.1 on s, under the
// name of s. It keeps X and Y, which must not change any more.
func (s *Set) Logistic() *fwsum.Logistic {
	f := fwsum.NewLogistic(s.X, s.Y, s.H())
	f.Name = s.Name
	return f
}

// Write writes the set as LIBSVM text, with its labels and with values that read
// back to the same bits. When the last column is empty, the first line gets an
// explicit zero for it, so that M survives.
func (s *Set) Write(w io.Writer) error {
	bw := bufio.NewWriter(w) // an error stays until Flush
	var b []byte
	for i := range s.N() {
		b = strconv.AppendInt(b[:0], int64(s.Labels[s.Y[i]]), 10)
		col, val := s.X.Row(i)
		for k, j := range col {
			b = strconv.AppendInt(append(b, ' '), int64(j)+1, 10)
			b = strconv.AppendFloat(append(b, ':'), val[k], 'g', -1, 64)
		}
		if i == 0 && !slices.Contains(s.X.Col, int32(s.M()-1)) {
			b = fmt.Appendf(b, " %d:0", s.M())
		}
		bw.Write(append(b, '\n'))
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("fwdata: writing %s: %w", s.Name, err)
	}
	return nil
}
