package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constants writes each bit pattern four times over, as the operands of vectors, and
// returns a map to where they are.
func constants(name string, numbers []float64) func(float64) Mem {
	start, at := GLOBL(name, RODATA|NOPTR), map[float64]int{}
	for _, x := range numbers {
		at[x] = len(at) * vector
		for l := range lanes {
			// not F64, which writes a whole number as an integer
			DATA(at[x]+l*number, U64(math.Float64bits(x)))
		}
	}
	return func(x float64) Mem {
		disp, ok := at[x]
		if !ok {
			panic("no such constant")
		}
		return start.Offset(disp)
	}
}

func exps() {
	const inv, hi, lo = 32 / math.Ln2, 0x1.62e42fefp-6, 0x1.473de6af278edp-39
	at := constants("exps", []float64{inv, hi, lo, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, -708})
	whole := GLOBL("wholes", RODATA|NOPTR)
	for l, k := range []uint32{31, 31, 31, 31, 1023, 1023, 1023, 1023} {
		DATA(4*l, U32(k))
	}

	kernel("exps", "func(dst, s *float64, n int, m float64, root *[32]float64)",
		"does dst[l] = Exp(s[l] − m) for l < n, n ≥ 4. dst may be s.")
	dst, s, n, root := arg("dst"), arg("s"), arg("n"), arg("root")
	m, last, l := YMM(), YMM(), GP64()
	VBROADCASTSD(param("m"), m)
	SUBQ(Imm(lanes), n)
	VMOVUPD(Mem{Base: s, Index: n, Scale: number}, last) // while it is as it was
	XORQ(l, l)
	CMPQ(l, n)
	JGE(LabelRef("last"))
	Label("loop")
	x := YMM()
	VMOVUPD(Mem{Base: s, Index: l, Scale: number}, x)
	VMOVUPD(exp(x, m, root, at, whole), Mem{Base: dst, Index: l, Scale: number})
	ADDQ(Imm(lanes), l)
	CMPQ(l, n)
	JLT(LabelRef("loop"))
	Label("last")
	VMOVUPD(exp(last, m, root, at, whole), Mem{Base: dst, Index: n, Scale: number})
	leave()
}

// exp returns Exp(s − m).
func exp(s, m VecVirtual, root Register, at func(float64) Mem, whole Mem) VecVirtual {
	x, t, r, poly, y := YMM(), YMM(), YMM(), YMM(), YMM()
	VSUBPD(m, s, x)
	VMULPD(at(32/math.Ln2), x, t)
	VSUBPD(at(0.5), t, t)
	k := XMM()
	VCVTTPD2DQY(t, k)
	VCVTDQ2PD(k, t)
	VMULPD(at(0x1.62e42fefp-6), t, r)
	VSUBPD(r, x, r)
	VMULPD(at(0x1.473de6af278edp-39), t, t)
	VSUBPD(t, r, r)
	VMULPD(at(1./720), r, poly)
	for _, c := range []float64{1. / 120, 1. / 24, 1. / 6} {
		VADDPD(at(c), poly, poly)
		VMULPD(r, poly, poly)
	}
	VADDPD(at(1./2), poly, poly)
	VMULPD(r, r, t)
	VMULPD(t, poly, poly)
	VADDPD(r, poly, poly)

	j, a, b, c, d, top := XMM(), GP64(), GP64(), GP64(), GP64(), XMM()
	VPAND(whole, k, j)
	VMOVQ(j, b)
	VPEXTRQ(Imm(1), j, d)
	MOVL(b.As32(), a.As32()) // to another register, for avo drops a move to the same
	SHRQ(Imm(32), b)
	MOVL(d.As32(), c.As32())
	SHRQ(Imm(32), d)
	VMOVSD(Mem{Base: root, Index: a, Scale: number}, y.AsX())
	VMOVHPD(Mem{Base: root, Index: b, Scale: number}, y.AsX(), y.AsX())
	VMOVSD(Mem{Base: root, Index: c, Scale: number}, top)
	VMOVHPD(Mem{Base: root, Index: d, Scale: number}, top, top)
	VINSERTF128(Imm(1), top, y, y)

	VMULPD(y, poly, poly)
	VADDPD(y, poly, y)
	VPSRAD(Imm(5), k, k)
	VPADDD(whole.Offset(16), k, k)
	VPMOVSXDQ(k, t)
	VPSLLQ(Imm(52), t, t)
	VMULPD(t, y, y)

	const greater, unordered = 0x1e, 0x03 // neither tells of NaN
	VCMPPD(Imm(greater), at(-708), x, t)  // else 0
	VANDPD(t, y, y)
	VCMPPD(Imm(unordered), x, x, t) // else a NaN stays one
	VANDPD(x, t, t)
	VORPD(t, y, y)
	return y
}

// maximum writes the kernel of the largest number. Where one of two is NaN, VMAXPD
// returns the other one if that is its first operand here.
func maximum() {
	kernel("maxAll", "func(s *float64, n int) float64",
		"returns the largest of n ≥ 4 numbers, NaN left out; −Inf if there is none.")
	at := constants("lowest", []float64{math.Inf(-1)})
	s, n, l := arg("s"), arg("n"), GP64()
	top, x := YMM(), YMM()
	VMOVUPD(at(math.Inf(-1)), top)
	SUBQ(Imm(lanes), n)
	XORQ(l, l)
	CMPQ(l, n)
	JGE(LabelRef("last"))
	Label("loop")
	VMOVUPD(Mem{Base: s, Index: l, Scale: number}, x)
	VMAXPD(top, x, top)
	ADDQ(Imm(lanes), l)
	CMPQ(l, n)
	JLT(LabelRef("loop"))
	Label("last")
	VMOVUPD(Mem{Base: s, Index: n, Scale: number}, x)
	VMAXPD(top, x, top)
	VEXTRACTF128(Imm(1), top, x.AsX())
	VMAXPD(top.AsX(), x.AsX(), top.AsX())
	VPERMILPD(Imm(1), top.AsX(), x.AsX())
	VMAXSD(top.AsX(), x.AsX(), top.AsX())
	Store(top.AsX(), ReturnIndex(0))
	leave()
}
