package fwrace

import (
	"iter"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Factors are a matrix W of low rank: W_ij = x_iᵀy_j, with Rank numbers for each user i and item j.
type Factors struct {
	Rank         int
	Users, Items []float64 // x_1, x_2, …, and y_1, y_2, …
}

// Predict computes dst_k = W_ij at the entry (i, j) = at[k].
func (f *Factors) Predict(dst []float64, at []fwset.Entry) {
	r := f.Rank
	for k, e := range at {
		dst[k] = floats.Dot(f.Users[e.Row*r:(e.Row+1)*r], f.Items[e.Col*r:(e.Col+1)*r])
	}
}

// ALS is alternating least squares, what one would use today for ratings, on
//
//	min Σ_{(i,j)} (x_iᵀy_j − b_ij)² + λ(Σ_i n_i‖x_i‖² + Σ_j n_j‖y_j‖²),
//
// where n_i and n_j are how many ratings a user and an item have. A sweep takes the best x_i of each user, then the
// best y_j of each item, by Cholesky decompositions, in O(n·rank² + (h + m)·rank³); the same factors are yielded after
// each. It begins with these items, rank numbers for each: random ones, or those of a matrix to be refitted. It panics
// if these are not as many for each item, or unless λ is positive. It is here for the comparison of notebooks/which-set and no more.
func ALS(s *fwdata.Ratings, items []float64, lambda float64) iter.Seq[*Factors] {
	rank := len(items) / s.Items
	if rank < 1 || len(items) != rank*s.Items || !(lambda > 0) || math.IsInf(lambda, 1) {
		panic(need.Linef("fwrace: ALS begins with %d numbers for %d items, and λ = %g; want as many for each, λ > 0",
			len(items), s.Items, lambda))
	}
	return func(yield func(*Factors) bool) {
		f := &Factors{rank, make([]float64, s.Users*rank), slices.Clone(items)}
		row := func(e fwset.Entry) (i, j int) { return e.Row, e.Col }
		column := func(e fwset.Entry) (i, j int) { return e.Col, e.Row }
		users, items := lists(s, s.Users, row), lists(s, s.Items, column)
		for {
			half(f.Users, f.Items, rank, lambda, users)
			half(f.Items, f.Users, rank, lambda, items)
			if !yield(f) {
				return
			}
		}
	}
}

// rated is a rating b of, or by, number j.
type rated struct {
	j int
	b float64
}

// lists returns the ratings of each user, or of each item.
func lists(s *fwdata.Ratings, n int, split func(fwset.Entry) (i, j int)) [][]rated {
	all := make([][]rated, n)
	for k, e := range s.At {
		i, j := split(e)
		all[i] = append(all[i], rated{j, s.Value[k]})
	}
	return all
}

// half computes x_i = (Σ_j y_j y_jᵀ + λ n_i I)⁻¹ Σ_j b_ij y_j for each i; 0 without ratings.
func half(x, y []float64, r int, lambda float64, lists [][]rated) {
	a := blas64.Symmetric{Uplo: blas.Upper, N: r, Stride: r, Data: make([]float64, r*r)}
	for i, list := range lists {
		xi := x[i*r : (i+1)*r]
		clear(xi)
		if len(list) == 0 {
			continue
		}
		clear(a.Data)
		for _, e := range list {
			yj := y[e.j*r : (e.j+1)*r]
			for l, u := range yj {
				xi[l] += e.b * u
				row := a.Data[l*r : (l+1)*r]
				for q := l; q < r; q++ {
					row[q] += u * yj[q]
				}
			}
		}
		for l := range r {
			a.Data[l*r+l] += lambda * float64(len(list))
		}
		t, ok := lapack64.Potrf(a)
		if !ok {
			panic(need.Linef("fwrace: ALS with λ = %g, which is too small for these ratings", lambda))
		}
		lapack64.Potrs(t, blas64.General{Rows: r, Cols: 1, Stride: 1, Data: xi})
	}
}
