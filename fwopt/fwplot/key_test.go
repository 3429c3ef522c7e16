package fwplot

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// In a Grid the names of a Direct plot stand beside its lines, and those of the others
// in the key below, which is not there if nobody needs it.
func TestDirect(t *testing.T) {
	two := func() (a, b *plot.Plot) {
		line := func(name string) *plot.Plot {
			return Lines("", "x", "y", true, true, Series{name, []float64{1, 10}, []float64{1, 10}})
		}
		return line("SVRF"), line("STORC")
	}
	a, b := two()
	below := Grid([]*plot.Plot{a, b})
	if Direct(a) != a {
		t.Error("Direct returns another plot")
	}
	mixed := Grid([]*plot.Plot{a, b})
	Direct(b)
	both := Grid([]*plot.Plot{a, b})
	if !(both.Height < mixed.Height && mixed.Height == below.Height) {
		t.Errorf("heights %d, %d, %d: want no room for a key that is empty", below.Height, mixed.Height, both.Height)
	}
	for what, f := range map[string]Figure{"below": below, "mixed": mixed, "both": both} {
		for _, name := range []string{"SVRF", "STORC"} {
			if n := strings.Count(string(f.SVG), ">"+name+"<"); n != 1 {
				t.Errorf("%s: %q stands %d times in the figure", what, name, n)
			}
		}
	}
	if Direct(plot.New()) == nil {
		t.Error("a plot made elsewhere is lost")
	}
}
