package fwdata

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/mat"
)

func TestDigits(t *testing.T) {
	s, err := Load("digits")
	if err != nil {
		t.Fatal(err)
	}
	checkSet(t, s)
	if s.N() != 1797 || s.M() != 64 || s.H() != 10 || s.Name != "digits" || s.Generated {
		t.Fatal(s)
	}
	// UCI's page counts the digits of the test part.
	if want := []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}; !slices.Equal(s.counts(), want) {
		t.Errorf("counts %v, want %v", s.counts(), want)
	}
	// The first image is a zero; its first rows of pixels.
	col, val := s.X.Row(0)
	if got := fmt.Sprint(s.Labels[s.Y[0]], col[:4], val[:4]); got != "0 [2 3 4 5] [5 13 9 1]" {
		t.Errorf("first image: %s", got)
	}
	if slices.Max(s.X.Val) != 16 || slices.Min(s.X.Val) != 1 {
		t.Errorf("values %g to %g", slices.Min(s.X.Val), slices.Max(s.X.Val))
	}
}

// What the caller could have known is a panic that says it. A set whose error was thrown away
// says so, whatever is asked of it first.
func TestPanics(t *testing.T) {
	digits, _ := Load("digits")
	s := &Set{X: smallX, Y: []int{0, 1, 0}, Labels: []int{1, 2}}
	r := TwinRatings(10, 8, 20, 1)
	v, _ := ReadVideo(strings.NewReader("a,1,1,2\n"), "own")
	var none *Set
	for want, calls := range map[string][]func(){
		"this set is nil: print the error": {func() { none.N() }, func() { none.M() }, func() { none.H() },
			func() { none.UnitRows() }, func() { none.Logistic() }, func() { none.Split(0.5, 1) },
			func() { none.Subset([]int{0}) }, func() { none.counts() }},
		"a split of 1797 rows at 1 leaves one part empty": {func() { digits.Split(1, 1) }},
		"leaves one part empty": {func() { digits.Split(0, 1) }, func() { digits.Split(math.NaN(), 1) },
			func() { digits.Split(-1, 1) }, func() { digits.Split(2, 1) }, func() { digits.Split(1e-9, 1) },
			func() { digits.Split(1-1e-9, 1) }},
		"row 3 of a set with 3 rows":                            {func() { s.Subset([]int{3}) }},
		"row -1 of a set with 3 rows":                           {func() { s.Subset([]int{-1}) }},
		"a subset of no rows":                                   {func() { s.Subset(nil) }},
		`no set "news21"`:                                       {func() { Twin("news21", 1) }},
		"a stand-in for news20 with 19 rows: it has 20 classes": {func() { TwinN("news20", 19, 1) }},
		"a stand-in for news20 with -1 rows":                    {func() { TwinN("news20", -1, 1) }},
		"pieces of 0 rows":                                      {func() { Scan(nil, "file", 0) }},
		`no set or network "mnist" in the registry`:             {func() { Unavailable("mnist") }},
		"a split of 20 ratings at 0.01 leaves":                  {func() { r.Split(0.01, 1) }},
		"least squares of 20 ratings over vectors":              {func() { r.LeastSquares(19) }},
		"3 predictions of 20 ratings":                           {func() { r.RMSE(make([]float64, 3)) }},
		"41 ratings of 8 items by 10 users; at most half":       {func() { TwinRatings(10, 8, 41, 1) }},
		"0 ratings of 8 items by 10 users":                      {func() { TwinRatings(10, 8, 0, 1) }},
		"4 ratings of 8 items by -1 users":                      {func() { TwinRatings(-1, 8, 4, 1) }},
		"4 ratings of -1 items by -8 users":                     {func() { TwinRatings(-8, -1, 4, 1) }},
		"a vector of length 0, not 1":                           {func() { v.Value(nil) }},
		"a vector of length 2, not 1": {
			func() { v.LineSearch([]float64{1}, []float64{1, 2}) },
			func() { v.Grad([]float64{1}, []float64{1, 2}, fwopt.Batch{}) },
			func() { v.GradAt([]float64{1}, []float64{1, 2}) },
			func() { v.SearchAt(nil, []float64{1}, []float64{1, 2}, 1) }},
	} {
		for k, call := range calls {
			func() {
				defer func() {
					got := fmt.Sprint(recover())
					if !strings.HasPrefix(got, "fwdata: ") || !strings.Contains(got, want) {
						t.Errorf("call %d panics with %q, want %q", k, got, want)
					}
				}()
				call()
			}()
		}
	}
}

