package fwplot

import (
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink   = rgb(0x333333)
	pale  = rgb(0xDDDDDD)
	grey  = rgb(0x777777)
	paper = color.NRGBA{255, 255, 255, 216}   // behind a text on the data
	shade = color.NRGBA{0x77, 0x77, 0x77, 40} // what a bound forbids
)

// The sizes of text, in points, in a figure of one plot; in a wider one they grow, for a telephone shows
// each as wide as itself.
const (
	titleSize = 12.5
	labelSize = 11.0
	nameSize  = 11.0
	tickSize  = 10.0
)

func rgb(c uint32) color.RGBA {
	return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

// spare is what a line without a style of its own gets, in order.
var spare = []draw.LineStyle{
	stroke(0x777777, 3),
	stroke(0x777777, 1.8, 3, 5),
	stroke(0x777777, 1.8, 6, 2, 1, 2, 1, 2),
	stroke(0x777777, 2.4, 10, 5),
	stroke(0x777777, 2.4, 2, 4),
}

var boundStyle, theoryStyle = stroke(0x999999, 1, 4, 3), stroke(0x999999, 1.4)

// ramp is the colours of a parameter, from its least value up: a part of viridis, which gets darker all the
// way, so that a print in grey has the order, too.
var ramp = []color.RGBA{rgb(0x44BF70), rgb(0x21918C), rgb(0x3B528B), rgb(0x440154)}

// among are the colours of lines of which none is a method's, of the ramp, so that none is taken for one.
var among = []color.RGBA{rgb(0x440154), rgb(0x44BF70), rgb(0x3B528B), rgb(0x21918C), rgb(0x777777)}

// parameter finds the value of the parameter that a name ends with, as "m = 8".
var parameter = regexp.MustCompile(`^(.*= ?)([-−]?[0-9.]+(?:e[-−]?[0-9]+)?)$`)

// byParameter gives three or more lines whose names differ in such a value alone the colours of the ramp.
func byParameter(names []string, out []draw.LineStyle) {
	of := func(name string) (what string, v float64) {
		if m := parameter.FindStringSubmatch(name); m != nil {
			what = m[1]
			v, _ = strconv.ParseFloat(strings.ReplaceAll(m[2], "−", "-"), 64)
		}
		return what, v
	}
	values := map[string][]float64{}
	for _, n := range names {
		if what, v := of(n); what != "" && !slices.Contains(values[what], v) {
			values[what] = append(values[what], v)
			slices.Sort(values[what])
		}
	}
	for i, n := range names {
		what, v := of(n)
		if all := values[what]; len(all) >= 3 {
			at := float64(slices.Index(all, v)) / float64(len(all)-1)
			out[i] = draw.LineStyle{Color: onRamp(at), Width: vg.Points(1.8)}
		}
	}
}

// onRamp returns the colour at t, from 0 to 1.
func onRamp(t float64) color.Color {
	t *= float64(len(ramp) - 1)
	i := min(int(t), len(ramp)-2)
	a, b, s := ramp[i], ramp[i+1], t-float64(i)
	part := func(a, b uint8) uint8 { return uint8(math.Round(mix(float64(a), float64(b), s))) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}

func stroke(c uint32, width float64, dashes ...float64) draw.LineStyle {
	s := draw.LineStyle{Color: rgb(c), Width: vg.Points(width)}
	for _, d := range dashes {
		s.Dashes = append(s.Dashes, vg.Points(d))
	}
	return s
}

// Style returns the line style of a method, for lines that you draw. "SVRF, tuned" has the style of SVRF, and
// an unknown method a thick grey line.
func Style(method string) draw.LineStyle { return assign([]string{method})[0] }

// styled gives each line its style.
func styled(lines []series) {
	var names []string
	for _, l := range lines {
		names = append(names, l.name)
	}
	for i, s := range assign(names) {
		lines[i].style = s
	}
}

// assign returns one style for each name. A name that begins with a method's, as "SVRF, tuned", has that
// method's colour, and its dash too unless another line of the figure has it. What is no method is grey
// beside methods, and has other colours than theirs where there are none, or where one of them is grey.
func assign(names []string) []draw.LineStyle {
	out := make([]draw.LineStyle, len(names))
	taken := make(map[string]bool)
	for _, n := range names {
		taken[n] = true
	}
	var used []int // of spare
	fresh := func(from int) draw.LineStyle {
		k := from
		for k < len(spare) && slices.Contains(used, k) {
			k++
		}
		if used = append(used, k); k == len(spare) {
			k = from + len(used)%(k-from)
		}
		return spare[k]
	}
	for i, n := range names {
		m := methodOf(n)
		own := stroke(m.Colour, m.Width, m.Dashes...)
		switch {
		case m.Name == "":
			out[i] = fresh(0)
		case n == m.Name || !taken[m.Name]:
			taken[m.Name] = true
			out[i] = own
		default:
			out[i] = fresh(1) // all but the solid one
			out[i].Color = own.Color
		}
	}
	alone := len(used) == len(names) && len(used) > 1
	for i, n := range names {
		if alone || taken["FISTA"] && methodOf(n).Name == "" {
			out[i].Color = among[i%len(among)]
		}
	}
	byParameter(names, out)
	return out
}

// methodOf returns the method with a style that a name begins with, the longest, or one without a name.
func methodOf(name string) (of fwopt.Entry) {
	for _, m := range fwopt.Methods() {
		rest, ok := strings.CutPrefix(name, m.Name)
		ok = ok && m.Width > 0 && (rest == "" || strings.ContainsAny(rest[:1], " ,:;"))
		if ok && len(m.Name) > len(of.Name) {
			of = m
		}
	}
	return of
}

// readable returns a colour of the same hue that is dark enough for small text on white: contrast 4.5 to 1,
// as WCAG asks.
func readable(c color.Color) color.Color {
	out := shares(c)
	for 1.05/(luminance(out)+0.05) < 4.5 {
		for i := range out {
			out[i] *= 0.95
		}
	}
	return color.RGBA{uint8(out[0] * 255), uint8(out[1] * 255), uint8(out[2] * 255), 255}
}

// shares returns red, green and blue, from 0 to 1.
func shares(c color.Color) [3]float64 {
	r, g, b, _ := c.RGBA()
	return [3]float64{float64(r) / 0xffff, float64(g) / 0xffff, float64(b) / 0xffff}
}

// luminance is the relative luminance of an sRGB colour, between 0 and 1.
func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, w := range [3]float64{0.2126, 0.7152, 0.0722} {
		v := math.Pow((c[i]+0.055)/1.055, 2.4)
		if c[i] <= 0.04045 {
			v = c[i] / 12.92
		}
		sum += w * v
	}
	return sum
}

// faint returns a colour through which one sees.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 51}
}

// sans is the type of all text. The global defaults of gonum/plot stay as they are.
func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

func letters(sty text.Style, size float64) text.Style {
	sty.Font, sty.Color = sans(size), ink
	return sty
}
