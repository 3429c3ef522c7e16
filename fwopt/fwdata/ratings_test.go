package fwdata

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestReadRatings(t *testing.T) {
	for name, text := range map[string]string{
		"commas":           "7,film,4\nal,film,2.5\n",
		"no last newline":  "7,film,4\nal,film,2.5",
		"tabs and a time":  "7\tfilm\t4\t978300760\nal\tfilm\t2.5\t978302109\n",
		"semicolons":       "7;film;4\nal;film;2.5\n",
		"a heading":        "userId,movieId,rating,timestamp\n7,film,4,1\nal,film,2.5,2\n",
		"CRLF, blank":      "user,item,rating\r\n\r\n7,film,4\r\n\r\nal,film,2.5\r\n",
		"byte order mark":  "\xef\xbb\xbf7,film,4\nal,film,2.5\n",
		"quotes":           "\"7\",\"film\",\"4\"\nal,film,2.5\n",
		"spaces, exponent": "7, film, 4e0 \n al ,film ,+2.5\n",
		"gzip":             gz("7,film,4\nal,film,2.5\n"),
	} {
		s, err := ReadRatings(strings.NewReader(text), "own")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := `["7" "al"] ["film"] [{0 0} {1 0}] [4 2.5] own: 2 ratings by 2 users of 1 items`
		got := fmt.Sprintf("%q %q %v %v %v", s.UserID, s.ItemID, s.At, s.Value, s)
		if s.Generated || got != want {
			t.Errorf("%s: %s", name, got)
		}
		if e, err := s.Entry("al", "film"); err != nil || e != (fwset.Entry{Row: 1, Col: 0}) {
			t.Errorf("%v, %v", e, err)
		}
		_, err = s.Entry("cem", "film")
		says(t, err, `own has no rating by user "cem"`)
		_, err = s.Entry("al", "alien")
		says(t, err, `own has no rating of item "alien"`)
	}
}

func TestRatingsSplit(t *testing.T) {
	s := TwinRatings(100, 80, 1000, 1)
	before := slices.Clone(s.At)
	train, test := s.Split(0.9, 3)
	if len(train.At) != 900 || len(test.At) != 100 || len(train.Value) != 900 || train.Users != 100 ||
		test.Items != 80 || !slices.Equal(s.At, before) {
		t.Fatalf("%v and %v", train, test)
	}
	of := map[fwset.Entry]float64{}
	for k, e := range s.At {
		of[e] = s.Value[k]
	}
	for _, part := range []*Ratings{train, test} {
		for k, e := range part.At {
			if k > 0 && slices.Index(s.At, part.At[k-1]) >= slices.Index(s.At, e) {
				t.Fatalf("%v after %v", e, part.At[k-1])
			}
			if x, ok := of[e]; !ok || x != part.Value[k] {
				t.Fatalf("%v has %g, want %g", e, part.Value[k], x)
			}
			delete(of, e) // each once
		}
	}
	again, _ := s.Split(0.9, 3)
	other, _ := s.Split(0.9, 4)
	if !slices.Equal(train.At, again.At) || slices.Equal(train.At, other.At) {
		t.Error("the same seed must give the same split, another one another")
	}
}

// The law of the twin, as it is stated: who rates how often, the size of the noise, and that
// the rest has the rank of the truth.
func TestTwinRatingsLaw(t *testing.T) {
	const h, m, n = 300, 200, 30_000 // half of all: the spectrum shows the truth
	s := TwinRatings(h, m, n, 5)
	if !s.Generated || s.Name != "300 x 200 ratings (generated)" || s.UserID != nil {
		t.Errorf("%+v", s.Name)
	}
	for k, e := range s.At[1:] {
		if before := s.At[k]; before.Row*m+before.Col >= e.Row*m+e.Col {
			t.Fatalf("%v after %v", e, before)
		}
	}
	mean, dev := stat.MeanStdDev(s.Value, nil)
	if math.Abs(mean) > 0.1 || math.Abs(dev-math.Hypot(0.7, 0.85)) > 0.1 {
		t.Errorf("mean %.3f, standard deviation %.3f", mean, dev)
	}
	of := make([]int, 6040)
	for _, e := range TwinRatings(6040, 3706, 100_000, 1).At {
		of[e.Row]++
	}
	slices.Sort(of)
	if ratio := float64(of[6039]) / float64(of[3020]); ratio < 7 || ratio > 16 {
		t.Errorf("the most active user has %.1f times the ratings of the median one", ratio)
	}
	// Half of all pairs show half of the truth, with singular values from 71 down; the noise has 22.
	b, svd := mat.NewDense(h, m, nil), mat.SVD{}
	for k, e := range s.At {
		b.Set(e.Row, e.Col, s.Value[k])
	}
	svd.Factorize(b, mat.SVDNone)
	if v := svd.Values(nil); !floats.EqualApprox(v[:4], []float64{71, 36, 31, 27}, 1) || v[8] > 22 {
		t.Errorf("singular values %.1f", v[:9])
	}
	got := fmt.Sprintf("%v %.15g %.15g", s.At[:2], s.Value[:2], s.Value[n-1])
	if got != "[{0 0} {0 1}] [0.582115056725265 -0.0950617582134138] -0.0764179782702983" {
		t.Errorf("it begins with %s", got)
	}
	again, other := TwinRatings(h, m, n, 5), TwinRatings(h, m, n, 6)
	if !slices.Equal(s.Value, again.Value) || !slices.Equal(s.At, again.At) ||
		slices.Equal(s.Value, other.Value) {
		t.Error("the same seed must give the same bits, another one others")
	}
}

// L is 1, f is half of the mean square, and its gradient is 0 where it does not look.
func TestRatingsLeastSquares(t *testing.T) {
	s := TwinRatings(30, 20, 100, 1)
	f := s.LeastSquares(120)
	w := sample.NewPortable(2, 2).Normals(120)
	rmse := s.RMSE(w[:100])
	if math.Abs(f.Value(w)-rmse*rmse/2) > 1e-14 || f.Smoothness() != 1 || f.Dim() != 120 || f.Len() != 100 {
		t.Errorf("f = %g, RMSE = %g, L = %g", f.Value(w), rmse, f.Smoothness())
	}
	g := make([]float64, 120)
	f.Grad(g, w, fwopt.Batch{})
	for k := range g {
		want := 0.0
		if k < 100 {
			want = (w[k] - s.Value[k]) / 100
		}
		if math.Abs(g[k]-want) > 1e-16 {
			t.Errorf("number %d of the gradient is %g, want %g", k, g[k], want)
		}
	}
}
