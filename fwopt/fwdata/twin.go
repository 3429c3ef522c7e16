package fwdata

import (
	"cmp"
	"math"
	"slices"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// Twin returns a generated set of the shape of the registry's: the same n, m and
// h, and nonzeros a row distributed alike. It stands in where the real set cannot
// be had; its name ends in "(generated)".
//
// It is a bag of words. Word j has the weight 1/(j + 10), Zipf's law with a blunt
// head, and belongs to one of about 2√h topics by chance. A class mixes the
// topics by weights of its own, so the h × m matrix of the classes' word
// frequencies has a rank of at most the number of topics: that is the low-rank
// truth. A row draws its words one by one, seven in ten by its class and the
// others by the weights alone, until it has as many different words as the
// distribution asks for; the values are counts. The classes are equally large. Last,
// the labels of one row in ten are shuffled among these rows: that is the noise.
// So a linear model does far better than chance, and none errs on less than
// about a tenth. Columns are numbered in the order in which they occur, as in
// news20.
//
// The same name and seed give the same bits everywhere: the generator is a PCG,
// and sums and products are not fused. It costs about 0.3 s for news20, 1 s for
// aloi. Twin panics when the registry has no such set.
func Twin(name string, seed uint64) *Set {
	e, _ := datasets.Lookup(name)
	return TwinN(name, e.N, seed)
}

const (
	zipfShift  = 10
	topicShare = 0.7 // of a row's words come by its class
	labelNoise = 10  // one row in so many
)

// TwinN is Twin with n rows, for quick runs. It panics when n is less than the
// number of classes.
func TwinN(name string, n int, seed uint64) *Set {
	e, ok := datasets.Lookup(name)
	if !ok {
		panic(need.Linef("fwdata: no set %q in the registry to imitate", name))
	}
	m, h := e.M, e.Classes
	if n < h {
		panic(need.Linef("fwdata: a stand-in for %s with %d rows: it has %d classes", name, n, h))
	}
	g := sample.NewPortable(seed, 2)

	topics := 2
	for topics*topics < 4*h {
		topics++
	}
	weight := zipf(m, zipfShift)
	all, words := newAlias(weight), make([][]int32, topics)
	for j := range m {
		t := g.Below(topics)
		words[t] = append(words[t], int32(j))
	}
	inTopic := make([]alias, topics)
	for t, js := range words {
		w := make([]float64, len(js))
		for k, j := range js {
			w[k] = weight[j]
		}
		inTopic[t] = newAlias(w)
	}
	topicOf := make([]alias, h) // of a word, by the class: weights u⁴, so that a few dominate
	for c := range topicOf {
		w := make([]float64, topics)
		for t := range w {
			u := g.Float()
			w[t] = u * u * u * u
		}
		topicOf[c] = newAlias(w)
	}

	s := &Set{Name: e.Name + " (generated)", Generated: true, Y: make([]int, n), Labels: make([]int, h),
		X: &fwsum.Sparse{N: n, M: m, Ptr: make([]int, 1, n+1)}}
	for c := range s.Labels {
		s.Labels[c] = c + 1
	}
	for i := range s.Y {
		s.Y[i] = i % h
	}
	g.Shuffle(n, func(i, j int) { s.Y[i], s.Y[j] = s.Y[j], s.Y[i] })

	drawRows(g, s, e.RowNonzeros, func(class int) int32 {
		if g.Float() < topicShare {
			if t := topicOf[class].draw(g); len(words[t]) > 0 {
				return words[t][inTopic[t].draw(g)]
			}
		}
		return int32(all.draw(g))
	})
	shuffleLabels(g, s.Y)

	s.Digest = contentDigest(s)
	return s
}

// drawRows fills X with the counts of words, drawn by the class of their row.
func drawRows(g sample.Portable, s *Set, nonzeros [][2]float64, word func(class int) int32) {
	// number is each word's column, in the order of first use.
	number := make([]int32, s.M())
	for j := range number {
		number[j] = -1
	}
	next := int32(0)
	count := make([]float64, s.M())
	var row []int32
	for i := range s.N() {
		want := rowSize(nonzeros, g.Float(), s.M())
		row = row[:0]
		for draws := 0; len(row) < want && draws < 20*want; draws++ {
			j := word(s.Y[i])
			if number[j] < 0 {
				number[j] = next
				next++
			}
			j = number[j]
			if count[j] == 0 {
				row = append(row, j)
			}
			count[j]++
		}
		slices.Sort(row)
		for _, j := range row {
			s.X.Col = append(s.X.Col, j)
			s.X.Val = append(s.X.Val, count[j])
			count[j] = 0
		}
		s.X.Ptr = append(s.X.Ptr, len(s.X.Val))
	}
}

// shuffleLabels is the noise: the first rows of a random order trade their labels
// in turn, which leaves the sizes of the classes as they are.
func shuffleLabels(g sample.Portable, y []int) {
	noisy := shuffled(g, len(y))[:len(y)/labelNoise]
	g.Shuffle(len(noisy), func(i, j int) {
		i, j = noisy[i], noisy[j]
		y[i], y[j] = y[j], y[i]
	})
}

// rowSize returns the nonzeros of a row at the quantile u, by straight lines
// between the given ones, between 1 and m.
func rowSize(q [][2]float64, u float64, m int) int {
	k := 1
	for k < len(q)-1 && 100*u >= q[k][0] {
		k++
	}
	a, b := q[k-1], q[k]
	// The conversions keep the products from being fused with the sums.
	t := (float64(100*u) - a[0]) / (b[0] - a[0])
	size := int(math.Floor(a[1] + float64(t*(b[1]-a[1]))))
	return min(max(size, 1), m)
}

// zipf returns the n weights of Zipf's law with a blunt head.
func zipf(n int, shift float64) []float64 {
	w := make([]float64, n)
	for j := range w {
		w[j] = 1 / (float64(j) + shift)
	}
	return w
}

// alias draws a number from a discrete distribution in constant time (Walker 1977, Vose 1991).
type alias []struct {
	keep  float64 // the share of slot k that is number k's own
	other int     // whose the rest is
}

// newAlias makes the table for weights of which one is positive. It costs O(len(weight)).
func newAlias(weight []float64) alias {
	a := make(alias, len(weight))
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	var small, large []int
	for k, w := range weight {
		if a[k].keep = w * float64(len(a)) / sum; a[k].keep < 1 {
			small = append(small, k)
		} else {
			large = append(large, k)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a[s].other = l
		if a[l].keep -= 1 - a[s].keep; a[l].keep < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, k := range append(small, large...) {
		a[k].keep = 1 // but for rounding
	}
	return a
}

func (a alias) draw(g sample.Portable) int {
	k := g.Below(len(a))
	if g.Float() < a[k].keep {
		return k
	}
	return a[k].other
}

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
// The same arguments give the same bits everywhere. It costs about 0.5 s a million. It panics
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
