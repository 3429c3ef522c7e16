package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tileRows are the rows of a tile: with 3 vectors of columns its sums fill 12 of the 16
// registers, so that the two units of FMA wait neither for sums nor for loads.
const tileRows = 4

// tiles writes the kernel of a column of tiles of 4 rows and n vectors each. A number of
// A is anywhere, those of B are in rows of n vectors.
func tiles(n int) {
	name := fmt.Sprint("tiles", n*lanes)
	kernel(name, "func(c *float64, ldc int, a *float64, ai, al, an int, b *float64, bl int, k, "+
		"blocks int, alpha float64, fresh int, next *float64)",
		"does C += α·A·B, or = if fresh is not 0, for tiles of 4 rows, blocks of them one below the",
		fmt.Sprintf("other, and %d columns: number i, l of A is ai·i + al·l bytes from a, the next tile's "+
			"begin an bytes", n*lanes),
		"on, row l of B bl bytes times l from b, row i of C ldc·i from c. A sum takes its k ≥ 1 terms in order,",
		"by FMA, from 0; α times that is added by FMA too. It asks for the memory from next on, one line for",
		"each two terms.")
	c, ldc, a, ai, al, b, bl := arg("c"), arg("ldc"), arg("a"), arg("ai"), arg("al"), arg("b"), arg("bl")
	ahead, pa, pb, k, ai3, ldc3 := arg("next"), GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: ai, Index: ai, Scale: 2}, ai3)
	LEAQ(Mem{Base: ldc, Index: ldc, Scale: 2}, ldc3)
	sum := registers(tileRows, n, YMM)
	Label("block")
	for i := range sum {
		for _, s := range sum[i] {
			VXORPD(s, s, s)
		}
		at := ofFour(c, ldc, ldc3, i) // C comes while the terms are added
		PREFETCHT0(at)
		at.Disp = n*vector - number
		PREFETCHT0(at)
	}
	MOVQ(a, pa)
	MOVQ(b, pb)
	MOVQ(param("k"), k)
	const unroll = 4
	SUBQ(Imm(unroll), k)
	JL(LabelRef("few"))
	Label("many")
	for l := range unroll {
		if l%2 == 0 {
			PREFETCHT0(Mem{Base: ahead, Disp: l / 2 * line})
		}
		tileTerm(sum, pa, ai, ai3, al, pb, bl)
	}
	ADDQ(U32(unroll/2*line), ahead)
	SUBQ(Imm(unroll), k)
	JGE(LabelRef("many"))
	Label("few")
	ADDQ(Imm(unroll), k)
	JZ(LabelRef("summed"))
	Label("one")
	tileTerm(sum, pa, ai, ai3, al, pb, bl)
	DECQ(k)
	JNZ(LabelRef("one"))
	Label("summed")
	tileStore(sum, c, ldc, ldc3)
	ADDQ(param("an"), a)
	LEAQ(Mem{Base: c, Index: ldc, Scale: 4}, c)
	DECQ(param("blocks"))
	JNZ(LabelRef("block"))
	leave()
}

// registers are those of the sums of a tile.
func registers(rows, n int, one func() VecVirtual) [][]VecVirtual {
	sum := make([][]VecVirtual, rows)
	for i := range sum {
		for range n {
			sum[i] = append(sum[i], one())
		}
	}
	return sum
}

// tileTerm adds the term at pa and pb to the sums, and goes on to the next one.
func tileTerm(sum [][]VecVirtual, pa, ai, ai3, al, pb, bl Register) {
	x := make([]VecVirtual, len(sum[0]))
	for j := range x {
		x[j] = YMM()
		VMOVUPD(Mem{Base: pb, Disp: j * vector}, x[j])
	}
	for i := range sum {
		t := YMM()
		VBROADCASTSD(ofFour(pa, ai, ai3, i), t)
		for j, s := range sum[i] {
			VFMADD231PD(x[j], t, s)
		}
	}
	ADDQ(al, pa)
	ADDQ(bl, pb)
}

// tileStore does C += α·sums, or = if fresh.
func tileStore(sum [][]VecVirtual, c, ldc, ldc3 Register) {
	alpha := YMM()
	VBROADCASTSD(param("alpha"), alpha)
	CMPQ(param("fresh"), Imm(0))
	JNE(LabelRef("fresh"))
	each(sum, c, ldc, ldc3, vector, func(s VecVirtual, at Mem) { addTo(at, alpha, s, YMM()) })
	JMP(LabelRef("stored"))
	Label("fresh")
	each(sum, c, ldc, ldc3, vector, func(s VecVirtual, at Mem) { store(at, alpha, s) })
	Label("stored")
}

// each calls f for each sum and where it goes in C, vectors being size bytes long.
func each(sum [][]VecVirtual, c, ldc, ldc3 Register, size int, f func(s VecVirtual, at Mem)) {
	for i := range sum {
		for j, s := range sum[i] {
			f(s, ofFour(c, ldc, ldc3, i).Offset(j*size))
		}
	}
}

func store(at Mem, alpha, s VecVirtual) {
	VMULPD(alpha, s, s)
	VMOVUPD(s, at)
}

func addTo(at Mem, alpha, s, t VecVirtual) {
	VMOVUPD(at, t)
	VFMADD231PD(alpha, s, t)
	VMOVUPD(t, at)
}

