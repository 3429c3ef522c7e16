package fwdata

import (
	"io"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Video is the quadratic f(w) = ½wᵀAw + bᵀw over the boxes of some videos: one box of each
// frame is to be taken, and w_j is the share of box j. It is a sum of one term, with an exact
// line search; each method costs O(d²). Vectors of another length than d are a panic.
type Video struct {
	A      *mat.Dense    // d × d for d boxes, symmetric and positive semidefinite
	B      *mat.VecDense // b
	Frames []int         // how many boxes each frame has; the boxes are in the order of the frames
}

// ReadVideo reads the quadratic of a video as datasets/video has it: text with a line for each
// box, between commas the video, the frame, b_j and A_j1, …, A_jj, plain or packed by gzip or
// bzip2. A frame's boxes follow each other; a line has at most 1 MiB. The name stands for
// the file in errors, which say the line and a remedy. It costs O(d²).
func ReadVideo(r io.Reader, name string) (*Video, error) {
	p := &parser{name: name}
	var rows [][]float64 // b_j, A_j1, …, A_jj
	var frames []int
	last := [2]string{}
	err := p.table(r, func(line []string) error {
		if want := len(rows) + 4; len(line) != want {
			return p.fail("columns: %d, want %d of box %d: its video, its frame, b_j and A_j1 to A_jj",
				len(line), want, len(rows)+1)
		}
		row := make([]float64, len(line)-2)
		for i, cell := range line[2:] {
			var ok bool
			if row[i], ok = number([]byte(cell)); !ok {
				return p.fail("column %d: %s is not a finite number: replace it", i+3, quote(cell))
			}
		}
		if now := [2]string(line[:2]); now != last || len(rows) == 0 {
			frames, last = append(frames, 0), now
		}
		frames[len(frames)-1]++
		rows = append(rows, row)
		return nil
	})
	d := len(rows)
	if err == nil && d == 0 {
		err = p.ends("a box")
	}
	if err != nil {
		return nil, err
	}
	v := &Video{A: mat.NewDense(d, d, nil), B: mat.NewVecDense(d, nil), Frames: frames}
	for j, row := range rows {
		v.B.SetVec(j, row[0])
		for i, x := range row[1:] {
			v.A.Set(i, j, x)
			v.A.Set(j, i, x)
		}
	}
	return v, nil
}

// First is the track that takes the first box of each frame, where the published runs begin.
func (v *Video) First() (w []float64) {
	for _, n := range v.Frames {
		w = append(append(w, 1), make([]float64, n-1)...)
	}
	return w
}

// Dim returns d.
func (v *Video) Dim() int { return v.B.Len() }

// Len returns 1.
func (v *Video) Len() int { return 1 }

// String is the name in figures.
func (v *Video) String() string { return "video co-localisation" }

// Identify writes A and b.
func (v *Video) Identify(id *fwopt.Identity) {
	id.Of(v).Float(v.B.RawVector().Data...).Float(v.A.RawMatrix().Data...)
}

// Value returns f(w) = ½wᵀ(∇f(w) + b).
func (v *Video) Value(w []float64) float64 {
	g := make([]float64, len(w))
	v.Grad(g, w, fwopt.Batch{})
	return (floats.Dot(g, w) + floats.Dot(v.B.RawVector().Data, w)) / 2
}

// Grad computes dst = Aw + b, times the weights of the batch.
func (v *Video) Grad(dst, w []float64, batch fwopt.Batch) {
	need.Len("fwdata", v.Dim(), dst, w)
	g := mat.NewVecDense(len(dst), dst)
	g.MulVec(v.A, mat.NewVecDense(len(w), w))
	g.AddVec(g, v.B)
	if batch.Index != nil {
		floats.Scale(floats.Sum(batch.Weight), dst)
	}
}

// LineSearch returns the γ ∈ [0, 1] that minimises f on the way from w to u: with d = w − u it
// is ∇f(w)ᵀd/(dᵀAd), clipped.
func (v *Video) LineSearch(w, u []float64) float64 {
	need.Len("fwdata", v.Dim(), w, u)
	g, d, q := make([]float64, len(w)), slices.Clone(w), mat.NewVecDense(len(w), nil)
	v.Grad(g, w, fwopt.Batch{})
	floats.Sub(d, u)
	q.MulVec(v.A, mat.NewVecDense(len(d), d))
	q.ScaleVec(-1, q)
	return v.SearchAt(nil, q.RawVector().Data, d, floats.Dot(g, d))
}

// Shape returns d and 1: the one term is a row 1, and the scores that a fwopt.Scorer keeps up are Aw.
func (v *Video) Shape() (h, m int) { return v.Dim(), 1 }

// Slopes computes p = ∇f(w) for each entry of index, once for nil.
func (v *Video) Slopes(p, w []float64, index []int) {
	need.Len("fwdata", max(1, len(index))*v.Dim(), p)
	for lo := 0; lo < len(p); lo += v.Dim() {
		v.Grad(p[lo:lo+v.Dim()], w, fwopt.Batch{})
	}
}

// AddRows does dst += p for each entry of index, once for nil.
func (v *Video) AddRows(dst, p []float64, _ []int) {
	for lo := 0; lo < len(p); lo += v.Dim() {
		floats.Add(dst, p[lo:lo+v.Dim()])
	}
}

// AddScores does s += cAu, in O(d) for each number of u that is not 0.
func (v *Video) AddScores(s []float64, c float64, u *fwopt.Vertex) {
	need.Len("fwdata", v.Dim(), s)
	u.Check(v.Dim())
	value := u.Value
	if u.U != nil { // of rank one
		value = make([]float64, v.Dim())
		u.Dense(value)
	}
	for k, y := range value {
		if j := k; y != 0 {
			if u.Index != nil {
				j = u.Index[k]
			}
			kern.Axpy(s, c*y, v.A.RawRowView(j))
		}
	}
}

// GradAt computes dst = ∇f(w) = s + b, where s = Aw, in O(d).
func (v *Video) GradAt(dst, s []float64) {
	need.Len("fwdata", v.Dim(), dst, s)
	floats.AddTo(dst, s, v.B.RawVector().Data)
}

// SearchAt returns γ = slope/(dᵀAd), clipped to [0, 1], where q = −Ad, in O(d).
func (v *Video) SearchAt(_, q, d []float64, slope float64) float64 {
	need.Len("fwdata", v.Dim(), q, d)
	switch bend := -floats.Dot(d, q); {
	case slope <= 0:
		return 0
	case slope < bend:
		return slope / bend
	}
	return 1 // where f is a line, too
}
