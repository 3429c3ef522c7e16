package fwrate_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Of two runs with a pause each, the seconds are those of a run without.
func TestRepeat(t *testing.T) {
	runs := [][]float64{{1, 2, 13, 14}, {5, 7, 8, 8.5}, {1.5, 4, 6, 7}}
	n := 0
	got := fwrate.Repeat(len(runs), func() (all []fwopt.Point) {
		for k, s := range runs[n] {
			all = append(all, fwopt.Point{Step: 3 * k, Seconds: s, F: float64(k)})
		}
		n++
		return all
	})
	var want []fwopt.Point
	for k, s := range []float64{1, 2, 3, 3.5} { // least pieces 1, 1, 1, 0.5
		want = append(want, fwopt.Point{Step: 3 * k, Seconds: s, F: float64(k)})
	}
	if !reflect.DeepEqual(got, want) || n != 3 {
		t.Errorf("%d runs: %v, want %v", n, got, want)
	}
	for _, c := range []struct {
		runs [][]fwopt.Point
		want string
	}{
		{nil, "fwrate: a run repeated 0 times"},
		{[][]fwopt.Point{make([]fwopt.Point, 2), {{}}}, "fwrate: repeated run 2 has 1 points, the first 2"},
		{[][]fwopt.Point{{{}}, {{Step: 4}}}, "fwrate: repeated run 2 has step 4 for point 0, the first 0"},
		{[][]fwopt.Point{{{}}, {{Seconds: 4}}}, ""},
		{[][]fwopt.Point{nil, nil}, ""},
	} {
		i := -1
		got := small.Panics(func() {
			fwrate.Repeat(len(c.runs),
				func() []fwopt.Point { i++; return c.runs[i] })
		})
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
