//go:build !amd64 || purego

package kern

const built = false

// Here only the plain twins run.

func hasVectors() bool { return false }

const none = "kern: no vector kernels in this build"

func gatherRows(dst *float64, h int, w *float64, stride int, val *float64, n int, limit int, idx *int32, next *int32, ahead int) int {
	panic(none)
}

func gatherAllRows(dst *float64, h int, w *float64, stride int, val *float64, n int) { panic(none) }

func gatherMany(dst *float64, h int, w *float64, stride int, val *float64, limit int, idx *int32, next *int32, fetch int, ptr *int, rows int, fresh int) int {
	panic(none)
}

func scatterRows(w *float64, stride int, p *float64, h int, val *float64, n int, limit int, idx *int32, next *int32, ahead int) int {
	panic(none)
}

func outerRows(x *float64, u *float64, h int, v *float64, n int) int { panic(none) }

func lerpRows(x *float64, u *float64, h int, v *float64, n int, a float64, b float64) int {
	panic(none)
}

func addRows(x *float64, u *float64, h int, v *float64, n int, a float64) int { panic(none) }

func subRows(dst *float64, x *float64, u *float64, h int, v *float64, n int) int { panic(none) }

func exps(dst *float64, s *float64, n int, m float64, root *[32]float64) { panic(none) }

func maxAll(s *float64, n int) float64 { panic(none) }
