package fwplot

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methods are those with a style.
func methods() []fwopt.Entry {
	return slices.DeleteFunc(fwopt.Methods(), func(e fwopt.Entry) bool { return e.Width == 0 })
}

// Lines of one figure are told apart by colour or dashes, and not by the width alone.
func TestVariants(t *testing.T) {
	for _, names := range [][]string{
		{"STORC", "STORC, adaptive"},
		{"STORC", "STORC, theorem"},
		{"STORC, adaptive", "STORC, adaptive, no memory", "STORC"},
		{"SVRF, tuned", "mine", "SVRF", "SVRF: m", "SVRF with m = 10"},
		{"SFW", "SCGS", "SVRF", "STORC", "SGD", "SVRG", "STORC, adaptive", "FISTA"},
		{"FW", "SVRF", "FISTA", "theirs", "theirs, too"},
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
	for _, s := range assign([]string{"SVRF", "FISTA", "theirs"})[2:] { // a width does not tell two greys apart
		if s.Color == Style("FISTA").Color {
			t.Errorf("beside FISTA another is grey: %+v", s)
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

// For the colour-blind two methods differ by 10 at least in the CIE 1976 distance, where 2 can be seen. The
// matrices, of linear RGB, are of Machado, Oliveira and Fernandes, IEEE TVCG 15, 2009.
func TestColourBlind(t *testing.T) {
	type matrix [3][3]float64
	times := func(m matrix, v [3]float64) (out [3]float64) {
		for j, row := range m {
			out[j] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
		}
		return out
	}
	overWhite := matrix{{0.4339, 0.3762, 0.1899}, {0.2126, 0.7152, 0.0722}, {0.0177, 0.1095, 0.8728}}
	for sight, m := range map[string]matrix{
		"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"no red": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
			{-0.003882, -0.048116, 1.051998}},
		"no green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
			{-0.011820, 0.042940, 0.968881}},
		"no blue": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
			{0.004733, 0.691367, 0.303900}},
	} {
		var labs [][]float64
		for i, method := range methods() {
			c := shares(Style(method.Name).Color)
			for j, v := range c {
				c[j] = luminance([3]float64{0, v, 0}) / 0.7152 // linear
			}
			seen := times(m, c)
			for j, v := range seen {
				seen[j] = min(1, max(0, v))
			}
			xyz := times(overWhite, seen)
			for j, v := range xyz {
				if xyz[j] = math.Cbrt(v); v < 0.008856 {
					xyz[j] = 7.787*v + 16./116
				}
			}
			labs = append(labs, []float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])})
			for j, b := range methods()[:i] {
				if d := floats.Distance(labs[i], labs[j], 2); d < 10 {
					t.Errorf("%s: %s and %s are %.1f apart, want 10: change the Colour of an Entry", sight,
						method.Name, b.Name, d)
				}
			}
		}
	}
}

// A method has its own style, with dashes unless it is SVRF or a STORC. Two styles differ in dash, in width or
// clearly in grey, so that a print tells them apart; and those of methods in colour.
func TestStyles(t *testing.T) {
	styles := append(slices.Clone(spare), boundStyle)
	for _, m := range methods() {
		own := Style(m.Name)
		same := func(s draw.LineStyle) bool { return s.Color == own.Color }
		if own.Color != rgb(m.Colour) || own.Width != vg.Points(m.Width) ||
			len(own.Dashes) != len(m.Dashes) || slices.ContainsFunc(styles[len(spare)+1:], same) {
			t.Errorf("%s is drawn in %v, or has the colour of another method", m.Name, own)
		}
		solid := m.Name == "SVRF" || strings.HasPrefix(m.Name, "STORC")
		if solid != (len(own.Dashes) == 0) {
			t.Errorf("%s: dashes %v", m.Name, own.Dashes)
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

// The browser's race has a copy of the dashes of FW's second line, for it does not link this package.
func TestLiveDashes(t *testing.T) {
	src, err := os.ReadFile("../../notebooks/site/live/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range assign([]string{"FW", "FW, line search"})[1].Dashes {
		want = append(want, fmt.Sprint(d.Points()))
	}
	copied := `out["FW, line search"] = style(e.Colour, e.Width, []float64{` + strings.Join(want, ", ") + "})"
	if !strings.Contains(string(src), copied) {
		t.Errorf("live/main.go has not %s", copied)
	}
}
