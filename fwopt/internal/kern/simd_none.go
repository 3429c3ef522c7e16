//go:build !amd64 || purego

package kern

const built = false

// Here only the plain twins run.

func hasVectors() bool { return false }
func hasWide() bool    { return false }

const none = "kern: no vector kernels in this build"

func gatherRows(dst *float64, h int, w *float64, stride int, val *float64, n int, limit int, idx *int32,
	next *int32, ahead int) int {
	panic(none)
}

func gatherAllRows(dst *float64, h int, w *float64, stride int, val *float64, n int) { panic(none) }

func gatherMany(dst *float64, h int, w *float64, stride int, val *float64, limit int, idx *int32, next *int32,
	fetch int, ptr *int, rows int, fresh int) int {
	panic(none)
}

func scatterRows(w *float64, stride int, p *float64, h int, val *float64, n int, limit int, idx *int32,
	next *int32, ahead int) int {
	panic(none)
}

func outerRows(x *float64, u *float64, h int, v *float64, n int) int { panic(none) }

func lerpRows(dst *float64, x *float64, u *float64, h int, v *float64, n int, a float64, b float64) int {
	panic(none)
}

func addRows(x *float64, u *float64, h int, v *float64, n int, a float64) int { panic(none) }

func subRows(dst *float64, x *float64, u *float64, h int, v *float64, n int) int { panic(none) }

func exps(dst *float64, s *float64, n int, m float64, root *[32]float64) { panic(none) }

func maxAll(s *float64, n int) float64 { panic(none) }

func tiles4(c *float64, ldc int, a *float64, ai int, al int, an int, b *float64, bl int, k int, blocks int,
	alpha float64, fresh int, next *float64) {
	panic(none)
}

func tiles8(c *float64, ldc int, a *float64, ai int, al int, an int, b *float64, bl int, k int, blocks int,
	alpha float64, fresh int, next *float64) {
	panic(none)
}

func tiles12(c *float64, ldc int, a *float64, ai int, al int, an int, b *float64, bl int, k int, blocks int,
	alpha float64, fresh int, next *float64) {
	panic(none)
}

func pairs24(c *float64, ldc int, a *float64, ai int, al int, an int, b *float64, bl int, k int, blocks int,
	alpha float64, fresh int) {
	panic(none)
}

func transpose4(dst *float64, step int, src *float64, stride int, n int) { panic(none) }

func dots4(dst *float64, a *float64, stride int, q *float64, n int, blocks int) { panic(none) }

func combine4(d *float64, a *float64, stride int, x *float64, n int, blocks int) { panic(none) }

func symmetric4(y *float64, t *float64, a *float64, stride int, x *float64, c *float64, n int) {
	panic(none)
}

func totals(x *float64, n int, mask uint64, sum *float64, top *float64) { panic(none) }

func aboves(dst *float64, x *float64, n int, mask uint64, top float64, least float64) int {
	panic(none)
}

func shrinks(dst *float64, x *float64, n int, mask uint64, top float64, theta float64) { panic(none) }

func dotRows(dst *float64, w *float64, last uint32, ptr *int, rows int, idx *int32, val *float64,
	fresh int) int {
	panic(none)
}

func fetchAll(p *float64, n int) { panic(none) }

func gapRows(grad *float64, x *float64, u *float64, h int, v *float64, n int, sums *float64) {
	panic(none)
}

func polesUp(sums *[12]float64, delta *float64, pole *float64, zeta *float64, step int, n int, org float64,
	x float64) {
	panic(none)
}

func ratios(z *float64, delta *float64, pole *float64, at float64, n int) { panic(none) }

func quotients(sums *[4]float64, dst *float64, x *float64, y *float64, n int) { panic(none) }
