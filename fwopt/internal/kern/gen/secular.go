package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of this file are those of the secular equation and its vectors. They divide, which
// takes so long that products and sums are not fused.

func poles() {
	kernel("polesUp", "func(sums *[12]float64, delta, pole, zeta *float64, step, n int, org, x float64)",
		"takes n fours of poles, step bytes apart, from the first on: with d = (pole − org) − x,",
		"which it stores in delta, and t = zeta/d, it adds zeta·t to the first four sums, t² to the next,",
		"and the first four, as they are then, without sign, to the last.")
	sums, delta, pole, zeta := arg("sums"), arg("delta"), arg("pole"), arg("zeta")
	step, n := arg("step"), arg("n")
	org, x := broadcast("org"), broadcast("x")
	var s [3]VecVirtual
	for i := range s {
		s[i] = YMM()
		VMOVUPD(Mem{Base: sums, Disp: i * vector}, s[i])
	}
	unsigned, at := YMM(), GP64()
	VPCMPEQQ(unsigned, unsigned, unsigned)
	VPSRLQ(Imm(1), unsigned, unsigned)
	XORQ(at, at)
	Label("loop")
	d, z, t := YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: pole, Index: at, Scale: 1}, d)
	VSUBPD(org, d, d)
	VSUBPD(x, d, d)
	VMOVUPD(d, Mem{Base: delta, Index: at, Scale: 1})
	VMOVUPD(Mem{Base: zeta, Index: at, Scale: 1}, z)
	VDIVPD(d, z, t)
	VADDPD(mul(z, t), s[0], s[0])
	VADDPD(mul(t, t), s[1], s[1])
	a := YMM()
	VANDPD(s[0], unsigned, a)
	VADDPD(a, s[2], s[2])
	ADDQ(step, at)
	DECQ(n)
	JNZ(LabelRef("loop"))
	for i := range s {
		VMOVUPD(s[i], Mem{Base: sums, Disp: i * vector})
	}
	leave()
}

func ratios() {
	kernel("ratios", "func(z, delta, pole *float64, at float64, n int)",
		"does z_i *= delta_i/(pole_i − at) for n fours of i.")
	z, delta, pole := arg("z"), arg("delta"), arg("pole")
	at, n, i := YMM(), arg("n"), GP64()
	VBROADCASTSD(param("at"), at)
	XORQ(i, i)
	Label("loop")
	d, t := YMM(), YMM()
	VMOVUPD(Mem{Base: pole, Index: i, Scale: 1}, d)
	VSUBPD(at, d, d)
	VMOVUPD(Mem{Base: delta, Index: i, Scale: 1}, t)
	VDIVPD(d, t, t)
	VMULPD(Mem{Base: z, Index: i, Scale: 1}, t, t)
	VMOVUPD(t, Mem{Base: z, Index: i, Scale: 1})
	ADDQ(Imm(vector), i)
	DECQ(n)
	JNZ(LabelRef("loop"))
	leave()
}

func quotients() {
	kernel("quotients", "func(sums *[4]float64, dst, x, y *float64, n int)",
		"does dst_i = x_i/y_i for n fours of i, and adds the squares to the sums.")
	sums, dst, x, y := arg("sums"), arg("dst"), arg("x"), arg("y")
	n, i, s := arg("n"), GP64(), YMM()
	VMOVUPD(Mem{Base: sums}, s)
	XORQ(i, i)
	Label("loop")
	t := YMM()
	VMOVUPD(Mem{Base: x, Index: i, Scale: 1}, t)
	VDIVPD(Mem{Base: y, Index: i, Scale: 1}, t, t)
	VMOVUPD(t, Mem{Base: dst, Index: i, Scale: 1})
	VADDPD(mul(t, t), s, s)
	ADDQ(Imm(vector), i)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VMOVUPD(s, Mem{Base: sums})
	leave()
}
