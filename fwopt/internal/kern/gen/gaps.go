package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gaps writes the kernel of what a Frank-Wolfe step asks of its direction, which it does
// not write out. The masks are those of tails.
func gaps(masks Mem) {
	TEXT("gapRows", NOSPLIT, "func(grad, x, u *float64, h int, v *float64, n int, sums *float64)")
	Doc("gapRows adds up ⟨grad_j, x_j − v_j·u⟩ and ‖x_j − v_j·u‖², by FMA, over the rows j < n of h ≥ 1 "+
		"numbers: those of",
		"column l in sums[l mod 4] and sums[4 + l mod 4].")
	Pragma("noescape")
	g, x, u, h := Load(Param("grad"), GP64()), Load(Param("x"), GP64()), Load(Param("u"), GP64()),
		Load(Param("h"), GP64())
	v, n, sums := Load(Param("v"), GP64()), Load(Param("n"), GP64()), Load(Param("sums"), GP64())
	mask, left, table, whole := YMM(), GP64(), GP64(), GP64()
	MOVQ(h, left)
	ANDQ(Imm(lanes-1), left)
	NEGQ(left)
	LEAQ(masks.Offset(vector), table)
	VMOVUPD(Mem{Base: table, Index: left, Scale: number}, mask)
	SHLQ(U8(3), h)
	MOVQ(h, whole)
	ANDQ(I32(-vector), whole)
	c, d, t, s, q, l := YMM(), YMM(), YMM(), YMM(), YMM(), GP64()
	VMOVUPD(Mem{Base: sums}, s)
	VMOVUPD(Mem{Base: sums, Disp: vector}, q)
	Label("row")
	VBROADCASTSD(Mem{Base: v}, c)
	XORQ(l, l)
	JMP(LabelRef("check"))
	Label("loop")
	VMULPD(Mem{Base: u, Index: l, Scale: 1}, c, d)
	VMOVUPD(Mem{Base: x, Index: l, Scale: 1}, t)
	VSUBPD(d, t, d)
	VFMADD231PD(Mem{Base: g, Index: l, Scale: 1}, d, s)
	VFMADD231PD(d, d, q)
	ADDQ(Imm(vector), l)
	Label("check")
	CMPQ(l, whole)
	JLT(LabelRef("loop"))
	TESTQ(left, left)
	JZ(LabelRef("next"))
	VMASKMOVPD(Mem{Base: u, Index: l, Scale: 1}, mask, d)
	VMULPD(c, d, d)
	VMASKMOVPD(Mem{Base: x, Index: l, Scale: 1}, mask, t)
	VSUBPD(d, t, d)
	VANDPD(mask, d, d) // 0, also where v_j is infinite
	VMASKMOVPD(Mem{Base: g, Index: l, Scale: 1}, mask, t)
	VFMADD231PD(t, d, s)
	VFMADD231PD(d, d, q)
	Label("next")
	ADDQ(h, g)
	ADDQ(h, x)
	ADDQ(Imm(number), v)
	DECQ(n)
	JNZ(LabelRef("row"))
	VMOVUPD(s, Mem{Base: sums})
	VMOVUPD(q, Mem{Base: sums, Disp: vector})
	VZEROUPPER()
	RET()
}
