package fwrace

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A sweep's factors are those of dense solves of all users at once, then of all items; the objective never goes up,
// and an exact matrix of that rank is found.
func TestALS(t *testing.T) {
	const rank, λ = 3, 0.2
	s := fwdata.TwinRatings(12, 9, 50, 1)
	s.At, s.Value = append(s.At[:0:0], s.At...), append(s.Value[:0:0], s.Value...)
	for k := len(s.At) - 1; k >= 0; k-- { // user 0 has no rating
		if s.At[k].Row == 0 {
			s.At, s.Value = append(s.At[:k], s.At[k+1:]...), append(s.Value[:k], s.Value[k+1:]...)
		}
	}
	users, items := make([]float64, s.Users), make([]float64, s.Items) // n_i, n_j
	for _, e := range s.At {
		users[e.Row]++
		items[e.Col]++
	}
	objective := func(f *Factors) float64 {
		p := make([]float64, len(s.At))
		f.Predict(p, s.At)
		sum := math.Pow(floats.Distance(p, s.Value, 2), 2)
		for i, n := range users {
			sum += λ * n * floats.Dot(f.Users[i*rank:(i+1)*rank], f.Users[i*rank:(i+1)*rank])
		}
		for j, n := range items {
			sum += λ * n * floats.Dot(f.Items[j*rank:(j+1)*rank], f.Items[j*rank:(j+1)*rank])
		}
		return sum
	}
	// one dense least squares over the numbers of all users, with the items held, or the other way round
	dense := func(held, n []float64, split func(e fwset.Entry) (i, j int)) []float64 {
		d := len(n) * rank
		a, b := mat.NewDense(len(s.At)+d, d, nil), mat.NewVecDense(len(s.At)+d, nil)
		x := mat.NewVecDense(d, nil)
		for k, e := range s.At {
			i, j := split(e)
			for l := range rank {
				a.Set(k, i*rank+l, held[j*rank+l])
			}
			b.SetVec(k, s.Value[k])
		}
		for l := range d {
			a.Set(len(s.At)+l, l, math.Sqrt(λ*max(n[l/rank], 1e-3)))
		}
		if err := x.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
		return x.RawVector().Data
	}
	row := func(e fwset.Entry) (i, j int) { return e.Row, e.Col }
	column := func(e fwset.Entry) (i, j int) { return e.Col, e.Row }
	var before []float64 // the items of the last sweep
	n, last := 0, math.Inf(1)
	for f := range ALS(s, random(rank*s.Items), λ) {
		if before != nil {
			x := dense(before, users, row)
			if d := floats.Distance(x, f.Users, math.Inf(1)); d > 1e-10 {
				t.Fatalf("sweep %d: the users are %g from a dense solve", n, d)
			}
		}
		if d := floats.Distance(dense(f.Users, items, column), f.Items, math.Inf(1)); d > 1e-10 {
			t.Fatalf("sweep %d: the items are %g from a dense solve", n, d)
		}
		if now := objective(f); now > last*(1+1e-12) {
			t.Fatalf("sweep %d: from %g to %g", n, last, now)
		} else if last = now; n == 20 {
			break
		}
		before, n = append(before[:0], f.Items...), n+1
	}

	exact := &fwdata.Ratings{Users: 20, Items: 15}
	for i := range 20 {
		for j := range 15 {
			if (3*i+5*j)%4 != 0 {
				exact.At = append(exact.At, fwset.Entry{Row: i, Col: j})
				exact.Value = append(exact.Value, float64(i%5)-float64(j%4)*float64(i%3)/2)
			}
		}
	}
	p := []float64{0}
	for f := range ALS(exact, random(2*exact.Items), 1e-9) {
		f.Predict(p, []fwset.Entry{{Row: 4, Col: 0}}) // hidden: 4 − 0
		if n++; n > 400 {
			break
		}
	}
	if math.Abs(p[0]-4) > 1e-4 {
		t.Errorf("a hidden entry of a matrix of rank 2 is %g, want 4", p[0])
	}
}

// What cannot be solved is a panic that says it.
func TestALSPanics(t *testing.T) {
	s := fwdata.TwinRatings(12, 9, 50, 1)
	for _, bad := range []struct {
		items int
		λ     float64
	}{{0, 1}, {8, 1}, {19, 1}, {18, 0}, {18, -1}, {18, math.NaN()}, {18, math.Inf(1)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d numbers, λ = %g: no panic", bad.items, bad.λ)
				}
			}()
			ALS(s, random(bad.items), bad.λ)
		}()
	}
}

func random(n int) (x []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range n {
		x = append(x, rng.NormFloat64())
	}
	return x
}
