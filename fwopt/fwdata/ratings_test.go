package fwdata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestReadRatings(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("7,film,4\nal,film,2.5\n"))
	z.Close()
	for name, text := range map[string]string{
		"commas":           "7,film,4\nal,film,2.5\n",
		"no last newline":  "7,film,4\nal,film,2.5",
		"tabs and a time":  "7\tfilm\t4\t978300760\nal\tfilm\t2.5\t978302109\n",
		"semicolons":       "7;film;4\nal;film;2.5\n",
		"a heading":        "userId,movieId,rating,timestamp\n7,film,4,1\nal,film,2.5,2\n",
		"CRLF, blank":      "user,item,rating\r\n\r\n7,film,4\r\n\r\nal,film,2.5\r\n",
		"byte order mark":  "\xef\xbb\xbf7,film,4\nal,film,2.5\n",
		"quotes":           "\"7\",\"film\",\"4\"\nal,film,2.5\n",
		"spaces, exponent": "7,film, 4e0 \nal,film,+2.5\n",
		"gzip":             packed.String(),
	} {
		s, err := ReadRatings(strings.NewReader(text), "own")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Users != 2 || s.Items != 1 || !slices.Equal(s.UserID, []string{"7", "al"}) || !slices.Equal(s.ItemID, []string{"film"}) ||
			!slices.Equal(s.At, []fwset.Entry{{Row: 0, Col: 0}, {Row: 1, Col: 0}}) || !slices.Equal(s.Value, []float64{4, 2.5}) || s.Generated {
			t.Errorf("%s: %+v", name, s)
		}
		if got, want := s.String(), "own: 2 ratings by 2 users of 1 items"; got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestReadRatingsErrors(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for k := range 3000 {
		fmt.Fprintf(z, "%d,%d,%d.%d\n", k*7919%10007, k*104729%10009, k%5, k*k%1000)
	}
	z.Close()
	for text, want := range map[string]string{
		"":                               "fwdata: own: line 1: the file ends without a rating",
		"user,item,rating\n":             "fwdata: own: line 1: the file ends without a rating",
		"1,2,3\n1,2\n":                   "fwdata: own: line 2: columns: 2, want a user, an item and a number",
		"1 2 3\n":                        "fwdata: own: line 1: columns: 1, want a user, an item and a number",
		",user,item,rating\n0,a,b,5\n":   "fwdata: own: line 1: the heading",
		"user,item,timestamp\n1,2,978\n": `fwdata: own: line 1: the heading "user item timestamp" does not begin with a user, an item and a rating`,
		",userId,itemId\n1,2,978\n":      "fwdata: own: line 1: the heading",
		"user;item;rating\na;b;3,5\n":    `fwdata: own: line 2: rating "3,5" is not a finite number: write a point`,
		"1,2,3\n1,3,x\n":                 `fwdata: own: line 2: rating "x" is not a finite number: remove`,
		"1,2,NaN\n1,3,1\n":               `fwdata: own: line 1: rating "NaN" is not a finite number`,
		"1,2,3\n1,3,Inf\n":               `fwdata: own: line 2: rating "Inf" is not a finite number`,
		"1,2,3\n1,3,\n":                  `fwdata: own: line 2: rating "" is not a finite number`,
		"1,2,3\n,3,1\n":                  "fwdata: own: line 2: no user or no item",
		"1,2,3\n4,5,6\n\n1,2,5\n":        `fwdata: own: line 4: user "1" and item "2" again, as in line 1: keep one`,
		"1::2::3::978300760\n":           "fwdata: own: line 1: columns between two colons: put commas there",
		"<!DOCTYPE html>\n<p>,,</p>":     "fwdata: own: line 1: a web page (HTML)",
		"PK\x03\x04 and more":            "fwdata: own: a zip archive: unpack it first",
		"1,2,3\r4,5,6\r":                 "fwdata: own: line 1: CR alone ends a line",
		"1,2,3\n1,\"3,4\n5,6,7\n":        "fwdata: own: line ",
		packed.String()[:packed.Len()/2]: "the gzip file is cut off",
	} {
		s, err := ReadRatings(strings.NewReader(text), "own")
		if err == nil || !strings.Contains(err.Error(), want) || s != nil {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func TestRatingsPanics(t *testing.T) {
	s := TwinRatings(10, 8, 20, 1)
	for want, call := range map[string]func(){
		"a split of 20 ratings at 1 leaves":           func() { s.Split(1, 1) },
		"a split of 20 ratings at 0.01 leaves":        func() { s.Split(0.01, 1) },
		"least squares of 20 ratings over vectors":    func() { s.LeastSquares(19) },
		"3 predictions of 20 ratings":                 func() { s.RMSE(make([]float64, 3)) },
		"41 ratings of 8 items by 10 users; at most ": func() { TwinRatings(10, 8, 41, 1) },
		"0 ratings of 8 items by 10 users":            func() { TwinRatings(10, 8, 0, 1) },
		"4 ratings of 8 items by -1 users":            func() { TwinRatings(-1, 8, 4, 1) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "fwdata: ") || !strings.Contains(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

func TestRatingsSplit(t *testing.T) {
	s := TwinRatings(100, 80, 1000, 1)
	before := slices.Clone(s.At)
	train, test := s.Split(0.9, 3)
	if len(train.At) != 900 || len(test.At) != 100 || len(train.Value) != 900 || train.Users != 100 || test.Items != 80 || !slices.Equal(s.At, before) {
		t.Fatalf("%v and %v", train, test)
	}
	of := map[fwset.Entry]float64{}
	for k, e := range s.At {
		of[e] = s.Value[k]
	}
	for _, part := range []*Ratings{train, test} {
		for k, e := range part.At {
			if k > 0 && (part.At[k-1].Row > e.Row || part.At[k-1].Row == e.Row && part.At[k-1].Col >= e.Col) {
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
	if !s.Generated || !strings.HasSuffix(s.Name, "ratings (generated)") || s.UserID != nil {
		t.Errorf("%+v", s.Name)
	}
	of := make([]int, h)
	seen := map[fwset.Entry]bool{}
	for _, e := range s.At {
		of[e.Row]++
		if seen[e] {
			t.Fatalf("%v twice", e)
		}
		seen[e] = true
	}
	mean, dev := stat.MeanStdDev(s.Value, nil)
	if math.Abs(mean) > 0.1 || math.Abs(dev-math.Hypot(0.7, 0.85)) > 0.1 {
		t.Errorf("mean %.3f, standard deviation %.3f", mean, dev)
	}
	big := TwinRatings(6040, 3706, 100_000, 1)
	of = make([]int, 6040)
	for _, e := range big.At {
		of[e.Row]++
	}
	slices.Sort(of)
	if ratio := float64(of[6039]) / float64(of[3020]); ratio < 7 || ratio > 16 {
		t.Errorf("the most active user has %.1f times the ratings of the median one", ratio)
	}
	// the best prediction by a matrix of rank 8: from all the data, by alternating least squares
	if rmse := alternate(s, 8, 30); rmse < 0.7 || rmse > 0.9 {
		t.Errorf("rank 8 leaves %.3f", rmse)
	}
	if got := fmt.Sprintf("%v %.15g", s.At[:2], s.Value[:2]); got != "[{0 0} {0 1}] [0.582115056725265 -0.0950617582134138]" {
		t.Errorf("it begins with %s", got)
	}
	again, other := TwinRatings(h, m, n, 5), TwinRatings(h, m, n, 6)
	if !slices.Equal(s.Value, again.Value) || !slices.Equal(s.At, again.At) || slices.Equal(s.Value, other.Value) {
		t.Error("the same seed must give the same bits, another one others")
	}
}

// alternate fits a matrix of rank r to the ratings, a little regularised, and returns what is left.
func alternate(s *Ratings, r, turns int) float64 {
	g := sample.NewPortable(1, 9)
	u, v := mat.NewDense(s.Users, r, g.Normals(s.Users*r)), mat.NewDense(s.Items, r, g.Normals(s.Items*r))
	fit := func(a, b *mat.Dense, side func(e fwset.Entry) (int, int)) {
		n, _ := a.Dims()
		grams, rights := make([]*mat.SymDense, n), make([]*mat.VecDense, n)
		for i := range n {
			grams[i], rights[i] = mat.NewSymDense(r, nil), mat.NewVecDense(r, nil)
			for k := range r {
				grams[i].SetSym(k, k, 0.1)
			}
		}
		for k, e := range s.At {
			i, j := side(e)
			grams[i].SymRankOne(grams[i], 1, b.RowView(j))
			rights[i].AddScaledVec(rights[i], s.Value[k], b.RowView(j))
		}
		for i := range n {
			var chol mat.Cholesky
			chol.Factorize(grams[i])
			x := mat.NewVecDense(r, nil)
			chol.SolveVecTo(x, rights[i])
			a.SetRow(i, x.RawVector().Data)
		}
	}
	for range turns {
		fit(u, v, func(e fwset.Entry) (int, int) { return e.Row, e.Col })
		fit(v, u, func(e fwset.Entry) (int, int) { return e.Col, e.Row })
	}
	x := make([]float64, len(s.At))
	for k, e := range s.At {
		x[k] = mat.Dot(u.RowView(e.Row), v.RowView(e.Col))
	}
	return s.RMSE(x)
}

// L is 1, f is half of the mean square, and its gradient is 0 where it does not look.
func TestRatingsLeastSquares(t *testing.T) {
	s := TwinRatings(30, 20, 100, 1)
	f := s.LeastSquares(120)
	w := sample.NewPortable(2, 2).Normals(120)
	if rmse := s.RMSE(w[:100]); math.Abs(f.Value(w)-rmse*rmse/2) > 1e-14 || f.Smoothness() != 1 || f.Dim() != 120 || f.Len() != 100 {
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

// Blanks around a name are none of it, and a name that the file has not is said.
func TestRatingsEntry(t *testing.T) {
	s, err := ReadRatings(strings.NewReader("ann, jaws,5\n ann ,heidi,1\nbob,jaws ,1\n"), "own")
	if err != nil {
		t.Fatal(err)
	}
	if e, err := s.Entry("bob", "heidi"); err != nil || e != (fwset.Entry{Row: 1, Col: 1}) || s.Users != 2 || s.Items != 2 {
		t.Errorf("%v, %v, %v", e, err, s)
	}
	for _, c := range [][3]string{{"cem", "jaws", `fwdata: own has no rating by user "cem"`}, {"ann", "alien", `fwdata: own has no rating of item "alien"`}} {
		if _, err := s.Entry(c[0], c[1]); err == nil || err.Error() != c[2] {
			t.Errorf("%v, want %s", err, c[2])
		}
	}
}
