package fwplot

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// moved is a picture in which lines and a path grow, a mark moves, and names change places.
func moved(v []float64) []*plot.Plot {
	up, down := Series{Name: "SVRF"}, Series{Name: "FW"}
	s := NewScene(fmt.Sprint("to ", v[0]), square, []float64{1, 0}, []float64{0, 1})
	var way [][]float64
	for k := 1.; k <= v[0]; k++ {
		up.X, up.Y = append(up.X, k), append(up.Y, k*v[1])
		down.X, down.Y = append(down.X, k), append(down.Y, 9-k)
		way = append(way, []float64{1 - k/4, 1 / k})
	}
	s.Path("SVRF", way...)
	s.Mark("w*", []float64{0, v[1] / 4})
	return []*plot.Plot{Lines("a line", "steps", "gap", false, false, up, down), s.Plot}
}

var two = []Slider{{"k", 1, 4, 1, 3}, {"half", 0, 1, 0.5, 1}}

// Of the pieces those that a picture has are in its order, and what all pictures have is kept once.
func TestMoving(t *testing.T) {
	f := Moving(moved, two...)
	var spec struct {
		Schema        string `json:"$schema"`
		Width, Height int
		Data          struct{ Values string }
		Params        []struct {
			Value float64
			Bind  struct {
				Min, Max, Step float64
				Name           string
			}
		}
	}
	var values []shown
	err := json.Unmarshal(f.Vega, &spec)
	if err = errors.Join(err, json.Unmarshal([]byte(spec.Data.Values), &values)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(spec.Schema, "/v5.json") || spec.Width != f.Width || spec.Height != f.Height {
		t.Errorf("%s, %d x %d", spec.Schema, spec.Width, spec.Height)
	}
	p := spec.Params[1]
	if len(spec.Params) != 2 || p.Value != 1 || p.Bind.Max != 1 || p.Bind.Name != "half " {
		t.Errorf("%+v", spec.Params)
	}
	if still := Grid(moved([]float64{3, 1})); f.Alt != still.Alt || len(f.PNG) == 0 || len(f.PNG) > maxBytes {
		t.Errorf("%s, and the picture at the beginning is %s", f.Alt, still.Alt)
	}
	var b book
	for k := 1.; k <= 4; k++ {
		for half := 0.; half <= 1; half += 0.5 {
			row := moved([]float64{k, half})
			row[0].X.Min, row[0].X.Max, row[0].Y.Min, row[0].Y.Max = 0.88, 4.12, 0, 8.32
			b.add(row)
		}
	}
	static := 0
	for i, want := range b.pictures {
		var got []piece
		for _, v := range values {
			if v.A <= i && i < v.B {
				got = append(got, v.piece)
			}
			if i == 0 && v.A == 0 && v.B == 12 {
				static++
			}
		}
		for _, one := range [][]piece{got, want} { // styles are numbered as they come
			for j := range one {
				one[j].S = 0
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("picture %d has the pieces\n%v, want\n%v", i, got, want)
		}
	}
	if static < 20 {
		t.Errorf("%d pieces are in all pictures", static)
	}
}

// Letters stand where Grid's SVG has them, also those that are turned.
func TestMovingLetters(t *testing.T) {
	var b book
	row := moved([]float64{3, 1})
	b.add(row)
	svg, texts := string(Grid(row).SVG), 0
	for _, p := range b.pictures[0] {
		if p.T == "" {
			continue
		}
		if texts++; !strings.Contains(svg, ">"+p.T+"</text>") {
			t.Errorf("%q is not in the SVG", p.T)
		}
		if (p.T == "gap") != (p.Turn == -90) || p.X < 0 || p.X > 680 || p.Y < 10 || p.Y > 340 || p.Z < 12 {
			t.Errorf("%+v", p)
		}
	}
	if n := strings.Count(svg, "</text>"); n != texts {
		t.Errorf("%d texts, and the SVG has %d", texts, n)
	}
}
