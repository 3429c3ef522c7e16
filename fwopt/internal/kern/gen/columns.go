package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns writes the kernel that gathers many rows in one call, as most columns of
// a sparse matrix are short. It differs from gather in what is around the terms.
func columns() {
	kernel("gatherMany", "func(dst *float64, h int, w *float64, stride int, val *float64, limit int, "+
		"idx, next *int32, fetch int, ptr *int, rows int, fresh int) int",
		"gatherMany does dst_j += Σ_k val[k]·W[idx[k]], or = if fresh is not 0, for k from ptr[j] to",
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
