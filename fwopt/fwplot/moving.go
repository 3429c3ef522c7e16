package fwplot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Slider is a number that the reader of a figure sets: Min, Min + Step, … up to Max. It begins at Start.
type Slider struct {
	Name                  string // as "log₂ m"
	Min, Max, Step, Start float64
}

// values returns how many values a slider has.
func (s Slider) values() int { return 1 + int(math.Floor((s.Max-s.Min)/s.Step+eps)) }

// Moving draws what at returns, plots side by side as in Show, for all values of the sliders, which at is
// called with in their order. The panels of one place have the same ranges in all pictures. The figure is
// Grid's picture of where the sliders begin, and in Vega-Lite all of them, in lines and letters: JupyterLab
// shows them without a kernel, also in a page that it does not trust, and so does the site.
//
// Of two sliders the last should be the one that moves less: what does not depend on it is kept once. A
// picture costs a few ms. Moving panics where Grid does, or if a slider has fewer than two values or more
// than 500, or begins at none of them, or if the number of plots changes.
func Moving(at func(v []float64) []*plot.Plot, sliders ...Slider) fwnb.Figure {
	need.Given("fwplot", "the pictures of a Moving", at == nil)
	frames, start := 1, 0
	for _, s := range sliders {
		n, i := (s.Max-s.Min)/s.Step, math.Round((s.Start-s.Min)/s.Step)
		if !(s.Step > 0 && n > 1-eps && n < 500-eps && i >= 0 && i < n+eps) {
			panic(need.Linef("fwplot: the slider %q goes from %g by %g to %g, and begins at %g", s.Name, s.Min,
				s.Step, s.Max, s.Start))
		}
		frames, start = frames*s.values(), start*s.values()+int(i)
	}
	all := make([][]*plot.Plot, frames)
	for i := range all {
		v, rest := make([]float64, len(sliders)), i
		for j, s := range slices.Backward(sliders) {
			v[j] = s.Min + float64(rest%s.values())*s.Step
			rest /= s.values()
		}
		all[i] = at(v)
		if len(all[i]) != len(all[0]) || slices.Contains(all[i], nil) {
			panic(need.Linef("fwplot: %d plots, and %d before, at %g", len(all[i]), len(all[0]), v))
		}
	}
	for j := range all[0] {
		var xs, ys span
		for _, row := range all {
			xs.add(row[j].X.Min, row[j].X.Max)
			ys.add(row[j].Y.Min, row[j].Y.Max)
		}
		for _, row := range all {
			row[j].X.Min, row[j].X.Max, row[j].Y.Min, row[j].Y.Max = xs.lo, xs.hi, ys.lo, ys.hi
		}
	}
	f := Grid(all[start])
	var b book
	for _, row := range all {
		b.add(row)
	}
	f.Vega, _ = json.Marshal(b.spec(f, sliders))
	return f
}

// style is how a line, an area or a text is drawn; it is a row of a table in the figure.
type style struct {
	Fill, Stroke string
	Wide         float64
	Dash         string // its lengths, with commas
}

// piece is one of these, in pixels.
type piece struct {
	S       int     // number of its style
	P       string  `json:",omitempty"` // a path in SVG's language
	T       string  `json:",omitempty"` // or a text
	X, Y    float64 `json:",omitempty"` // where it begins
	Z, Turn float64 `json:",omitempty"` // the size of its letters, and its degrees
}

// shown is a piece in the pictures of numbers A to B − 1.
type shown struct {
	piece
	A, B        int
	after, then int // how many pieces that all pictures have are behind it, and how many others since
}

// book is the pictures, each a list of pieces from the rear to the front.
type book struct {
	styles   []style
	pictures [][]piece
}

// add draws the next picture.
func (b *book) add(row []*plot.Plot) {
	l := newLayout([][]*plot.Plot{row})
	for _, k := range l.keys {
		defer func() { k.view = plain }()
	}
	var c recorder.Canvas
	w, h := vg.Points(0.75*float64(l.width)), vg.Points(0.75*float64(l.height))
	l.draw(draw.Crop(draw.NewCanvas(&c, w, h), margin, -margin, margin, -margin))
	b.pictures = append(b.pictures, nil)
	var turned []complex128
	turn, hue, wide, dash := complex(1, 0), "", 0., ""
	at := func(p vg.Point) (x, y float64) {
		q := complex(p.X.Points(), p.Y.Points()) * turn
		return tenth(vg.Points(real(q))), tenth(h - vg.Points(imag(q)))
	}
	put := func(p piece, of style) {
		if p.S = slices.Index(b.styles, of); p.S < 0 {
			p.S, b.styles = len(b.styles), append(b.styles, of)
		}
		if all := &b.pictures[len(b.pictures)-1]; !slices.Contains(*all, p) {
			*all = append(*all, p)
		}
	}
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Push:
			turned = append(turned, turn)
		case *recorder.Pop:
			turn, turned = turned[len(turned)-1], turned[:len(turned)-1]
		case *recorder.Rotate:
			turn *= cmplx.Rect(1, a.Angle)
		case *recorder.SetColor:
			n := color.NRGBAModel.Convert(a.Color).(color.NRGBA)
			hue = fmt.Sprintf("#%02x%02x%02x%02x", n.R, n.G, n.B, n.A)
		case *recorder.SetLineWidth:
			wide = tenth(a.Width)
		case *recorder.SetLineDash:
			var all []string
			for _, d := range a.Dashes {
				all = append(all, fmt.Sprint(tenth(d)))
			}
			dash = strings.Join(all, ",")
		case *recorder.Stroke:
			put(piece{P: path(a.Path, at)}, style{"none", hue, wide, dash})
		case *recorder.Fill:
			put(piece{P: path(a.Path, at)}, style{Fill: hue, Stroke: "none"})
		case *recorder.FillString:
			x, y := at(a.Point)
			degrees := math.Round(-cmplx.Phase(turn) * 180 / math.Pi)
			put(piece{T: a.String, X: x, Y: y, Z: tenth(a.Size), Turn: degrees}, style{Fill: hue})
		}
	}
}

