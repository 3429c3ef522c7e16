package fwdata

import (
	"cmp"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

const (
	tasteRank  = 8    // of the matrix without noise
	tasteSize  = 0.7  // standard deviation of its entries
	ratingSize = 0.85 // that of the noise
)

// TwinRatings returns n generated ratings, for a matrix of the size of MovieLens 1M with
// users = 6,040, items = 3,706 and n = 1,000,209. The mean rating is 0.
//
// User i rates with the weight 1/(i + users/20) and item j is rated with 1/(j + items/25),
// Zipf's law with a blunt head, so that the most active user has about ten times as many
// ratings as the median one; no pair occurs twice. They come by user, then by item. A rating
// is a low-rank truth plus noise: b_ij = 0.7·Σ_{k≤8} c_k·a_ik·d_jk + 0.85·z_ij with c_k
// proportional to 1/k, Σ c_k² = 1, and normal numbers a, d and z, each a sum of twelve
// uniform ones. So no prediction has an RMSE below 0.85 but by chance, the mean alone has
// 1.1, and the truth has a trace norm of about 0.7·√(users·items)·Σ c_k, where Σ c_k = 2.2.
//
// The same arguments give the same bits everywhere. It costs some 0.5 s a million. It panics
// if n, users or items is not positive, or if n is more than half of the pairs.
func TwinRatings(users, items, n int, seed uint64) *Ratings {
	if users < 1 || items < 1 || n < 1 || n > users*items/2 {
		panic(need.Linef("fwdata: %d ratings of %d items by %d users; at most half of the pairs can be",
			n, items, users))
	}
	g := sample.NewPortable(seed, 3)
	s := &Ratings{Users: users, Items: items, Generated: true,
		Name: num.Thousands(users) + " x " + num.Thousands(items) + " ratings (generated)",
		At:   make([]fwset.Entry, 0, n), Value: make([]float64, 0, n)}
	taste, kind := g.Normals(users*tasteRank), g.Normals(items*tasteRank)
	c, square := make([]float64, tasteRank), 0.0
	for k := range c {
		c[k] = 1 / float64(k+1)
		square += float64(c[k] * c[k])
	}
	for k := range c {
		c[k] *= tasteSize / math.Sqrt(square)
	}
	user, item := newAlias(zipf(users, float64(users)/20)), newAlias(zipf(items, float64(items)/25))
	seen := make(map[fwset.Entry]bool, n)
	for len(s.At) < n {
		e := fwset.Entry{Row: user.draw(g), Col: item.draw(g)}
		if seen[e] {
			continue
		}
		seen[e] = true
		s.At = append(s.At, e)
	}
	slices.SortFunc(s.At, func(a, b fwset.Entry) int { return cmp.Or(a.Row-b.Row, a.Col-b.Col) })
	for _, e := range s.At {
		b := ratingSize * g.Normal()
		for k, c := range c {
			b += float64(c * taste[e.Row*tasteRank+k] * kind[e.Col*tasteRank+k])
		}
		s.Value = append(s.Value, b)
	}
	return s
}
