package fwplot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// logScale is a logarithmic axis that never panics: values that are not
// positive are far off its low end.
type logScale struct{}

// Normalize returns where x is between lo and hi, as a fraction of the axis.
func (logScale) Normalize(lo, hi, x float64) float64 {
	lo, hi = logLimits(lo, hi)
	l, h := math.Log(lo), math.Log(hi)
	if !(x > 0) {
		return -1
	}
	return max(-1, (math.Log(x)-l)/(h-l))
}

// logLimits returns limits that a logarithmic axis can have: positive, apart,
// and neither infinite nor too small for full precision.
func logLimits(lo, hi float64) (float64, float64) {
	if !(hi > 1e-300) || math.IsInf(hi, 0) {
		return 1, 10
	}
	if !(lo > 0) {
		lo = hi * 1e-6
	}
	if lo >= hi {
		lo = hi / 10
	}
	return max(lo, 1e-301), hi
}

// ticks marks an axis with at most max labels. A logarithmic axis has a label
// at powers of ten, and at 1, 2 and 5 (or 1 and 3) times these where it shows
// fewer than three of them; a linear one at multiples of 1, 2 or 5.
type ticks struct {
	log bool
	max int
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(lo, hi float64) []plot.Tick {
	if t.log {
		lo, hi = logLimits(lo, hi)
		return t.logTicks(lo, hi)
	}
	return t.linTicks(lo, hi)
}

func (t ticks) logTicks(lo, hi float64) []plot.Tick {
	const eps = 1e-9 // a limit that is a power of ten but for rounding has its tick
	e0 := int(math.Ceil(math.Log10(lo) - eps))
	e1 := int(math.Floor(math.Log10(hi) + eps))
	n := e1 - e0 + 1
	if n < 3 {
		return t.shortTicks(lo, hi, e0-1, e1)
	}
	stride := (n + t.max - 1) / t.max
	plain := e0 >= -2 && e1 <= 3
	var out []plot.Tick
	for e := e0 - 1; e <= e1; e++ {
		if v := math.Pow10(e); e >= e0 {
			tick := plot.Tick{Value: min(max(v, lo), hi)}
			if e%stride == 0 {
				tick.Label = power(1, e, plain)
			}
			if e%stride == 0 || n <= 40 {
				out = append(out, tick)
			}
		}
		for m := 2; m <= 9 && n <= 5; m++ {
			if v := times(m, e); v >= lo && v <= hi {
				out = append(out, plot.Tick{Value: v})
			}
		}
	}
	return out
}

// shortTicks marks an axis with fewer than three powers of ten.
func (t ticks) shortTicks(lo, hi float64, e0, e1 int) []plot.Tick {
	const eps = 1e-9
	plain := lo > 0.0099 && hi < 10000
	for _, set := range []string{"125", "13", "1"} {
		var out []plot.Tick
		labels := 0
		for e := e0; e <= e1+1; e++ {
			for m := 1; m <= 9; m++ {
				v := times(m, e)
				if v < lo*(1-eps) || v > hi*(1+eps) {
					continue
				}
				tick := plot.Tick{Value: min(max(v, lo), hi)}
				if strings.Contains(set, strconv.Itoa(m)) {
					tick.Label = power(m, e, plain)
					labels++
				}
				out = append(out, tick)
			}
		}
		if labels >= 2 && labels <= t.max {
			return out
		}
	}
	return t.linTicks(lo, hi)
}

// times returns m·10^e, correctly rounded.
func times(m, e int) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(m)+"e"+strconv.Itoa(e), 64)
	return v
}

// power writes m·10^e, plainly or as 2e−3.
func power(m, e int, plain bool) string {
	switch {
	case plain:
		return strconv.FormatFloat(times(m, e), 'f', -1, 64)
	case e == 0:
		return strconv.Itoa(m)
	}
	return minus(strconv.Itoa(m) + "e" + strconv.Itoa(e))
}

