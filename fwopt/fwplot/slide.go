package fwplot

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
)

// Slide returns the scene as Grid does, and in Vega a picture in which a slider shows the
// first k points of each path: its Show sends it beside the PNG. JupyterLab draws it
// by itself, without a kernel, also in a page that it does not trust, and so does the site;
// where nothing can there is the PNG. It has outline, level lines, marks and paths; arrows,
// steps and noise are in the PNG alone. The first k that it shows is last, or all points if
// last is 0.
func (s *Scene) Slide(last int) fwnb.Figure {
	s.check()
	f := Grid([]*plot.Plot{s.Plot})
	const side = 520. // pixels, of the longer side
	unit := side / max(s.X.Max-s.X.Min, s.Y.Max-s.Y.Min)
	type object = map[string]any
	axis := func(name string, a *plot.Axis) object {
		return object{"field": name, "type": "quantitative", "scale": object{"domain": []any{s.round(a.Min), s.round(a.Max)}, "nice": false, "zero": false}}
	}
	x, y := axis("x", &s.X), axis("y", &s.Y)
	var layers, names, colors []any
	most := 0
	for _, l := range s.lines {
		if !l.path {
			layers = append(layers, object{
				"data":     object{"values": s.thinned(l.xy)},
				"mark":     object{"type": "line", "color": hex(l.color), "strokeWidth": l.width, "clip": true},
				"encoding": object{"x": x, "y": y, "order": object{"field": "k", "type": "quantitative"}},
			})
			continue
		}
		most = max(most, len(l.xy)-1)
		names, colors = append(names, l.name), append(colors, hex(l.color))
	}
	width, height, named := math.Round(unit*(s.X.Max-s.X.Min)), math.Round(unit*(s.Y.Max-s.Y.Min)), 0
	for _, l := range s.lines {
		if !l.path {
			continue
		}
		var values []any
		for k, q := range l.xy {
			values = append(values, object{"x": s.round(q.x), "y": s.round(q.y), "k": k, "last": len(l.xy) - 1, "method": l.name})
		}
		colour := object{"field": "method", "type": "nominal", "scale": object{"domain": names, "range": colors}}
		says, mark := l.name, object{"type": "line", "point": true, "strokeWidth": l.width, "clip": true}
		if l.dashed {
			mark["strokeDash"], says = []any{5, 3}, says+" (dashed)"
		}
		layers = append(layers, object{
			"data": object{"values": values}, "transform": []any{object{"filter": "datum.k <= k"}}, "mark": mark,
			"encoding": object{"x": x, "y": y, "order": object{"field": "k", "type": "quantitative"}, "color": colour},
		}, object{ // where it is
			"data": object{"values": values}, "transform": []any{object{"filter": "datum.k == min(k, datum.last)"}},
			"mark":     object{"type": "point", "size": 140, "strokeWidth": 2, "clip": true},
			"encoding": object{"x": x, "y": y, "color": colour},
		}, object{ // its name, below the picture: beside it a telephone would show all of it smaller
			"data":     object{"values": []any{object{"method": l.name, "says": says}}},
			"mark":     object{"type": "text", "align": "left", "x": 0, "y": height + float64(20+22*named), "fontSize": 16},
			"encoding": object{"text": object{"field": "says"}, "color": colour},
		})
		named++
	}
	for _, m := range s.marks {
		at := object{"values": []any{object{"x": s.round(m.at.x), "y": s.round(m.at.y)}}}
		layers = append(layers,
			object{"data": at, "mark": object{"type": "text", "text": "×", "fontSize": 20, "color": hex(ink)}, "encoding": object{"x": x, "y": y}},
			object{"data": at, "mark": object{"type": "text", "text": m.name, "fontSize": 14, "dx": 14, "dy": -10, "color": hex(ink)}, "encoding": object{"x": x, "y": y}})
	}
	if last == 0 {
		last = most
	}
	spec, err := json.Marshal(object{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "description": f.Alt, "background": "white",
		"title": object{"text": s.Title.Text, "anchor": "start", "fontWeight": "normal", "fontSize": 15},
		"width": width, "height": height,
		"params": []any{object{"name": "k", "value": min(last, most), "bind": object{"input": "range", "min": 0, "max": most, "step": 1, "name": "k "}}},
		"layer":  layers, "config": object{"view": object{"stroke": "transparent"}, "axis": object{"disable": true}, "legend": object{"disable": true}},
	})
	if err != nil {
		panic(need.Line("fwplot: " + err.Error())) // only for numbers that are none, which rounding has left out
	}
	f.Vega = spec
	return f
}

// thinned returns the points of a polyline with their numbers, of a long one some forty.
func (s *Scene) thinned(ps []xy) (out []any) {
	every := 1 + len(ps)/40
	for i, p := range ps {
		if i%every == 0 || i == len(ps)-1 {
			out = append(out, map[string]any{"x": s.round(p.x), "y": s.round(p.y), "k": i})
		}
	}
	return out
}

// round returns v to a ten thousandth of the view, which is less than a pixel; 0 if it is no number.
func (s *Scene) round(v float64) float64 {
	if !finite(v) {
		return 0
	}
	digits := math.Pow10(4 - int(math.Floor(math.Log10(s.X.Max-s.X.Min))))
	return math.Round(v*digits) / digits
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
