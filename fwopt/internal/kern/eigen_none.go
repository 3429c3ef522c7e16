//go:build !amd64 || purego

package kern

func polesUp(sums *[12]float64, delta *float64, pole *float64, zeta *float64, step int, n int, org float64, x float64) {
	panic(none)
}

func ratios(z *float64, delta *float64, pole *float64, at float64, n int) { panic(none) }

func quotients(sums *[4]float64, dst *float64, x *float64, y *float64, n int) { panic(none) }
