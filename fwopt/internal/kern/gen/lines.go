package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of this file read a matrix once, four rows at a time, for its product with
// a vector.

// fourRows are the addresses of number j of four rows, j·8 bytes being in at.
type fourRows [tileRows]Register

// rowsFrom points to the rows from a on, stride bytes apart.
func rowsFrom(a, stride Register) (f fourRows) {
	f[0] = a
	for i := 1; i < tileRows; i++ {
		f[i] = GP64()
		LEAQ(Mem{Base: f[i-1], Index: stride, Scale: 1}, f[i])
	}
	return f
}

func (f fourRows) at(i int, j Register) Mem { return Mem{Base: f[i], Index: j, Scale: 1} }

// fold adds up the four numbers of each of four vectors, (0+1)+(2+3).
func fold(s [tileRows]VecVirtual) VecVirtual {
	lo, hi := YMM(), YMM()
	VHADDPD(s[1], s[0], lo) // 0: s0 0+1, 1: s1 0+1, 2: s0 2+3, 3: s1 2+3
	VHADDPD(s[3], s[2], hi)
	x, y := YMM(), YMM()
	VPERM2F128(Imm(0x20), hi, lo, x)
	VPERM2F128(Imm(0x31), hi, lo, y)
	VADDPD(y, x, x)
	return x
}

// tails writes what masks off all but the first n numbers of a vector: it begins 8·n
// bytes before its middle.
func tails() Mem {
	m := GLOBL("tails", RODATA|NOPTR)
	for l := range 2 * lanes {
		var x uint64
		if l < lanes {
			x = 1<<64 - 1
		}
		DATA(l*number, U64(x))
	}
	return m
}

// tail loads the mask of the last numbers of a row of n, and minus their number.
func tail(masks Mem, n Register) (mask VecVirtual, left GPVirtual) {
	mask, left = YMM(), GP64()
	table := GP64()
	MOVQ(n, left)
	ANDQ(Imm(lanes-1), left)
	NEGQ(left)
	LEAQ(masks.Offset(vector), table)
	VMOVUPD(Mem{Base: table, Index: left, Scale: number}, mask)
	return mask, left
}

func dots(masks Mem) {
	kernel("dots4", "func(dst, a *float64, stride int, q *float64, n, blocks int)",
		"does dst[r] = ⟨row r of A, q⟩ for 4·blocks rows of n ≥ 1 numbers, stride bytes apart, by FMA,",
		"numbers l, l+4, l+8, … of a row in a sum of their own, of which there are 4.")
	dst, a, stride, q := arg("dst"), arg("a"), arg("stride"), arg("q")
	n, blocks := arg("n"), arg("blocks")
	mask, left := tail(masks, n)
	NEGQ(left)
	SHLQ(U8(3), n)
	ANDQ(I32(-vector), n)
	r := rowsFrom(a, stride)
	SHLQ(U8(2), stride)
	Label("block")
	var s [tileRows]VecVirtual
	for i := range s {
		s[i] = YMM()
		VXORPD(s[i], s[i], s[i])
	}
	j, x := GP64(), YMM()
	XORQ(j, j)
	while(j, n, Imm(vector), func() {
		VMOVUPD(Mem{Base: q, Index: j, Scale: 1}, x)
		for i := range s {
			VFMADD231PD(r.at(i, j), x, s[i])
		}
	})
	TESTQ(left, left)
	JZ(LabelRef("sum"))
	t := YMM()
	VMASKMOVPD(Mem{Base: q, Index: j, Scale: 1}, mask, x)
	for i := range s {
		VMASKMOVPD(r.at(i, j), mask, t)
		VFMADD231PD(t, x, s[i])
	}
	Label("sum")
	VMOVUPD(fold(s), Mem{Base: dst})
	ADDQ(Imm(vector), dst)
	for i := range r {
		ADDQ(stride, r[i])
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	leave()
}

func combine() {
	kernel("combine4", "func(d, a *float64, stride int, x *float64, n, blocks int)",
		"does d += Σ_r x[r]·(row r of A) for 4·blocks rows of n ≥ 1 numbers, stride bytes apart,",
		"in order, by FMA. Four rows with x = 0 are left out.")
	d, a, stride, x := arg("d"), arg("a"), arg("stride"), arg("x")
	n, blocks := arg("n"), arg("blocks")
	stop, bits, j := GP64(), GP64(), GP64()
	SHLQ(U8(3), n)
	MOVQ(n, stop)
	ANDQ(I32(-vector), stop)
	r := rowsFrom(a, stride)
	SHLQ(U8(2), stride)
	Label("block")
	zero, t := YMM(), YMM()
	const equal = 0
	VXORPD(zero, zero, zero)
	VCMPPD(Imm(equal), Mem{Base: x}, zero, t)
	VMOVMSKPD(t, bits.(GPVirtual).As32())
	CMPQ(bits, Imm(15))
	JEQ(LabelRef("next"))
	var c [tileRows]VecVirtual
	for i := range c {
		c[i] = YMM()
		VBROADCASTSD(Mem{Base: x, Disp: i * number}, c[i])
	}
	XORQ(j, j)
	while(j, stop, Imm(vector), func() {
		VMOVUPD(Mem{Base: d, Index: j, Scale: 1}, t)
		for i := range c {
			VFMADD231PD(r.at(i, j), c[i], t)
		}
		VMOVUPD(t, Mem{Base: d, Index: j, Scale: 1})
	})
	JMP(LabelRef("checkOne"))
	Label("one")
	VMOVSD(Mem{Base: d, Index: j, Scale: 1}, t.AsX())
	for i := range c {
		VFMADD231SD(r.at(i, j), c[i].AsX(), t.AsX())
	}
	VMOVSD(t.AsX(), Mem{Base: d, Index: j, Scale: 1})
	ADDQ(Imm(number), j)
	Label("checkOne")
	CMPQ(j, n)
	JLT(LabelRef("one"))
	Label("next")
	ADDQ(Imm(vector), x)
	for i := range r {
		ADDQ(stride, r[i])
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	leave()
}

func symmetric() {
	kernel("symmetric4", "func(y, t, a *float64, stride int, x, c *float64, n int)",
		"does y += Σ_r c[r]·(row r of A), in order, and t[r] = ⟨row r of A, x⟩, as dots4, for 4 rows",
		"of n numbers, a multiple of 4, stride bytes apart.")
	y, t, a, stride := arg("y"), arg("t"), arg("a"), arg("stride")
	x, c, n := arg("x"), arg("c"), arg("n")
	r := rowsFrom(a, stride)
	SHLQ(U8(3), n)
	var s, k [tileRows]VecVirtual
	for i := range s {
		s[i], k[i] = YMM(), YMM()
		VXORPD(s[i], s[i], s[i])
		VBROADCASTSD(Mem{Base: c, Disp: i * number}, k[i])
	}
	j, u, v, row := GP64(), YMM(), YMM(), YMM()
	XORQ(j, j)
	while(j, n, Imm(vector), func() {
		VMOVUPD(Mem{Base: y, Index: j, Scale: 1}, u)
		VMOVUPD(Mem{Base: x, Index: j, Scale: 1}, v)
		for i := range s {
			VMOVUPD(r.at(i, j), row)
			VFMADD231PD(row, k[i], u)
			VFMADD231PD(row, v, s[i])
		}
		VMOVUPD(u, Mem{Base: y, Index: j, Scale: 1})
	})
	VMOVUPD(fold(s), Mem{Base: t})
	leave()
}
