package fwplot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// Every method of Table 2 has a style of its own, of dashes if it reduces no
// variance; another row of the same method is a variant of it.
func TestStyleOfEachRow(t *testing.T) {
	for _, e := range fwopt.Methods() {
		name := e.Name
		if e.Colour == 0 {
			continue
		}
		s := Style(name)
		if r, g, b, _ := s.Color.RGBA(); r>>8<<16|g>>8<<8|b>>8 != e.Colour {
			t.Errorf("%s is drawn in %v, not in %06x", name, s.Color, e.Colour)
		}
		if reduced := name == "SVRF" || strings.HasPrefix(name, "STORC"); reduced != (len(s.Dashes) == 0) {
			t.Errorf("%s: dashes %v", name, s.Dashes)
		}
	}
	s := assign([]string{"Online-FW", "Online-FW, linearised"})
	if s[0].Color != s[1].Color || slices.Equal(s[0].Dashes, s[1].Dashes) {
		t.Errorf("the two rows of Online-FW: %+v, %+v", s[0], s[1])
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
	if s := assign([]string{"STORC, adaptive, no memory", "STORC", "STORCish"}); s[0].Color != Style("STORC, adaptive").Color || s[2].Color != grey {
		t.Errorf("the longest name of a method, and no part of a word: %+v", s)
	}
}

// For the colour-blind two methods differ by 10 at least in the CIE 1976 distance,
// where 2 can be seen side by side. The matrices, of linear RGB, are of Machado,
// Oliveira and Fernandes, IEEE TVCG 15, 2009, at full severity.
func TestColourBlind(t *testing.T) {
	for sight, m := range map[string][3][3]float64{
		"normal":   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"no red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"no green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"no blue":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	} {
		lab := func(i int) [3]float64 {
			r, g, b, _ := methods()[i].style.Color.RGBA()
			var c, seen, xyz [3]float64
			for j, v := range [3]uint32{r, g, b} {
				only := [3]float64{}
				only[1] = float64(v) / 0xffff
				c[j] = luminance(only) / 0.7152 // linear
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
			for j, v := range times([3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2126, 0.7152, 0.0722}, {0.0177, 0.1095, 0.8728}}, seen) { // over white
				if xyz[j] = math.Cbrt(v); v < 0.008856 {
					xyz[j] = 7.787*v + 16./116
				}
			}
			return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
		}
		for i, a := range methods() {
			for j, b := range methods()[:i] {
				p, q := lab(i), lab(j)
				if d := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2])); d < 10 {
					t.Errorf("%s: %s and %s are %.1f apart", sight, a.name, b.name, d)
				}
			}
		}
	}
}
