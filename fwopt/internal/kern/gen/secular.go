package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// secular writes the kernels of the secular equation and its vectors. They divide, which
// takes so long that products and sums are not fused.
func secular() {
	poles()
	ratios()
	quotients()
}

// poles writes the kernel that adds up the poles of the secular equation.
func poles() {
	TEXT("polesUp", NOSPLIT, "func(sums *[12]float64, delta, pole, zeta *float64, step, n int, org, x "+
		"float64)")
	Doc("polesUp takes n fours of poles, step bytes apart, from the first on: with d = (pole − org) − x,",
		"which it stores in delta, and t = zeta/d, it adds zeta·t to the first four sums, t² to the next,",
		"and the first four, as they are then, without sign, to the last.")
	Pragma("noescape")
	sums, delta := Load(Param("sums"), GP64()), Load(Param("delta"), GP64())
	pole, zeta := Load(Param("pole"), GP64()), Load(Param("zeta"), GP64())
	step, n := Load(Param("step"), GP64()), Load(Param("n"), GP64())
	broadcast := func(name string) VecVirtual {
		p, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		v := YMM()
		VBROADCASTSD(p.Addr, v)
		return v
	}
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
	VZEROUPPER()
	RET()
}

// ratios writes the kernel of a factor of Löwner's formula.
func ratios() {
	TEXT("ratios", NOSPLIT, "func(z, delta, pole *float64, at float64, n int)")
	Doc("ratios does z_i *= delta_i/(pole_i − at) for n fours of i.")
	Pragma("noescape")
	z, delta, pole := Load(Param("z"), GP64()), Load(Param("delta"), GP64()), Load(Param("pole"), GP64())
	p, err := Param("at").Resolve()
	if err != nil {
		panic(err)
	}
	at, n, i := YMM(), Load(Param("n"), GP64()), GP64()
	VBROADCASTSD(p.Addr, at)
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
	VZEROUPPER()
	RET()
}

// quotients writes the kernel of x/y, and the sum of its squares.
func quotients() {
	TEXT("quotients", NOSPLIT, "func(sums *[4]float64, dst, x, y *float64, n int)")
	Doc("quotients does dst_i = x_i/y_i for n fours of i, and adds the squares to the sums.")
	Pragma("noescape")
	sums, dst, x, y := Load(Param("sums"), GP64()), Load(Param("dst"), GP64()), Load(Param("x"), GP64()),
		Load(Param("y"), GP64())
	n, i, s := Load(Param("n"), GP64()), GP64(), YMM()
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
	VZEROUPPER()
	RET()
}
