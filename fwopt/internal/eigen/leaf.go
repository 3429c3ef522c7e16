package eigen

import "math"

// leaf finds the eigenvalues of the part from lo to hi by the QL method with implicit
// shifts (Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968), and turns the rows of q,
// of the unit matrix at first, into its vectors. It overwrites e[lo:hi] and reports
// whether it converged.
func (t *divider) leaf(lo, hi int) bool {
	n, d, e := t.n, t.d, t.e
	for i := lo; i < hi; i++ {
		t.q[i*n+i] = 1
	}
	for l := lo; l < hi; l++ {
		for iter := 0; ; iter++ {
			m := l
			for m < hi-1 && math.Abs(e[m]) > max(negligible, 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1]))) {
				m++
			}
			if m == l {
				break
			}
			if iter == 60 {
				return false
			}
			t.sweep(lo, hi, l, m)
		}
	}
	return true
}

// sweep is one step of the QL method on the rows l to m, of the part from lo to hi.
func (t *divider) sweep(lo, hi, l, m int) {
	n, d, e := t.n, t.d, t.e
	g := (d[l+1] - d[l]) / (2 * e[l])
	r := math.Copysign(math.Sqrt(float64(g*g)+1), g)
	g = d[m] - d[l] + e[l]/(g+r)
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := float64(s*e[i]), float64(c*e[i])
		r = math.Sqrt(float64(f*f) + float64(g*g))
		if r < negligible { // a part of its own ends here
			d[i+1] -= p
			e[i+1], e[m] = 0, 0
			return
		}
		e[i+1] = r
		s, c = f/r, g/r
		g = d[i+1] - p
		r = float64((d[i]-g)*s) + float64(2*c*b)
		p = float64(s * r)
		d[i+1] = g + p
		g = float64(c*r) - b
		turn(t.q[i*n+lo:i*n+hi], t.q[(i+1)*n+lo:(i+1)*n+hi], c, -s)
	}
	d[l] -= p
	e[l], e[m] = g, 0
}
