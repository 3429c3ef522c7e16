package fwdata

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
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
	if s.Labels[s.Y[0]] != 0 || !slices.Equal(col[:4], []int32{2, 3, 4, 5}) || !slices.Equal(val[:4], []float64{5, 13, 9, 1}) {
		t.Errorf("first image: label %d, %v %v", s.Labels[s.Y[0]], col[:4], val[:4])
	}
	if slices.Max(s.X.Val) != 16 || slices.Min(s.X.Val) != 1 {
		t.Errorf("values %g to %g", slices.Min(s.X.Val), slices.Max(s.X.Val))
	}
}

// A set whose error was thrown away says so, whatever is asked of it first.
func TestNil(t *testing.T) {
	s, err := Load("no such set")
	if s != nil || err == nil {
		t.Fatal(s, err)
	}
	for name, ask := range map[string]func(){
		"N": func() { s.N() }, "M": func() { s.M() }, "H": func() { s.H() },
		"UnitRows": func() { s.UnitRows() }, "Logistic": func() { s.Logistic() },
		"Split": func() { s.Split(0.5, 1) }, "Subset": func() { s.Subset([]int{0}) }, "Counts": func() { s.counts() },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "print the error") {
					t.Errorf("%s: %q", name, text)
				}
			}()
			ask()
		}()
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
			if len(col0) == 0 {
				continue
			}
			norm, norm0 := 0.0, 0.0
			for k := range val {
				norm = math.Hypot(norm, val[k])
				norm0 = math.Hypot(norm0, val0[k]/math.MaxFloat64)
				if !slices.Equal(col, col0) || val[k]*val0[k] < 0 {
					t.Fatal("columns or signs changed")
				}
			}
			if math.Abs(norm-1) > 1e-14 {
				t.Fatalf("row %d has norm %v: %v", i, norm, val0)
			}
		}
		if !slices.Equal(before, s.X.Val) {
			t.Fatal("the original changed")
		}
		if u.Digest == s.Digest {
			t.Fatal("scaled rows have the digest of the others")
		}
	}
	three := &Set{X: &fwsum.Sparse{N: 3, M: 2, Ptr: []int{0, 2, 2, 3}, Col: []int32{0, 1, 0}, Val: []float64{3e200, -4e200, 5e-324}}}
	if got := three.UnitRows().X.Val; !slices.Equal(got, []float64{0.6000000000000001, -0.8, 1}) && !slices.Equal(got, []float64{0.6, -0.8, 1}) {
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
	if !same(a, a2) || !same(b, b2) || a.Digest != a2.Digest || same(a, a3) || a.Digest == a3.Digest || a.Digest == b.Digest {
		t.Error("the split does not follow the seed")
	}
	for c, k := range a.counts() { // shuffled: no class is far from 3/4
		if k < s.counts()[c]*6/10 || k > s.counts()[c]*9/10 {
			t.Errorf("class %d: %d of %d", c, k, s.counts()[c])
		}
	}
	for _, frac := range []float64{0, 1, -1, 2, math.NaN(), 1e-9, 1 - 1e-9} {
		mustPanic(t, "leaves one part empty", func() { s.Split(frac, 1) })
	}
}

func TestSubset(t *testing.T) {
	s := &Set{Name: "s", X: smallX, Y: []int{0, 1, 0}, Labels: []int{1, 2}, Digest: "d"}
	b := s.Subset([]int{2, 0, 0})
	want := &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 0, 2, 4}, Col: []int32{0, 2, 0, 2}, Val: []float64{0.5, 2, 0.5, 2}}
	if !reflect.DeepEqual(b.X, want) || !slices.Equal(b.Y, []int{0, 0, 0}) || b.H() != 2 || b.Digest == "d" {
		t.Errorf("%+v %+v", b, b.X)
	}
	mustPanic(t, "row 3 of a set with 3 rows", func() { s.Subset([]int{3}) })
	mustPanic(t, "row -1", func() { s.Subset([]int{-1}) })
	mustPanic(t, "no rows", func() { s.Subset(nil) })
}

