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

// Slide returns the scene as Grid does, and in Vega a picture in which a slider shows the first k points of
// each path. JupyterLab draws it without a kernel, also in a page that it does not trust, and so does the
// site; where nothing can there is the PNG. It has outline, level lines, marks and paths; arrows, steps and
// noise are in the PNG alone. The first k that it shows is last, or all points if last is 0.
func (s *Scene) Slide(last int) fwnb.Figure {
	s.check()
	f := Grid([]*plot.Plot{s.Plot})
	const side = 520. // pixels, of the longer side
	wide, high := s.X.Max-s.X.Min, s.Y.Max-s.Y.Min
	width, height := math.Round(side*wide/max(wide, high)), math.Round(side*high/max(wide, high))
	axis := func(name string, a *plot.Axis) object {
		scale := object{"domain": []any{s.round(a.Min), s.round(a.Max)}, "nice": false, "zero": false}
		return object{"field": name, "type": "quantitative", "scale": scale}
	}
	x, y := axis("x", &s.X), axis("y", &s.Y)
	var layers, paths, names, colors []any
	add := func(to *[]any, values any, mark, encoding object, filter string) {
		layer := object{"data": object{"values": values}, "mark": mark, "encoding": encoding}
		if filter != "" {
			layer["transform"] = []any{object{"filter": filter}}
		}
		*to = append(*to, layer)
	}
	order := object{"field": "k", "type": "quantitative"}
	scale := object{}
	colour := object{"field": "method", "type": "nominal", "scale": scale}
	most := 0
	for _, l := range s.lines {
		mark := object{"type": "line", "color": hex(l.style.Color), "clip": true}
		mark["strokeWidth"] = l.style.Width.Points()
		if l.name == "" {
			add(&layers, s.points(l, 1+len(l.xy)/40), mark, object{"x": x, "y": y, "order": order}, "")
			continue
		}
		most = max(most, len(l.xy)-1)
		names, colors = append(names, l.name), append(colors, hex(l.style.Color))
		says := l.name
		if mark["point"], mark["strokeWidth"] = true, 1.5; l.style.Dashes != nil {
			mark["strokeDash"], says = []any{5, 3}, says+" (dashed)"
		}
		values := s.points(l, 1)
		add(&paths, values, mark, object{"x": x, "y": y, "order": order, "color": colour}, "datum.k <= k")
		here := object{"type": "point", "size": 140, "strokeWidth": 2, "clip": true}
		add(&paths, values, here, object{"x": x, "y": y, "color": colour}, "datum.k == min(k, datum.last)")
		// its name, below the picture: beside it a telephone would show all of it smaller
		at := height + float64(22*len(names)-2)
		name := object{"type": "text", "align": "left", "x": 0, "y": at, "fontSize": 16}
		add(&paths, []any{object{"method": l.name, "says": says}}, name,
			object{"text": object{"field": "says"}, "color": colour}, "")
	}
	scale["domain"], scale["range"] = names, colors
	layers = append(layers, paths...)
	for _, m := range s.marks {
		cross := object{"type": "text", "text": "×", "fontSize": 20, "color": hex(ink)}
		name := object{"type": "text", "text": m.name, "fontSize": 14, "dx": 14, "dy": -10, "color": hex(ink)}
		for _, mark := range []object{cross, name} {
			add(&layers, s.points(m, 1), mark, object{"x": x, "y": y}, "")
		}
	}
	if last == 0 {
		last = most
	}
	bind := object{"input": "range", "min": 0, "max": most, "step": 1, "name": "k "}
	off := object{"disable": true}
	var err error
	f.Vega, err = json.Marshal(object{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"description": f.Alt, "background": "white", "width": width, "height": height, "layer": layers,
		"title":  object{"text": s.Title.Text, "anchor": "start", "fontWeight": "normal", "fontSize": 15},
		"params": []any{object{"name": "k", "value": min(last, most), "bind": bind}},
		"config": object{"view": object{"stroke": "transparent"}, "axis": off, "legend": off},
	})
	if err != nil {
		panic(need.Line("fwplot: " + err.Error())) // only for a view that is not finite
	}
	return f
}

type object = map[string]any

// points returns every so manyth point of a line, with its number and what a slider asks for.
func (s *Scene) points(l series, every int) (out []any) {
	last := len(l.xy) - 1
	for k, p := range l.xy {
		if k%every == 0 || k == last {
			v := object{"x": s.round(p.x), "y": s.round(p.y), "k": k}
			if l.name != "" {
				v["last"], v["method"] = last, l.name
			}
			out = append(out, v)
		}
	}
	return out
}

// round returns v to a ten thousandth of the view, which is less than a pixel; 0 if it is no number.
func (s *Scene) round(v float64) float64 {
	digits := math.Pow10(4 - int(math.Floor(math.Log10(s.X.Max-s.X.Min))))
	if v = math.Round(v*digits) / digits; !finite(v) {
		return 0
	}
	return v
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
