// Command gen writes the vector kernels of package kern: simd_amd64.s and, with
// their Go declarations, simd_stub_amd64.go. It is a module of its own, so that
// whoever uses the library need not have avo. After a change to it:
//
//	go generate ./fwopt/internal/kern
//
// Why avo, and neither C nor Go assembly by hand: the library builds with Go alone, on any
// system, without cgo, whose call costs more than a short row; a loop here is a Go function
// that serves many kernels; avo picks the registers, and writes the frame sizes and the
// declarations that go vet then checks. Nor Go's own simd package, an experiment of one
// version. The price is one instruction set: what else there is runs the plain twins.
//
// In the kernels of the features, the loss and the matrices of rank one a product and a
// sum are two roundings, as in the plain Go twins, and not one by FMA: they wait for
// memory, so that FMA was no faster. In those of dense matrices it is twice as fast, and
// the twins have math.FMA. So no bit depends on whether the processor has FMA. Each lane
// of a vector is one output, which takes its terms in the order of the twin, or one of
// four sums in the twin too; so the width of the vectors does not show either.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	number = 8               // bytes
	vector = 32              // bytes
	lanes  = vector / number // numbers in a vector
	line   = 64              // bytes in a line of the cache
	strip  = 12              // at most so many vectors of sums in registers
)

func main() {
	ConstraintExpr("!purego")
	cpuid()
	xgetbv()
	gather("gatherRows", true)
	gather("gatherAllRows", false)
	columns()
	scatter()
	outer("outerRows", "x_j = v_j·u", "", func(c, x, u Op) VecVirtual {
		return mul(u, c)
	})
	outer("lerpRows", "dst_j = a·x_j + b·(v_j·u)", "ab", func(c, x, u Op) VecVirtual {
		t := mul(keep["b"], mul(u, c))
		return add(mul(x, keep["a"]), t)
	})
	outer("addRows", "x_j += a·(v_j·u)", "a", func(c, x, u Op) VecVirtual {
		return add(x, mul(keep["a"], mul(u, c)))
	})
	outer("subRows", "dst_j = x_j − v_j·u", "", func(c, x, u Op) VecVirtual {
		t, r := mul(u, c), YMM()
		VMOVUPD(x, r)
		VSUBPD(t, r, r)
		return r
	})
	exps()
	maximum()
	for n := range 3 {
		tiles(n + 1)
	}
	pairs()
	transpose()
	masks := tails()
	dots(masks)
	combine()
	symmetric()
	poles()
	ratios()
	quotients()
	total()
	above()
	shrink()
	sparseDots()
	fetch()
	gaps(masks)
	Generate()
}

// keep holds the broadcast arguments of the kernel that is being written.
var keep = map[string]VecVirtual{}

func mul(x, y Op) VecVirtual {
	r := YMM()
	VMULPD(x, y, r)
	return r
}

func add(x, y Op) VecVirtual {
	r := YMM()
	VADDPD(x, y, r)
	return r
}

// kernel begins a kernel: its name, its declaration in Go, and, after the name, its comment there.
func kernel(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	doc[0] = name + " " + doc[0]
	Doc(doc...)
	Pragma("noescape")
}

// leave ends it.
func leave() {
	VZEROUPPER()
	RET()
}

// arg loads an argument, param is where it lies, and broadcast loads it into all lanes.
func arg(name string) Register { return Load(Param(name), GP64()) }

func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func broadcast(name string) VecVirtual {
	y := YMM()
	VBROADCASTSD(param(name), y)
	return y
}

// while writes a loop whose body comes with at from what it is to end, by step.
func while(at, end, step Op, body func()) {
	JMP(LabelRef("check"))
	Label("loop")
	body()
	ADDQ(step, at)
	Label("check")
	CMPQ(at, end)
	JLT(LabelRef("loop"))
}

func cpuid() {
	TEXT("cpuid", NOSPLIT, "func(leaf, sub uint32) (a, b, c, d uint32)")
	Doc("cpuid asks the processor what it can do.")
	Load(Param("leaf"), EAX)
	Load(Param("sub"), ECX)
	CPUID()
	Store(EAX, Return("a"))
	Store(EBX, Return("b"))
	Store(ECX, Return("c"))
	Store(EDX, Return("d"))
	RET()
}

func xgetbv() {
	TEXT("xgetbv", NOSPLIT, "func() uint32")
	Doc("xgetbv says which registers the operating system keeps.")
	XORL(ECX, ECX)
	XGETBV()
	Store(EAX, ReturnIndex(0))
	RET()
}
