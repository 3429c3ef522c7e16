// Package fwdata reads multiclass data sets: the registry's by name (Load), a
// user's own LIBSVM file (ReadFile) or matrix (FromMatrix), and generated twins
// of the sets that are not at hand (Twin, LoadOrTwin). ReadTargets reads data for
// regression. LoadNetwork reads the registry's road networks, ReadNetwork those of a
// user, and Grid makes one that stands in. The package never uses the network; package fwfetch does.
package fwdata

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/mat"
)

// Set is a multiclass data set: n examples (e_i, y_i) of Section 2.1 with m
// features and h classes. The sets of this package share storage with each
// other; treat them as read-only.
type Set struct {
	Name      string        // as figures show it: "news20", or "news20 (generated)" for a twin
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

// Counts returns the number of examples of each class. It costs O(n).
func (s *Set) Counts() []int {
	c := make([]int, s.H())
	for _, y := range s.Y {
		c[y]++
	}
	return c
}

// String returns the set's row of Table 3, with a little more, as in
// "digits: n = 1,797, m = 64, h = 10, 58,736 nonzeros (32.7 a row), 174 to 183 examples a class".
func (s *Set) String() string {
	c := s.Counts()
	nz := len(s.X.Val)
	return fmt.Sprintf("%s: n = %s, m = %s, h = %s, %s nonzeros (%.1f a row), %s to %s examples a class",
		s.Name, num.Thousands(s.N()), num.Thousands(s.M()), num.Thousands(s.H()), num.Thousands(nz), float64(nz)/float64(s.N()),
		num.Thousands(slices.Min(c)), num.Thousands(slices.Max(c)))
}

// UnitRows returns the set with each row scaled to unit Euclidean length; a row
// of zeros stays. It costs O(nonzeros); only the values are copied.
func (s *Set) UnitRows() *Set {
	x := *s.loaded().X
	x.Val = slices.Clone(s.X.Val)
	for i := range x.N {
		_, val := x.Row(i)
		big := 0.0
		for _, v := range val {
			big = max(big, math.Abs(v))
		}
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
	n := s.N()
	k := int(math.Round(frac * float64(n)))
	if !(frac > 0 && frac < 1) || k == 0 || k == n {
		panic(need.Linef("fwdata: a split of %d rows at %g leaves one part empty", n, frac))
	}
	g := sample.NewPortable(seed, 1)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	g.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return s.Subset(rows[:k]), s.Subset(rows[k:])
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
	s.Labels = slices.Clone(labels)
	slices.Sort(s.Labels)
	s.Labels = slices.Clone(slices.Compact(s.Labels))
	if len(s.Labels) == 1 {
		return fmt.Errorf("all %d examples have the label %d: at least two classes are needed", len(labels), s.Labels[0])
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
		return nil, fmt.Errorf("fwdata: %s: %d labels for %d rows: give one label a row", name, len(labels), n)
	case m > math.MaxInt32:
		return nil, fmt.Errorf("fwdata: %s: %d columns: at most %d are possible", name, m, math.MaxInt32)
	}
	s := &Set{Name: name, X: &fwsum.Sparse{N: n, M: m, Ptr: make([]int, 1, n+1)}}
	for i := range n {
		for j := range m {
			v := x.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("fwdata: %s: row %d, column %d of the matrix is %v: remove or replace it", name, i, j, v)
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
