package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gather writes the kernel of dst += Σ_k val[k]·W[row k], for a dst of 4 to 4·strip
// numbers, which stays in registers. If the number is no multiple of 4 the last
// vector overlaps the one before, and both work out what they share.
//
// Indexed, row k is idx[k]; the kernel stops before a row that is not in W, and
// returns how many it did. It fetches rows next[0], …, next[ahead−1] into the cache,
// one before each of its own, and reads no other one.
func gather(name string, indexed bool) {
	sig := "func(dst *float64, h int, w *float64, stride int, val *float64, n int"
	doc := []string{"does dst += Σ_k val[k]·W[k] for dst of h numbers, 4 ≤ h ≤ 48; stride is bytes."}
	if indexed {
		sig += ", limit int, idx, next *int32, ahead int) int"
		doc = []string{"does dst += Σ_k val[k]·W[idx[k]] for dst of h numbers, 4 ≤ h ≤ 48, until",
			"an offset idx[k]·stride is over limit, and returns how many k it did. It fetches",
			"the rows next[:ahead] into the cache. Stride and limit are bytes."}
	} else {
		sig += ")"
	}
	kernel(name, sig, doc...)
	g := &gatherer{indexed: indexed, dst: arg("dst"), h: arg("h"), w: arg("w"), stride: arg("stride"),
		val: arg("val"), n: arg("n"), k: GP64()}
	if indexed {
		g.limit, g.idx, g.next = arg("limit"), arg("idx"), arg("next")
	}
	XORQ(g.k, g.k)
	SHLQ(U8(3), g.h)
	g.choose(1, strip, g.body)
}

type gatherer struct {
	indexed                      bool
	dst, h, w, stride, val, n, k Register
	limit, idx, next             Register
}

// choose finds the code for the number of vectors, which is from lo to hi.
func (g *gatherer) choose(lo, hi int, body func(n int)) {
	if lo == hi {
		body(lo)
		return
	}
	mid := (lo + hi) / 2
	more := fmt.Sprintf("more%d", mid)
	CMPQ(g.h, U32(mid*vector))
	JG(LabelRef(more))
	g.choose(lo, mid, body)
	Label(more)
	g.choose(mid+1, hi, body)
}

// place is vector i of n of the row at base, which has h bytes.
func place(base, h Register, i, n int) Mem {
	if i == n-1 {
		return Mem{Base: base, Index: h, Scale: 1, Disp: -vector}
	}
	return Mem{Base: base, Disp: i * vector}
}

func (g *gatherer) body(n int) {
	label := func(s string) string { return fmt.Sprintf("%s%d", s, n) }
	sum := make([]VecVirtual, n)
	for i := range sum {
		sum[i] = YMM()
		VMOVUPD(place(g.dst, g.h, i, n), sum[i])
	}
	if g.indexed {
		ahead := arg("ahead")
		TESTQ(ahead, ahead)
		JLE(LabelRef(label("plain")))
		Label(label("fetch"))
		g.fetch(n)
		g.term(sum, label("done"))
		CMPQ(g.k, ahead)
		JLT(LabelRef(label("fetch")))
	}
	Label(label("plain"))
	CMPQ(g.k, g.n)
	JGE(LabelRef(label("done")))
	Label(label("loop"))
	g.term(sum, label("done"))
	CMPQ(g.k, g.n)
	JLT(LabelRef(label("loop")))
	Label(label("done"))
	for i := range sum {
		VMOVUPD(sum[i], place(g.dst, g.h, i, n))
	}
	if g.indexed {
		Store(g.k, ReturnIndex(0))
	}
	leave()
}

// fetch asks for the row next[k].
func (g *gatherer) fetch(n int) {
	o := GP64()
	MOVL(Mem{Base: g.next, Index: g.k, Scale: 4}, o.As32())
	IMULQ(g.stride, o)
	ADDQ(g.w, o)
	for at := 0; at < n*vector; at += line {
		PREFETCHT0(Mem{Base: o, Disp: at})
	}
}

