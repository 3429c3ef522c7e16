package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of this file read a vector once. Their mask takes the sign off each number,
// or leaves it.

// sums is the number of vectors of sums, so that an addition need not wait for the last.
const sums = 4

func total() {
	kernel("totals", "func(x *float64, n int, mask uint64, sum, top *float64)",
		"adds x_j & mask to sum[j mod 16], and takes it into the largest, top[j mod 16], NaN left",
		"out, for n numbers, a multiple of 16.")
	x, n := arg("x"), arg("n")
	mask := broadcast("mask")
	sum, top := arg("sum"), arg("top")
	var s, m [sums]VecVirtual
	for i := range s {
		s[i], m[i] = YMM(), YMM()
		VMOVUPD(Mem{Base: sum, Disp: i * vector}, s[i])
		VMOVUPD(Mem{Base: top, Disp: i * vector}, m[i])
	}
	y := YMM()
	LEAQ(Mem{Base: x, Index: n, Scale: number}, n)
	while(x, n, U32(sums*vector), func() {
		for i := range s {
			VANDPD(Mem{Base: x, Disp: i * vector}, mask, y)
			VADDPD(y, s[i], s[i])
			VMAXPD(m[i], y, m[i])
		}
	})
	for i := range s {
		VMOVUPD(s[i], Mem{Base: sum, Disp: i * vector})
		VMOVUPD(m[i], Mem{Base: top, Disp: i * vector})
	}
	leave()
}

// above writes the kernel that keeps the large numbers. A table says for each of the 16
// outcomes of four comparisons which halves of numbers move to the front.
func above() {
	table := GLOBL("fronts", RODATA|NOPTR)
	for set := range 1 << lanes {
		at := 0
		put := func(l int) {
			DATA((set*lanes+at)*number, U64(uint64(2*l)|uint64(2*l+1)<<32))
			at++
		}
		for l := range lanes {
			if set>>l&1 == 1 {
				put(l)
			}
		}
		for at < lanes {
			put(0)
		}
	}
	kernel("aboves", "func(dst, x *float64, n int, mask uint64, top, least float64) int",
		"writes those numbers (x_j & mask) − top that are at least least one after the other, and returns",
		"how many there are, out of n, a multiple of 4. Up to 3 numbers after them are overwritten. dst may be x.")
	dst, x, n := arg("dst"), arg("x"), arg("n")
	mask, top, least := broadcast("mask"), broadcast("top"), broadcast("least")
	y, t, fronts, end, set, count := YMM(), YMM(), GP64(), GP64(), GP64(), GP64()
	LEAQ(table, fronts)
	LEAQ(Mem{Base: x, Index: n, Scale: number}, n)
	MOVQ(dst, end)
	while(x, n, Imm(vector), func() {
		VANDPD(Mem{Base: x}, mask, y)
		VSUBPD(top, y, y)
		const atLeast = 0x0d // not of NaN
		VCMPPD(Imm(atLeast), least, y, t)
		VMOVMSKPD(t, set.(GPVirtual).As32())
		POPCNTQ(set, count)
		SHLQ(U8(5), set)
		VMOVDQU(Mem{Base: fronts, Index: set, Scale: 1}, t)
		VPERMD(y, t, y)
		VMOVUPD(y, Mem{Base: end})
		LEAQ(Mem{Base: end, Index: count, Scale: number}, end)
	})
	SUBQ(dst, end)
	SHRQ(U8(3), end)
	Store(end, ReturnIndex(0))
	leave()
}

func shrink() {
	kernel("shrinks", "func(dst, x *float64, n int, mask uint64, top, theta float64)",
		"does dst_j = max(0, (x_j & mask) − top − theta), with the other bits of x_j, for n numbers, a multiple of 4.")
	dst, x, n := arg("dst"), arg("x"), arg("n")
	mask, top, theta := broadcast("mask"), broadcast("top"), broadcast("theta")
	y, t, zero, sign := YMM(), YMM(), YMM(), YMM()
	VXORPD(zero, zero, zero)
	SHLQ(U8(3), n)
	j := GP64()
	XORQ(j, j)
	while(j, n, Imm(vector), func() {
		VMOVUPD(Mem{Base: x, Index: j, Scale: 1}, y)
		VANDNPD(y, mask, sign)
		VANDPD(y, mask, y)
		VSUBPD(top, y, y)
		VSUBPD(theta, y, y)
		const notAtMost = 0x16 // also of NaN
		VCMPPD(Imm(notAtMost), zero, y, t)
		VANDPD(t, y, y)
		VORPD(sign, y, y)
		VMOVUPD(y, Mem{Base: dst, Index: j, Scale: 1})
	})
	leave()
}
