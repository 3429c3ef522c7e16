//go:build !purego

package kern

// built says that this build has the kernels.
const built = true

// hasVectors reports whether the processor has AVX2 and FMA, and the operating system
// keeps the upper halves of the vector registers.
func hasVectors() bool {
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	const fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28
	if _, _, c, _ := cpuid(1, 0); c&fma == 0 || c&osxsave == 0 || c&avx == 0 {
		return false
	}
	const xmm, ymm = 1 << 1, 1 << 2
	if kept := xgetbv(); kept&xmm == 0 || kept&ymm == 0 {
		return false
	}
	const avx2 = 1 << 5
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

// hasWide reports whether, beside that, the processor has AVX-512F, and the operating
// system keeps its registers.
func hasWide() bool {
	const masks, upper, more, avx512f = 1 << 5, 1 << 6, 1 << 7, 1 << 16
	if !hasVectors() || xgetbv()&(masks|upper|more) != masks|upper|more {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx512f != 0
}
