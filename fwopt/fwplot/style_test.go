package fwplot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methods are those with a style.
func methods() []fwopt.Entry {
	return slices.DeleteFunc(fwopt.Methods(), func(e fwopt.Entry) bool { return e.Width == 0 })
}

// Every method of Table 2 has a style of its own, of dashes if it reduces no
// variance.
func TestStyleOfEachRow(t *testing.T) {
	for _, e := range methods() {
		name, s := e.Name, Style(e.Name)
		if s.Color != rgb(e.Colour) || s.Width != vg.Points(e.Width) {
			t.Errorf("%s is drawn in %v, %v wide, not in %06x", name, s.Color, s.Width, e.Colour)
		}
		if reduced := name == "SVRF" || strings.HasPrefix(name, "STORC"); reduced != (len(s.Dashes) == 0) {
			t.Errorf("%s: dashes %v", name, s.Dashes)
		}
	}
}

// Lines of one figure are told apart by colour or dashes, and not by the width alone.
func TestVariants(t *testing.T) {
	for _, names := range [][]string{
		{"STORC", "STORC, adaptive"},
		{"STORC", "STORC, theorem"},
		{"STORC, adaptive", "STORC, adaptive, no memory", "STORC"},
		{"SVRF, tuned", "mine", "SVRF", "SVRF: m", "SVRF with m = 10"},
		{"SFW", "SCGS", "SVRF", "STORC", "SGD", "SVRG", "STORC, adaptive", "FISTA"},
		{"SFW", "SFW, drawn singly", "SCGS", "SCGS, drawn singly", "theirs"},
	} {
		s := assign(names)
		for i := range s {
			for j := range i {
				if s[i].Color == s[j].Color && slices.Equal(s[i].Dashes, s[j].Dashes) {
					t.Errorf("%s and %s: %+v, %+v", names[j], names[i], s[j], s[i])
				}
			}
		}
	}
	// a variant has the colour of its method: of the longest name, and no part of a word
	names := []string{"SVRF", "SVRF, tuned", "STORC (theorem)", "STORC", "STORC, adaptive, no memory",
		"Online-FW, linearised", "mine", "STORCish"}
	s := assign(names)
	for i, of := range []string{"SVRF", "SVRF", "STORC", "STORC", "STORC, adaptive", "Online-FW", "mine",
		"mine"} {
		if s[i].Color != Style(of).Color {
			t.Errorf("%s: %+v, want the colour of %q", names[i], s[i], of)
		}
	}
	if s[3].Width != Style("STORC").Width || Style("SVRF, tuned").Width != s[0].Width {
		t.Errorf("a method beside its variant: %+v; a variant alone: %+v", s[3], Style("SVRF, tuned"))
	}
}

// For the colour-blind two methods differ by 10 at least in the CIE 1976 distance,
// where 2 can be seen side by side. The matrices, of linear RGB, are of Machado,
// Oliveira and Fernandes, IEEE TVCG 15, 2009, at full severity.
func TestColourBlind(t *testing.T) {
	for sight, m := range map[string][3][3]float64{
		"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"no red": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
			{-0.003882, -0.048116, 1.051998}},
		"no green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
			{-0.011820, 0.042940, 0.968881}},
		"no blue": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
			{0.004733, 0.691367, 0.303900}},
	} {
		lab := func(i int) [3]float64 {
			var c, seen, xyz [3]float64
			for j, v := range shares(Style(methods()[i].Name).Color) {
				c[j] = luminance([3]float64{0, v, 0}) / 0.7152 // linear
			}
			times := func(m [3][3]float64, v [3]float64) (out [3]float64) {
				for j, row := range m {
					for k, a := range row {
						out[j] += a * v[k]
					}
				}
				return out
			}
			seen = times(m, c)
			for j, v := range seen {
				seen[j] = min(1, max(0, v))
			}
			for j, v := range times([3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2126, 0.7152, 0.0722},
				{0.0177, 0.1095, 0.8728}}, seen) { // over white
				if xyz[j] = math.Cbrt(v); v < 0.008856 {
					xyz[j] = 7.787*v + 16./116
				}
			}
			return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
		}
		for i, a := range methods() {
			for j, b := range methods()[:i] {
				p, q := lab(i), lab(j)
				if d := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) +
					(p[2]-q[2])*(p[2]-q[2])); d < 10 {
					t.Errorf("%s: %s and %s are %.1f apart", sight, a.Name, b.Name, d)
				}
			}
		}
	}
}

// Two styles differ in dash, in width or clearly in grey, so that a print tells them apart;
// and those of methods in colour.
func TestStyles(t *testing.T) {
	styles := append(slices.Clone(spare), boundStyle)
	for _, m := range methods() {
		own := Style(m.Name)
		if slices.ContainsFunc(styles[len(spare)+1:], func(s draw.LineStyle) bool { return s.Color == own.Color }) {
			t.Errorf("%s has the colour of another method", m.Name)
		}
		styles = append(styles, own)
	}
	for i, a := range styles {
		for _, b := range styles[:i] {
			if slices.Equal(a.Dashes, b.Dashes) && math.Abs(float64(a.Width-b.Width)) < 0.5 {
				t.Errorf("%+v and %+v are the same in grey", a, b)
			}
		}
		if contrast := 1.05 / (luminance(shares(readable(a.Color))) + 0.05); contrast < 4.5 {
			t.Errorf("text in %v has a contrast of %.2f", a.Color, contrast)
		}
	}
	if l := luminance([3]float64{1, 1, 1}); math.Abs(l-1) > 1e-12 {
		t.Errorf("luminance of white: %g", l)
	}
}
