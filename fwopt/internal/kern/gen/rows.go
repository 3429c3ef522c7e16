package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// scatter writes the kernel of W[idx[k]] += val[k]·p; see gather for the rest.
func scatter() {
	kernel("scatterRows", "func(w *float64, stride int, p *float64, h int, val *float64, n int, limit int, "+
		"idx, next *int32, ahead int) int",
		"does W[idx[k]] += val[k]·p for p of h ≥ 4 numbers, until an offset",
		"idx[k]·stride is over limit, and returns how many k it did. It fetches the rows",
		"next[:ahead] into the cache. Stride and limit are bytes.")
	w, stride := arg("w"), arg("stride")
	r := row{u: arg("p"), h: arg("h")}
	val, n, limit := arg("val"), arg("n"), arg("limit")
	idx, next, ahead := arg("idx"), arg("next"), arg("ahead")
	k, x, f, at, c := GP64(), GP64(), GP64(), GP64(), YMM()
	SHLQ(U8(3), r.h)
	XORQ(k, k)
	Label("next")
	CMPQ(k, n)
	JGE(LabelRef("done"))
	CMPQ(k, ahead)
	JGE(LabelRef("here"))
	MOVL(Mem{Base: next, Index: k, Scale: 4}, f.As32())
	IMULQ(stride, f)
	ADDQ(w, f)
	XORQ(at, at)
	Label("fetch")
	PREFETCHT0(Mem{Base: f, Index: at, Scale: 1})
	ADDQ(Imm(line), at)
	CMPQ(at, r.h)
	JLT(LabelRef("fetch"))
	Label("here")
	MOVL(Mem{Base: idx, Index: k, Scale: 4}, x.As32())
	IMULQ(stride, x)
	CMPQ(x, limit)
	JHI(LabelRef("done"))
	ADDQ(w, x)
	VBROADCASTSD(Mem{Base: val, Index: k, Scale: 8}, c)
	r.x, r.dst = x, x
	r.each(func(x, u Op) VecVirtual { return add(x, mul(u, c)) })
	INCQ(k)
	JMP(LabelRef("next"))
	Label("done")
	Store(k, ReturnIndex(0))
	leave()
}

// outer writes a kernel for rows of a rank-one matrix u·vᵀ; f makes a vector of
// a row out of the broadcast number of v and those of x and u.
func outer(name, what, args string, f func(c, x, u Op) VecVirtual) {
	separate := name == "subRows" || name == "lerpRows"
	sig := "func(x *float64, u *float64, h int, v *float64, n int"
	if separate {
		sig = "func(dst, x *float64, u *float64, h int, v *float64, n int"
	}
	for _, a := range args {
		sig += ", " + string(a) + " float64"
	}
	kernel(name, sig+") int",
		"does "+what+" for the rows j < n, of h ≥ 4 numbers, until",
		"v_j = 0, and returns how many j it did.")
	r := row{x: arg("x"), u: arg("u"), h: arg("h")}
	r.dst = r.x
	if separate {
		r.dst = arg("dst")
	}
	v, n := arg("v"), arg("n")
	for _, a := range args {
		keep[string(a)] = broadcast(string(a))
	}
	j, t, c := GP64(), GP64(), YMM()
	SHLQ(U8(3), r.h)
	XORQ(j, j)
	Label("next")
	CMPQ(j, n)
	JGE(LabelRef("done"))
	MOVQ(Mem{Base: v, Index: j, Scale: 8}, t)
	ADDQ(t, t) // the sign goes
	JEQ(LabelRef("done"))
	VBROADCASTSD(Mem{Base: v, Index: j, Scale: 8}, c)
	r.each(func(x, u Op) VecVirtual { return f(c, x, u) })
	ADDQ(r.h, r.x)
	if separate {
		ADDQ(r.h, r.dst)
	}
	INCQ(j)
	JMP(LabelRef("next"))
	Label("done")
	Store(j, ReturnIndex(0))
	leave()
}

// A row is what an output row is made of: the addresses of dst, x and u, and h in
// bytes.
type row struct{ dst, x, u, h Register }

// each writes the loop over one row. The last vector may overlap the one before: it
// is worked out first, while x is as it was, and stored last.
func (r row) each(f func(x, u Op) VecVirtual) {
	l, stop := GP64(), GP64()
	MOVQ(r.h, stop)
	SUBQ(Imm(vector), stop)
	at := func(base Register, disp int) Mem { return Mem{Base: base, Index: l, Scale: 1, Disp: disp} }
	tail := func(base Register) Mem { return Mem{Base: base, Index: stop, Scale: 1} }
	last := f(tail(r.x), tail(r.u))
	XORQ(l, l)
	SUBQ(U32(4*vector), stop)
	JLT(LabelRef("few"))
	Label("many")
	for i := range 4 {
		VMOVUPD(f(at(r.x, i*vector), at(r.u, i*vector)), at(r.dst, i*vector))
	}
	ADDQ(U32(4*vector), l)
	CMPQ(l, stop)
	JLE(LabelRef("many"))
	Label("few")
	ADDQ(U32(4*vector), stop)
	CMPQ(l, stop)
	JGE(LabelRef("last"))
	Label("one")
	VMOVUPD(f(at(r.x, 0), at(r.u, 0)), at(r.dst, 0))
	ADDQ(Imm(vector), l)
	CMPQ(l, stop)
	JLT(LabelRef("one"))
	Label("last")
	VMOVUPD(last, tail(r.dst))
}

// gaps writes the kernel of what a Frank-Wolfe step asks of its direction, which it does
// not write out. The masks are those of tails.
func gaps(masks Mem) {
	kernel("gapRows", "func(grad, x, u *float64, h int, v *float64, n int, sums *float64)",
		"adds up ⟨grad_j, x_j − v_j·u⟩ and ‖x_j − v_j·u‖², by FMA, over the rows j < n of h ≥ 1 numbers: those of",
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
