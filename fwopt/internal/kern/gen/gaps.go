package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gaps writes the kernel of what a Frank-Wolfe step asks of its direction, which it does
// not write out. The masks are those of tails.
func gaps(masks Mem) {
	kernel("gapRows", "func(grad, x, u *float64, h int, v *float64, n int, sums *float64)",
		"gapRows adds up ⟨grad_j, x_j − v_j·u⟩ and ‖x_j − v_j·u‖², by FMA, over the rows j < n of h ≥ 1 "+
			"numbers: those of",
		"column l in sums[l mod 4] and sums[4 + l mod 4].")
	g, x, u, h := arg("grad"), arg("x"), arg("u"), arg("h")
	v, n, sums := arg("v"), arg("n"), arg("sums")
	mask, left := tail(masks, h)
	whole := GP64()
	SHLQ(U8(3), h)
	MOVQ(h, whole)
	ANDQ(I32(-vector), whole)
	c, d, t, s, q, l := YMM(), YMM(), YMM(), YMM(), YMM(), GP64()
	VMOVUPD(Mem{Base: sums}, s)
	VMOVUPD(Mem{Base: sums, Disp: vector}, q)
	Label("row")
	VBROADCASTSD(Mem{Base: v}, c)
	XORQ(l, l)
	while(l, whole, Imm(vector), func() {
		VMULPD(Mem{Base: u, Index: l, Scale: 1}, c, d)
		VMOVUPD(Mem{Base: x, Index: l, Scale: 1}, t)
		VSUBPD(d, t, d)
		VFMADD231PD(Mem{Base: g, Index: l, Scale: 1}, d, s)
		VFMADD231PD(d, d, q)
	})
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
	leave()
}