// term adds term k, and goes to done if there is no such row.
func (g *gatherer) term(sum []VecVirtual, done string) {
	x, v := g.w, YMM()
	if g.indexed {
		o := GP64()
		MOVL(Mem{Base: g.idx, Index: g.k, Scale: 4}, o.As32())
		IMULQ(g.stride, o)
		CMPQ(o, g.limit)
		JHI(LabelRef(done))
		ADDQ(g.w, o)
		x = o
	}
	VBROADCASTSD(Mem{Base: g.val, Index: g.k, Scale: 8}, v)
	for i := range sum {
		t := mul(place(x, g.h, i, len(sum)), v)
		VADDPD(t, sum[i], sum[i])
	}
	if !g.indexed {
		ADDQ(g.stride, g.w)
	}
	INCQ(g.k)
}

// columns writes the kernel that gathers many rows in one call, as most columns of
// a sparse matrix are short. It differs from gather in what is around the terms.
func columns() {
	kernel("gatherMany", "func(dst *float64, h int, w *float64, stride int, val *float64, limit int, "+
		"idx, next *int32, fetch int, ptr *int, rows int, fresh int) int",
		"does dst_j += Σ_k val[k]·W[idx[k]], or = if fresh is not 0, for k from ptr[j] to",
		"ptr[j+1]−1 and j < rows, where dst has rows of h numbers, 4 ≤ h ≤ 48. Where an offset",
		"idx[k]·stride is over limit it ends and returns k, else ptr[rows]. It fetches the",
		"rows next[k] into the cache for the rows j with ptr[j+1] ≤ fetch. Stride and limit are bytes.")
	c := &columner{gatherer{indexed: true, dst: arg("dst"), h: arg("h"), w: arg("w"), stride: arg("stride"),
		val: arg("val"), limit: arg("limit"), idx: arg("idx"), next: arg("next"), k: GP64(), n: GP64()},
		arg("ptr")}
	SHLQ(U8(3), c.h)
	MOVQ(Mem{Base: c.ptr}, c.k)
	c.choose(1, strip, c.body)
}

type columner struct {
	gatherer
	ptr Register
}

func (c *columner) body(n int) {
	label := func(s string) string { return fmt.Sprintf("%s%d", s, n) }
	sum := make([]VecVirtual, n)
	for i := range sum {
		sum[i] = YMM()
	}
	Label(label("row"))
	MOVQ(Mem{Base: c.ptr, Disp: number}, c.n)
	CMPQ(param("fresh"), Imm(0))
	JNE(LabelRef(label("fresh")))
	for i := range sum {
		VMOVUPD(place(c.dst, c.h, i, n), sum[i])
	}
	JMP(LabelRef(label("terms")))
	Label(label("fresh"))
	for i := range sum {
		VXORPD(sum[i], sum[i], sum[i])
	}
	Label(label("terms"))
	CMPQ(c.k, c.n)
	JGE(LabelRef(label("store")))
	CMPQ(c.n, param("fetch"))
	JGT(LabelRef(label("loop")))
	Label(label("ahead"))
	c.fetch(n)
	c.term(sum, label("done"))
	CMPQ(c.k, c.n)
	JLT(LabelRef(label("ahead")))
	JMP(LabelRef(label("store")))
	Label(label("loop"))
	c.term(sum, label("done"))
	CMPQ(c.k, c.n)
	JLT(LabelRef(label("loop")))
	Label(label("store"))
	for i := range sum {
		VMOVUPD(sum[i], place(c.dst, c.h, i, n))
	}
	ADDQ(c.h, c.dst)
	ADDQ(Imm(number), c.ptr)
	DECQ(param("rows"))
	JNE(LabelRef(label("row")))
	Label(label("done"))
	Store(c.k, ReturnIndex(0))
	leave()
}