// pairs writes the kernel of a column of tiles of 8 rows and 24 columns, in the registers
// of AVX-512: 24 of the 32 hold sums.
func pairs() {
	const rows, n = 2 * tileRows, 3
	kernel("pairs24", "func(c *float64, ldc int, a *float64, ai, al, an int, b *float64, bl int, k, "+
		"blocks int, alpha float64, fresh int)",
		"does what tiles12 does, for 24 columns and two tiles of 4 rows at a time, blocks of these pairs,",
		"with AVX-512. It asks for no memory.")
	c, ldc, a, ai, al, bl := arg("c"), arg("ldc"), arg("a"), arg("ai"), arg("al"), arg("bl")
	pa, pa4, pb, k, ai3, ldc3 := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: ai, Index: ai, Scale: 2}, ai3)
	LEAQ(Mem{Base: ldc, Index: ldc, Scale: 2}, ldc3)
	sum := registers(rows, n, ZMM)
	Label("block")
	for i := range sum {
		for _, s := range sum[i] {
			VPXORQ(s, s, s)
		}
	}
	MOVQ(a, pa)
	MOVQ(a, pa4)
	ADDQ(param("an"), pa4)
	MOVQ(param("b"), pb)
	MOVQ(param("k"), k)
	Label("term")
	var x [n]VecVirtual
	for j := range x {
		x[j] = ZMM()
		VMOVUPD(Mem{Base: pb, Disp: 2 * j * vector}, x[j])
	}
	for i := range sum {
		t := ZMM()
		VBROADCASTSD(ofFour([]Register{pa, pa4}[i/tileRows], ai, ai3, i%tileRows), t)
		for j, s := range sum[i] {
			VFMADD231PD(x[j], t, s)
		}
	}
	ADDQ(al, pa)
	ADDQ(al, pa4)
	ADDQ(bl, pb)
	DECQ(k)
	JNZ(LabelRef("term"))
	pairStore(sum, c, ldc, ldc3)
	ADDQ(param("an"), a)
	ADDQ(param("an"), a)
	DECQ(param("blocks"))
	JNZ(LabelRef("block"))
	leave()
}

// pairStore does C += α·sums, or = if fresh, and goes on to the rows below.
func pairStore(sum [][]VecVirtual, c, ldc, ldc3 Register) {
	alpha := ZMM()
	VBROADCASTSD(param("alpha"), alpha)
	for half := range 2 {
		old, done := fmt.Sprint("old", half), fmt.Sprint("done", half)
		CMPQ(param("fresh"), Imm(0))
		JEQ(LabelRef(old))
		rows := sum[half*tileRows:][:tileRows]
		each(rows, c, ldc, ldc3, 2*vector, func(s VecVirtual, at Mem) { store(at, alpha, s) })
		JMP(LabelRef(done))
		Label(old)
		each(rows, c, ldc, ldc3, 2*vector, func(s VecVirtual, at Mem) { addTo(at, alpha, s, ZMM()) })
		Label(done)
		LEAQ(Mem{Base: c, Index: ldc, Scale: 4}, c)
	}
}

// ofFour is where row i < 4 begins, the rows being step bytes apart, and three step3.
func ofFour(base, step, step3 Register, i int) Mem {
	return []Mem{{Base: base}, {Base: base, Index: step, Scale: 1}, {Base: base, Index: step, Scale: 2},
		{Base: base, Index: step3, Scale: 1}}[i]
}

func transpose() {
	kernel("transpose4", "func(dst *float64, step int, src *float64, stride int, n int)",
		"does dst[l·step/8+i] = src[i·stride/8+l] for i < 4, l < n and n ≥ 4.")
	dst, step, src, stride, n := arg("dst"), arg("step"), arg("src"), arg("stride"), arg("n")
	stride3, step3, last, d := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	LEAQ(Mem{Base: src, Index: n, Scale: 8, Disp: -vector}, last)
	SUBQ(Imm(lanes), n)
	MOVQ(n, d)
	IMULQ(step, d)
	ADDQ(dst, d) // where the last four go
	Label("loop")
	CMPQ(src, last)
	JGE(LabelRef("last"))
	square(dst, step, step3, src, stride, stride3)
	ADDQ(Imm(vector), src)
	LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
	JMP(LabelRef("loop"))
	Label("last")
	square(d, step, step3, last, stride, stride3)
	leave()
}

// square transposes 4 x 4 numbers.
func square(dst, step, step3, src, stride, stride3 Register) {
	var r, t [4]VecVirtual
	for i := range r {
		r[i], t[i] = YMM(), YMM()
		VMOVUPD(ofFour(src, stride, stride3, i), r[i])
	}
	VUNPCKLPD(r[1], r[0], t[0])
	VUNPCKHPD(r[1], r[0], t[1])
	VUNPCKLPD(r[3], r[2], t[2])
	VUNPCKHPD(r[3], r[2], t[3])
	VPERM2F128(Imm(0x20), t[2], t[0], r[0])
	VPERM2F128(Imm(0x20), t[3], t[1], r[1])
	VPERM2F128(Imm(0x31), t[2], t[0], r[2])
	VPERM2F128(Imm(0x31), t[3], t[1], r[3])
	for i := range r {
		VMOVUPD(r[i], ofFour(dst, step, step3, i))
	}
}