func TestFromMatrix(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{0.5, 0, 2, 0, -1e-3, 0, 0, 0, 0})
	s, err := FromMatrix("own", x, []int{1, 2, 1})
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
	if s2, err := FromMatrix("own", x.T(), []int{1, 2, 1}); err != nil || s2.Digest == s.Digest {
		t.Errorf("another content, the same digest: %v", err)
	}
	nan := mat.DenseCopyOf(x)
	nan.Set(2, 1, math.NaN())
	inf := mat.DenseCopyOf(x)
	inf.Set(1, 0, math.Inf(-1))
	for _, c := range []struct {
		x      mat.Matrix
		labels []int
		want   string
	}{
		{nan, []int{1, 2, 1}, "own: row 2, column 1 of the matrix is NaN"},
		{inf, []int{1, 2, 1}, "own: row 1, column 0 of the matrix is -Inf"},
		{x, []int{1, 2}, "own: 2 labels for 3 rows"},
		{x, []int{5, 5, 5}, "own: all 3 examples have the label 5"},
		{&mat.Dense{}, nil, "own: a 0 x 0 matrix has no data"},
	} {
		if _, err := FromMatrix("own", c.x, c.labels); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestString(t *testing.T) {
	s := &Set{Name: "s", X: &fwsum.Sparse{N: 1000, M: 1234567, Ptr: make([]int, 1001)}, Y: make([]int, 1000), Labels: []int{1, 2}}
	if got, want := s.String(), "s: n = 1,000, m = 1,234,567, h = 2, 0 nonzeros (0.0 a row), 0 to 1,000 examples a class"; got != want {
		t.Errorf("%q\n%q", got, want)
	}
}

// Naive Bayes: a linear model by another road. It returns the share of right
// predictions on test.
func naiveBayes(train, test *Set) float64 {
	h, m := train.H(), train.M()
	w := make([]float64, h*m)
	sum := make([]float64, h)
	for i := range w {
		w[i] = 0.1
	}
	for i := range train.N() {
		col, val := train.X.Row(i)
		for k, j := range col {
			w[train.Y[i]*m+int(j)] += val[k]
		}
	}
	for c := range h {
		for _, v := range w[c*m : (c+1)*m] {
			sum[c] += v
		}
		for j := range m {
			w[c*m+j] = math.Log(w[c*m+j] / sum[c])
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
		s := TwinN(c.name, max(c.n, 1000), 1)
		if c.n == 0 {
			s = Twin(c.name, 1)
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
		// With the labels shuffled it is not: the words tell the classes, nothing else does.
		mixed := *a
		mixed.Y = slices.Clone(a.Y)
		sample.NewPortable(1, 1).Shuffle(len(mixed.Y), func(i, j int) { mixed.Y[i], mixed.Y[j] = mixed.Y[j], mixed.Y[i] })
		if got := naiveBayes(&mixed, b); got > 2.5/float64(s.H()) {
			t.Errorf("%s: naive Bayes is right on %.2f with shuffled labels", c.name, got)
		}
	}
	news := Twin("news20", 1)
	if news.N() != 15935 || news.M() != 62061 || news.H() != 20 {
		t.Error(news)
	}
	// Zipf-like: the first tenth of the columns holds most of the mass,
	// as in the real file (0.59).
	head := 0
	for _, j := range news.X.Col {
		if int(j) < news.M()/10 {
			head++
		}
	}
	if share := float64(head) / float64(len(news.X.Col)); share < 0.5 || share > 0.75 {
		t.Errorf("the first tenth of the columns holds %.2f of the nonzeros", share)
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
}

func TestTwinPanics(t *testing.T) {
	mustPanic(t, `fwdata: no set "news21"`, func() { Twin("news21", 1) })
	mustPanic(t, "fwdata: a twin of news20 with 19 rows: it has 20 classes", func() { TwinN("news20", 19, 1) })
	mustPanic(t, "fwdata: a twin of -1 rows", func() { TwinN("news20", -1, 1) })
	if s := TwinN("news20", 20, 1); s.H() != 20 || slices.Min(s.counts()) != 1 {
		t.Error(s)
	}
}

// The alias table draws each item as often as its weight says.
func TestAlias(t *testing.T) {
	item := []int32{4, 7, 1, 9}
	weight := []float64{1, 0, 5, 2}
	a := newAlias(weight)
	// Exactly: item k's share is its own plus what the others give it.
	share := map[int32]float64{}
	for k := range item {
		share[item[k]] += a[k].keep / 4
		share[item[a[k].other]] += (1 - a[k].keep) / 4
	}
	for k, w := range weight {
		if math.Abs(share[item[k]]-w/8) > 1e-15 {
			t.Errorf("item %d: share %g, not %g", item[k], share[item[k]], w/8)
		}
	}
	g := sample.NewPortable(1, 1)
	count := map[int32]int{}
	for range 80000 {
		count[item[a.draw(g)]]++
	}
	for k, w := range weight {
		if d := float64(count[item[k]]) - 10000*w; math.Abs(d) > 5*math.Sqrt(10000*w) {
			t.Errorf("item %d drawn %d times, not %g", item[k], count[item[k]], 10000*w)
		}
	}
}

func TestRowSize(t *testing.T) {
	q := [][2]float64{{0, 1}, {50, 11}, {100, 111}}
	for _, c := range []struct {
		u    float64
		m    int
		want int
	}{{0, 200, 1}, {0.25, 200, 6}, {0.5, 200, 11}, {0.75, 200, 61}, {0.99999, 200, 110}, {0.75, 20, 20}} {
		if got := rowSize(q, c.u, c.m); got != c.want {
			t.Errorf("rowSize at %g: %d, want %d", c.u, got, c.want)
		}
	}
}

// Data that is at hand needs no network code, whose link time every cell of a
// notebook would pay.
func TestNoNetwork(t *testing.T) {
	deps := func(pkg string) string {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				t.Fatalf("go list %s: %s", pkg, exit.Stderr)
			}
			t.Skip(err) // no go command
		}
		return "\n" + string(out)
	}
	if d := deps("github.com/projection-free/fwlab/fwopt/fwdata"); strings.Contains(d, "\nnet/http\n") || strings.Contains(d, "\nnet\n") {
		t.Error("fwdata imports net")
	}
	if d := deps("github.com/projection-free/fwlab/fwopt/fwfetch"); !strings.Contains(d, "\nnet/http\n") {
		t.Error("fwfetch does not import net/http: is this test looking at the right thing?")
	}
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if msg := fmt.Sprint(recover()); !strings.HasPrefix(msg, "fwdata: ") || !strings.Contains(msg, want) {
			t.Errorf("panic %q, want %q", msg, want)
		}
	}()
	f()
}

func TestMain(m *testing.M) {
	// No test may write to the user's cache.
	dir, err := os.MkdirTemp("", "fwdata")
	if err != nil {
		panic(err)
	}
	useCache(os.Setenv, dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