func TestUnitRows(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 1))
	for range 50 {
		s := randomSet(g)
		before := slices.Clone(s.X.Val)
		u := s.UnitRows()
		for i := range u.N() {
			col, val := u.X.Row(i)
			col0, val0 := s.X.Row(i)
			norm := 0.0
			for k := range val {
				if norm = math.Hypot(norm, val[k]); !slices.Equal(col, col0) || val[k]*val0[k] < 0 {
					t.Fatal("columns or signs changed")
				}
			}
			if len(val) > 0 && math.Abs(norm-1) > 1e-14 {
				t.Fatalf("row %d has norm %v: %v", i, norm, val0)
			}
		}
		if !slices.Equal(before, s.X.Val) || u.Digest == s.Digest {
			t.Fatal("the original changed, or its digest did not")
		}
	}
	three := &Set{X: &fwsum.Sparse{N: 3, M: 2, Ptr: []int{0, 2, 2, 3}, Col: []int32{0, 1, 0},
		Val: []float64{3e200, -4e200, 5e-324}}}
	if got := fmt.Sprintf("%.15g", three.UnitRows().X.Val); got != "[0.6 -0.8 1]" {
		t.Errorf("3-4-5: %v", got)
	}
}

func TestSplit(t *testing.T) {
	s, err := Load("digits")
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.Split(0.75, 7)
	if a.N() != 1348 || b.N() != 449 || a.H() != 10 || b.H() != 10 {
		t.Fatalf("%v\n%v", a, b)
	}
	// Every row is in exactly one part, with its label: the parts' rows, sorted,
	// are the set's rows, sorted.
	rows := func(sets ...*Set) (all []string) {
		for _, s := range sets {
			var w bytes.Buffer
			if err := s.Write(&w); err != nil {
				t.Fatal(err)
			}
			for l := range strings.Lines(w.String()) {
				all = append(all, strings.ReplaceAll(l, " 64:0", "")) // the note of the width
			}
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(rows(s), rows(a, b)) {
		t.Error("the parts are not the set")
	}
	a2, b2 := s.Split(0.75, 7)
	a3, _ := s.Split(0.75, 8)
	if !same(a, a2) || !same(b, b2) || a.Digest != a2.Digest || same(a, a3) || a.Digest == a3.Digest ||
		a.Digest == b.Digest {
		t.Error("the split does not follow the seed")
	}
	for c, k := range a.counts() { // shuffled: no class is far from 3/4
		if k < s.counts()[c]*6/10 || k > s.counts()[c]*9/10 {
			t.Errorf("class %d: %d of %d", c, k, s.counts()[c])
		}
	}
	own := &Set{Name: "s", X: smallX, Y: []int{0, 1, 0}, Labels: []int{1, 2}, Digest: "d"}
	sub := own.Subset([]int{2, 0, 0})
	want := &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 0, 2, 4}, Col: []int32{0, 2, 0, 2},
		Val: []float64{0.5, 2, 0.5, 2}}
	if !reflect.DeepEqual(sub.X, want) || fmt.Sprint(sub.Y, sub.H()) != "[0 0 0] 2" || sub.Digest == "d" {
		t.Errorf("%+v %+v", sub, sub.X)
	}
}

func TestFromMatrix(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{0.5, 0, 2, 0, -1e-3, 0, 0, 0, 0})
	labels := []int{1, 2, 1}
	s, err := FromMatrix("own", x, labels)
	if err != nil {
		t.Fatal(err)
	}
	checkSet(t, s)
	if !reflect.DeepEqual(s.X, smallX) || s.Name != "own" {
		t.Errorf("%+v", s.X)
	}
	if r, err := Read(strings.NewReader(small), "f"); err != nil || r.Digest != s.Digest {
		t.Errorf("the same content, two digests: %v", err)
	}
	if s2, err := FromMatrix("own", x.T(), labels); err != nil || s2.Digest == s.Digest {
		t.Errorf("another content, the same digest: %v", err)
	}
	with := func(i, j int, v float64) mat.Matrix {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	for _, c := range []struct {
		x      mat.Matrix
		labels []int
		want   string
	}{
		{with(2, 1, math.NaN()), labels, "own: row 2, column 1 of the matrix is NaN"},
		{with(1, 0, math.Inf(-1)), labels, "own: row 1, column 0 of the matrix is -Inf"},
		{x, []int{1, 2}, "own: 2 labels for 3 rows"},
		{x, []int{5, 5, 5}, "own: all 3 examples have the label 5"},
		{&mat.Dense{}, nil, "own: a 0 x 0 matrix has no data"},
		{mat.NewDiagonalRect(1, math.MaxInt32+1, []float64{1}), []int{1}, "own: 2147483648 columns: at most"},
	} {
		_, err := FromMatrix("own", c.x, c.labels)
		says(t, err, c.want)
	}
}

