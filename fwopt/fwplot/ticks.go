package fwplot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// logScale is a logarithmic axis that never panics: values that are not positive are far off its low end.
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

// logLimits returns limits that a logarithmic axis can have: positive, apart, finite and of full precision.
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

// ticks marks an axis with at most max labels. A logarithmic axis has a label at powers of ten, and at 1, 2
// and 5 (or 1 and 3) times these where it shows fewer than three; a linear one at multiples of 1, 2 or 5.
type ticks struct {
	log bool
	max int
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(lo, hi float64) []plot.Tick {
	if !t.log {
		return t.linear(lo, hi)
	}
	lo, hi = logLimits(lo, hi)
	e0 := int(math.Ceil(math.Log10(lo) - eps))
	e1 := int(math.Floor(math.Log10(hi) + eps))
	n, stride, sets := e1-e0+1, 1, []string{"125", "13", "1"}
	if n >= 3 {
		stride, sets = (n+t.max-1)/t.max, sets[2:]
	}
	plain := e0 >= -2 && hi < 1e4 && (n >= 3 || lo > 0.0099)
	for _, set := range sets {
		var all []plot.Tick
		labels := 0
		for e := e0 - 1; e <= e1+1; e++ {
			for m := 1; m <= 9; m++ {
				v := times(m, e)
				out := !finite(v) || v < lo*(1-eps) || v > hi*(1+eps)
				if out || m > 1 && n > 5 || n > 40 && e%stride != 0 {
					continue
				}
				tick := plot.Tick{Value: min(max(v, lo), hi)}
				if e%stride == 0 && strings.Contains(set, strconv.Itoa(m)) {
					tick.Label = write(v, -1, plain || e == 0)
					labels++
				}
				all = append(all, tick)
			}
		}
		if n >= 3 || labels >= 2 && labels <= t.max {
			return all
		}
	}
	return t.linear(lo, hi)
}

const eps = 1e-9 // a limit that is a power of ten but for rounding has its tick

// times returns m·10^e, correctly rounded.
func times(m, e int) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(m)+"e"+strconv.Itoa(e), 64)
	return v
}

// linear returns ticks at the least step, 1, 2 or 5 times a power of ten, that gives few labels.
func (t ticks) linear(lo, hi float64) []plot.Tick {
	if !finite(lo) || !finite(hi) || !(hi-lo > 1e-300) || !finite(hi-lo) {
		return nil
	}
	for e := int(math.Floor(math.Log10((hi-lo)/float64(t.max)))) - 1; ; e++ {
		for _, m := range [...]int{1, 2, 5} {
			step := times(m, e)
			i0, i1 := math.Ceil(lo/step-eps), math.Floor(hi/step+eps)
			if i1-i0 >= float64(t.max) {
				continue
			}
			if math.Abs(i0) > 1<<40 || math.Abs(i1) > 1<<40 { // no room between the numbers
				return nil
			}
			var out []plot.Tick
			top := math.Floor(math.Log10(max(math.Abs(lo), math.Abs(hi))))
			for i := i0; i <= i1; i++ {
				label := "0"
				if i != 0 {
					label = write(times(int(i)*m, e), max(0, -e), top >= -3 && top < 6)
				}
				out = append(out, plot.Tick{Value: min(max(i*step, lo), hi), Label: label})
			}
			return out
		}
	}
}

// number writes v with the given number of digits, as 0.0123, 1.2e6 or 3e−7.
func number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	if a := math.Abs(v); a >= 1e-3 && a < 1e5 || v == 0 {
		r, _ := strconv.ParseFloat(s, 64)
		return write(r, -1, true)
	}
	return exponent(s)
}

// write writes v plainly, as 0.0020 with four decimals and 0.002 with −1, or as 2e−3.
func write(v float64, decimals int, plain bool) string {
	if plain {
		return minus(strconv.FormatFloat(v, 'f', decimals, 64))
	}
	return exponent(strconv.FormatFloat(v, 'e', -1, 64))
}

// exponent writes 2e+06 as 2e6.
func exponent(s string) string {
	return minus(strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(s))
}

// minus writes minus signs, U+2212. The font lacks most superscripts, so that powers are written 1e−3.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// logRange returns the limits of a logarithmic axis that shows [lo, hi]: a little more, and at least from
// one 1, 2 or 5 times a power of ten to the next.
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
	a, b := lo, math.Inf(1)
	e := int(math.Floor(math.Log10(lo)))
	for k := e - 1; k <= e+2; k++ {
		for _, m := range [...]int{1, 2, 5} {
			v := times(m, k)
			if v > 0 && v <= lo*0.999 {
				a = v
			}
			if v >= hi*1.001 {
				b = min(b, v)
			}
		}
	}
	if !finite(b) {
		b = hi
	}
	return a, b
}

// around returns the limits of an axis that shows a span.
func around(log bool, s span) (lo, hi float64) {
	if log {
		return logRange(s.lo, s.hi)
	}
	return linRange(s.lo, s.hi)
}

// linRange returns the limits of a linear axis that shows [lo, hi]: 4 % more, but nothing negative if there
// is nothing negative to show.
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