// tenth returns a length in pixels.
func tenth(l vg.Length) float64 { return math.Round(10*l.Points()/0.75) / 10 }

// path writes a path of lines and whole circles.
func path(path vg.Path, at func(vg.Point) (x, y float64)) string {
	var b strings.Builder
	for _, p := range path {
		switch x, y := at(p.Pos); p.Type {
		case vg.MoveComp:
			fmt.Fprintf(&b, "M%g,%g", x, y)
		case vg.LineComp:
			fmt.Fprintf(&b, "L%g,%g", x, y)
		case vg.ArcComp:
			r := tenth(p.Radius)
			fmt.Fprintf(&b, "M%g,%ga%g,%g,0,1,1,%g,0a%[3]g,%[3]g,0,1,1,%[6]g,0", x-r, y, r, r, 2*r, -2*r)
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// merged returns the pieces of all pictures in an order that has that of each.
func (b *book) merged() (all []shown) {
	count, last := map[piece]int{}, map[piece]int{} // of the pictures that have it, and where in all it is
	for _, p := range slices.Concat(b.pictures...) {
		count[p]++
	}
	for i, picture := range b.pictures {
		after, then := 0, 0
		for _, p := range picture {
			if then++; count[p] == len(b.pictures) {
				after, then = after+1, 0
			}
			j, seen := last[p]
			if !seen || all[j].B < i {
				j, last[p] = len(all), len(all)
				all = append(all, shown{p, i, i, after, then})
			}
			all[j].B = i + 1
		}
	}
	slices.SortStableFunc(all, func(a, b shown) int {
		return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.then, b.then))
	})
	return all
}

// spec returns the pictures in Vega-Lite, a path as a symbol of its own.
func (b *book) spec(f fwnb.Figure, sliders []Slider) any {
	type object = map[string]any
	var styles, params []any
	for i, s := range b.styles {
		styles = append(styles, object{"S": i, "Fill": s.Fill, "Stroke": s.Stroke, "Wide": s.Wide,
			"Dash": json.RawMessage("[" + s.Dash + "]")})
	}
	now := "0"
	for i, s := range sliders {
		name := fmt.Sprint("slider", i)
		params = append(params, object{"name": name, "value": s.Start, "bind": object{"input": "range",
			"min": s.Min, "max": s.Max, "step": s.Step, "name": s.Name + " "}})
		now = fmt.Sprintf("(%s)*%d+round((%s-(%g))/%g)", now, s.values(), name, s.Min, s.Step)
	}
	raw := func(field string) object { return object{"field": field, "type": "quantitative", "scale": nil} }
	name := func(field string) object { return object{"field": field, "type": "nominal", "scale": nil} }
	layer := func(of string, mark, encoding object) any {
		encoding["order"] = object{"field": "n", "type": "quantitative"} // or what comes back is in front
		return object{"transform": []any{object{"filter": "datum." + of}}, "mark": mark, "encoding": encoding}
	}
	data, err := json.Marshal(b.merged())
	if err != nil {
		panic(need.Line("fwplot: " + err.Error())) // only for ranges that are not finite
	}
	return object{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"description": f.Alt, "background": "white", "width": f.Width, "height": f.Height, "padding": 0,
		"config": object{"view": object{"stroke": nil}, "axis": object{"disable": true}},
		"data":   object{"values": string(data), "format": object{"type": "json"}}, // a line of a notebook
		"params": params, "transform": []any{
			object{"window": []any{object{"op": "row_number", "as": "n"}}},
			object{"filter": fmt.Sprintf("datum.A <= %s && %[1]s < datum.B", now)},
			object{"lookup": "S", "from": object{"data": object{"values": styles}, "key": "S",
				"fields": []string{"Fill", "Stroke", "Wide", "Dash"}}}},
		"layer": []any{
			layer("P", object{"type": "point", "size": 4, "opacity": 1}, object{"shape": name("P"),
				"x": object{"value": 0}, "y": object{"value": 0}, "fill": name("Fill"),
				"stroke": name("Stroke"), "strokeWidth": raw("Wide"), "strokeDash": name("Dash")}),
			layer("T", object{"type": "text", "align": "left", "baseline": "alphabetic", "font": fonts},
				object{"text": name("T"), "x": raw("X"), "y": raw("Y"), "size": raw("Z"),
					"angle": raw("Turn"), "color": name("Fill")})},
	}
}