func (t ticks) linTicks(lo, hi float64) []plot.Tick {
	if !finite(lo) || !finite(hi) || !(hi-lo > 1e-300) || !finite(hi-lo) {
		return nil
	}
	// the least step 1, 2 or 5 times a power of ten that gives few labels
	e := int(math.Floor(math.Log10((hi-lo)/float64(t.max)))) - 1
	for ; ; e++ {
		for _, m := range [...]int{1, 2, 5} {
			step := times(m, e)
			const eps = 1e-9
			i0, i1 := math.Ceil(lo/step-eps), math.Floor(hi/step+eps)
			if i1-i0 >= float64(t.max) {
				continue
			}
			if math.Abs(i0) > 1<<40 || math.Abs(i1) > 1<<40 { // no room between the numbers
				return nil
			}
			var out []plot.Tick
			for i := i0; i <= i1; i++ {
				out = append(out, plot.Tick{
					Value: min(max(i*step, lo), hi),
					Label: multiple(i*float64(m), e, max(math.Abs(lo), math.Abs(hi))),
				})
			}
			return out
		}
	}
}

// multiple writes i·10^e on an axis whose largest value is big: as 200000, or 2e6 if that is long.
func multiple(i float64, e int, big float64) string {
	if i == 0 {
		return "0"
	}
	top := int(math.Floor(math.Log10(big)))
	if top >= -3 && top < 6 {
		return minus(strconv.FormatFloat(i*math.Pow(10, float64(e)), 'f', max(0, -e), 64))
	}
	top = e + int(math.Floor(math.Log10(math.Abs(i))+1e-9))
	s := strconv.FormatFloat(i*math.Pow(10, float64(e-top)), 'f', max(0, top-e), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return minus(s + "e" + strconv.Itoa(top))
}

// number writes v with the given number of digits, as 0.0123, 1.2e6 or 3e−7.
func number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	if a := math.Abs(v); a >= 1e-3 && a < 1e5 || v == 0 {
		r, _ := strconv.ParseFloat(s, 64)
		return minus(strconv.FormatFloat(r, 'f', -1, 64))
	}
	if m, e, ok := strings.Cut(s, "e"); ok {
		n, _ := strconv.Atoi(e)
		s = m + "e" + strconv.Itoa(n)
	}
	return minus(s)
}

// minus replaces hyphens by minus signs, U+2212, which the font has. It lacks
// most superscripts, so that powers are written 1e−3.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// logRange returns the limits of a logarithmic axis that shows [lo, hi]: a
// little more, and at least from one 1, 2 or 5 times a power of ten to the next.
func logRange(lo, hi float64) (float64, float64) {
	if !(lo > 0) || !(hi >= lo) || math.IsInf(hi, 0) {
		return logLimits(lo, hi)
	}
	if hi/lo >= 10 {
		pad := math.Pow(hi/lo, 0.03)
		if a, b := lo/pad, hi*pad; a > 0 && finite(b) {
			return a, b
		}
		return lo, hi
	}
	a, b := lo, hi
	e := int(math.Floor(math.Log10(lo)))
	for k := e - 1; k <= e+1; k++ {
		for _, m := range [...]int{1, 2, 5} {
			if v := times(m, k); v > 0 && v <= lo*0.999 {
				a = v
			}
		}
	}
	for k := e + 2; k >= e; k-- {
		for _, m := range [...]int{5, 2, 1} {
			if v := times(m, k); finite(v) && v >= hi*1.001 {
				b = v
			}
		}
	}
	return a, b
}

// linRange returns the limits of a linear axis that shows [lo, hi]: 4 % more,
// but nothing negative if there is nothing negative to show.
func linRange(lo, hi float64) (float64, float64) {
	if !(lo <= hi) {
		return 0, 1
	}
	pad := 0.04 * (hi - lo)
	if pad <= 1e-12*max(math.Abs(lo), math.Abs(hi)) { // a flat line
		pad = 0.1 * max(math.Abs(lo), math.Abs(hi))
		if pad == 0 {
			return -1, 1
		}
	}
	a, b := lo-pad, hi+pad
	if lo >= 0 {
		a = max(a, 0)
	}
	if !finite(a) || !finite(b) {
		return lo, hi
	}
	return a, b
}

// silentTicks are ticks without labels.
type silentTicks struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (t silentTicks) Ticks(lo, hi float64) []plot.Tick {
	out := slices.Clone(t.Ticker.Ticks(lo, hi))
	for i := range out {
		out[i].Label = ""
	}
	return out
}
