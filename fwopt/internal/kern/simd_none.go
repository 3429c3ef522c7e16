//go:build !amd64 || purego

package kern

const built = false

// Here only the plain twins run. The kernels' arguments have names in simd_stub_amd64.go.

func hasVectors() bool { return false }
func hasWide() bool    { return false }

const none = "kern: no vector kernels in this build"

func gatherRows(*float64, int, *float64, int, *float64, int, int, *int32, *int32, int) int {
	panic(none)
}
func gatherAllRows(*float64, int, *float64, int, *float64, int) { panic(none) }
func gatherMany(*float64, int, *float64, int, *float64, int, *int32, *int32, int, *int, int, int) int {
	panic(none)
}
func scatterRows(*float64, int, *float64, int, *float64, int, int, *int32, *int32, int) int {
	panic(none)
}
func outerRows(*float64, *float64, int, *float64, int) int                            { panic(none) }
func lerpRows(*float64, *float64, *float64, int, *float64, int, float64, float64) int { panic(none) }
func addRows(*float64, *float64, int, *float64, int, float64) int                     { panic(none) }
func subRows(*float64, *float64, *float64, int, *float64, int) int                    { panic(none) }
func exps(*float64, *float64, int, float64, *[32]float64)                             { panic(none) }
func maxAll(*float64, int) float64                                                    { panic(none) }
func tiles4(*float64, int, *float64, int, int, int, *float64, int, int, int, float64, int, *float64) {
	panic(none)
}
func tiles8(*float64, int, *float64, int, int, int, *float64, int, int, int, float64, int, *float64) {
	panic(none)
}
func tiles12(*float64, int, *float64, int, int, int, *float64, int, int, int, float64, int, *float64) {
	panic(none)
}
func pairs24(*float64, int, *float64, int, int, int, *float64, int, int, int, float64, int) {
	panic(none)
}
func transpose4(*float64, int, *float64, int, int)                                   { panic(none) }
func dots4(*float64, *float64, int, *float64, int, int)                              { panic(none) }
func combine4(*float64, *float64, int, *float64, int, int)                           { panic(none) }
func symmetric4(*float64, *float64, *float64, int, *float64, *float64, int)          { panic(none) }
func polesUp(*[12]float64, *float64, *float64, *float64, int, int, float64, float64) { panic(none) }
func ratios(*float64, *float64, *float64, float64, int)                              { panic(none) }
func quotients(*[4]float64, *float64, *float64, *float64, int)                       { panic(none) }
func totals(*float64, int, uint64, *float64, *float64)                               { panic(none) }
func aboves(*float64, *float64, int, uint64, float64, float64) int                   { panic(none) }
func shrinks(*float64, *float64, int, uint64, float64, float64)                      { panic(none) }
func dotRows(*float64, *float64, uint32, *int, int, *int32, *float64, int) int       { panic(none) }
func fetchAll(*float64, int)                                                         { panic(none) }
func gapRows(*float64, *float64, *float64, int, *float64, int, *float64)             { panic(none) }
