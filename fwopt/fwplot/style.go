package fwplot

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink  = rgb(0x333333)
	pale = rgb(0xDDDDDD)
	grey = rgb(0x777777)
)

func rgb(c uint32) color.RGBA {
	return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

// methods is the style of each method: the palette of Okabe and Ito, which the
// colour-blind can tell apart, without its yellow, which is too pale on white.
// The dashes tell them apart in grey. The palette is used up by the paper's own
// experiments; the three before the last three, of Table 2 alone, are darker than all of it but
// black, and these fill what it leaves, in purple and crimson.
var methods = []struct {
	name  string
	style draw.LineStyle
}{
	{"STORC", stroke(0x0072B2, 2.4)},
	{"SVRF", stroke(0xD55E00, 1.5)},
	{"SCGS", stroke(0x009E73, 1.8, 8, 2)},
	{"SFW", stroke(0xE69F00, 1.8, 4, 2)},
	{"SVRG", stroke(0xCC79A7, 1.8, 2, 2)},
	{"SGD", stroke(0x56B4E9, 1.8, 1, 1)},
	{"FW", stroke(0x000000, 1.8, 8, 2, 1, 2)},
	{"FISTA", stroke(0x777777, 1.8, 12, 3)},
	{"Online-FW", stroke(0x332288, 1.8, 10, 2, 3, 2)},
	{"Garber-Hazan", stroke(0x882E72, 1.8, 6, 2, 3, 2, 3, 2)},
	{"AwayFW", stroke(0x661100, 1.8, 4, 2, 1, 2)},
	{"PairwiseFW", stroke(0xE1003C, 1.8, 6, 3)},
	{"ConjugateFW", stroke(0x8778F0, 1.8, 2, 2, 6, 2)},
	{"BiconjugateFW", stroke(0x9600F0, 1.8, 10, 2)},
}

// spare is what a line without a style of its own gets, in order.
var spare = []draw.LineStyle{
	stroke(0x777777, 3),
	stroke(0x777777, 1.8, 6, 2, 1, 2, 1, 2),
	stroke(0x777777, 1.8, 3, 5),
	stroke(0x777777, 2.4, 10, 5),
	stroke(0x777777, 2.4, 2, 4),
}

var boundStyle = stroke(0x999999, 1, 4, 3)

func stroke(c uint32, width float64, dashes ...float64) draw.LineStyle {
	s := draw.LineStyle{Color: rgb(c), Width: vg.Points(width)}
	for _, d := range dashes {
		s.Dashes = append(s.Dashes, vg.Points(d))
	}
	return s
}

// Style returns the line style of a method, for lines of one's own. The name is
// that of a Trace; "SVRF, tuned" has the style of SVRF, and an unknown method a
// thick grey line.
func Style(method string) draw.LineStyle { return assign([]string{method})[0] }

// assign returns one style for each name. A name that begins with a method's,
// as "SVRF, tuned", has that method's colour, and its dash too unless another
// line of the figure has it.
func assign(names []string) []draw.LineStyle {
	out := make([]draw.LineStyle, len(names))
	taken := make(map[string]bool)
	for _, n := range names {
		taken[n] = true
	}
	next := 0
	for i, n := range names {
		base, _, _ := strings.Cut(n, " ")
		base = strings.TrimRight(base, ",:;")
		out[i] = spare[next%len(spare)]
		known := false
		for _, m := range methods {
			if m.name != base {
				continue
			}
			if known = n == base || !taken[base]; known {
				taken[base] = true
				out[i] = m.style
			} else {
				out[i].Color = m.style.Color
			}
		}
		if !known {
			next++
		}
	}
	return out
}

// readable returns a colour of the same hue that is dark enough for small text
// on white: contrast 4.5 to 1, as WCAG asks.
func readable(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	out := [3]float64{float64(r) / 0xffff, float64(g) / 0xffff, float64(b) / 0xffff}
	for 1.05/(luminance(out)+0.05) < 4.5 {
		for i := range out {
			out[i] *= 0.95
		}
	}
	return color.RGBA{uint8(out[0] * 255), uint8(out[1] * 255), uint8(out[2] * 255), 255}
}

// luminance is the relative luminance of an sRGB colour, between 0 and 1.
func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, w := range [3]float64{0.2126, 0.7152, 0.0722} {
		v := c[i]
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += w * v
	}
	return sum
}

// sans is the type of all text. The global defaults of gonum/plot stay as they are.
func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

func letters(sty text.Style, size float64, c color.Color) text.Style {
	sty.Font, sty.Color = sans(size), c
	return sty
}