// naiveBayes is a linear model by another road. It returns the share of right
// predictions on test.
func naiveBayes(train, test *Set) float64 {
	h, m := train.H(), train.M()
	w := slices.Repeat([]float64{0.1}, h*m)
	for i := range train.N() {
		col, val := train.X.Row(i)
		for k, j := range col {
			w[train.Y[i]*m+int(j)] += val[k]
		}
	}
	for c := range h {
		sum := 0.0
		for _, v := range w[c*m : (c+1)*m] {
			sum += v
		}
		for j := range m {
			w[c*m+j] = math.Log(w[c*m+j] / sum)
		}
	}
	right := 0
	for i := range test.N() {
		col, val := test.X.Row(i)
		best, at := math.Inf(-1), 0
		for c := range h {
			score := 0.0
			for k, j := range col {
				score += val[k] * w[c*m+int(j)]
			}
			if score > best {
				best, at = score, c
			}
		}
		if at == test.Y[i] {
			right++
		}
	}
	return float64(right) / float64(test.N())
}

func TestTwin(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int // 0 for all
		row    float64
		better float64 // the least right predictions of naive Bayes on a test part
	}{
		{"digits", 0, 32.7, 0.6},
		{"news20", 0, 79.9, 0.6},
		{"rcv1", 3000, 70, 0.25},
		{"aloi", 20000, 41, 0.5},
	} {
		s := Twin(c.name, 1)
		if c.n > 0 {
			s = TwinN(c.name, c.n, 1)
		}
		checkSet(t, s)
		if s.Name != c.name+" (generated)" || !s.Generated {
			t.Errorf("%s: %q, generated %v", c.name, s.Name, s.Generated)
		}
		if row := float64(len(s.X.Val)) / float64(s.N()); math.Abs(row/c.row-1) > 0.05 {
			t.Errorf("%s: %.1f nonzeros a row, not %.1f", c.name, row, c.row)
		}
		if k := s.counts(); slices.Max(k)-slices.Min(k) > 1 {
			t.Errorf("%s: %d to %d examples a class", c.name, slices.Min(k), slices.Max(k))
		}
		a, b := s.Split(0.8, 1)
		if got := naiveBayes(a, b); got < c.better || got > 0.95 {
			t.Errorf("%s: naive Bayes is right on %.2f", c.name, got)
		}
		if c.name != "news20" {
			continue
		}
		if s.N() != 15935 || s.M() != 62061 || s.H() != 20 {
			t.Error(s)
		}
		// Zipf-like: the first tenth of the columns holds most of the mass,
		// as in the real file (0.59).
		head := 0
		for _, j := range s.X.Col {
			if int(j) < s.M()/10 {
				head++
			}
		}
		if share := float64(head) / float64(len(s.X.Col)); share < 0.5 || share > 0.75 {
			t.Errorf("the first tenth of the columns holds %.2f of the nonzeros", share)
		}
	}
}

// The bits of a twin are part of the results that are shown from it: a change of
// the generator shows here.
func TestTwinBits(t *testing.T) {
	for _, c := range []struct {
		name   string
		seed   uint64
		digest string
	}{
		{"news20", 1, "f506b5f421820f8d79fdd40467e2118b851e23a6863293927c2c323b3d8e434e"},
		{"news20", 2, "ecbf3638f24b09933a7c79e0f52c2b1d59750ab56d3caf536e12631055269f1e"},
		{"aloi", 1, "61cf97fc37a27545011b793459be5256b75a1830f9bdf4f0d16070ec8c0a42c7"},
	} {
		s := TwinN(c.name, 2000, c.seed)
		if again := TwinN(c.name, 2000, c.seed); again.Digest != s.Digest || !same(s, again) {
			t.Errorf("%s: two sets from one seed", c.name)
		}
		if s.Digest != c.digest {
			t.Errorf("%s, seed %d: digest %s", c.name, c.seed, s.Digest)
		}
	}
	if s := TwinN("news20", 20, 1); s.H() != 20 || slices.Min(s.counts()) != 1 {
		t.Error(s)
	}
}

// The alias table gives each number the share that its weight says, exactly: its own and
// what the others give it.
func TestAlias(t *testing.T) {
	weight := []float64{1, 0, 5, 2}
	a, share := newAlias(weight), make([]float64, 4)
	for k := range a {
		share[k] += a[k].keep / 4
		share[a[k].other] += (1 - a[k].keep) / 4
	}
	for k, w := range weight {
		if math.Abs(share[k]-w/8) > 1e-15 {
			t.Errorf("number %d: share %g, not %g", k, share[k], w/8)
		}
	}
	q := [][2]float64{{0, 1}, {50, 11}, {100, 111}}
	for _, c := range [][3]float64{{0, 200, 1}, {0.25, 200, 6}, {0.5, 200, 11}, {0.75, 200, 61},
		{0.99999, 200, 110}, {0.75, 20, 20}} {
		if got := rowSize(q, c[0], int(c[1])); got != int(c[2]) {
			t.Errorf("rowSize at %g: %d, want %g", c[0], got, c[2])
		}
	}
}
