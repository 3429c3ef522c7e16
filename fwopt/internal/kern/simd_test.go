package kern

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// narrowly runs f without AVX-512.
func narrowly(f func()) {
	defer func(v bool) { wide = v }(wide)
	wide = false
	f()
}

func needVectors(t testing.TB) {
	if !vectors {
		t.Skip("no vector kernels here")
	}
}

var specials = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -0x1p-1040,
	math.MaxFloat64, -math.MaxFloat64, 1, 0x1p-1022, 1 + 0x1p-52}

// numbers draws n numbers: one in rare of them is special, if rare > 0.
func numbers(rng *rand.Rand, n, rare int) []float64 {
	x := randomVector(rng, n)
	for i := range x {
		if rare > 0 && rng.IntN(rare) == 0 {
			x[i] = specials[rng.IntN(len(specials))]
		}
	}
	return x
}

// A task is a call of one kernel: out is what it may write, and in what it reads.
type task struct {
	name string
	out  []float64
	in   [3][]float64
	idx  []int32
	ptr  []int
	c    float64
	run  func(*task)
	// naive is the definition, a number at a time; nil where another test holds it.
	naive func(t *task, j, l int, x float64) float64
}

// tasks draws arguments for every kernel, with rows of h numbers and n terms.
func tasks(rng *rand.Rand, h, n, rare int) []*task {
	draw := func(k int) []float64 { return numbers(rng, k, rare) }
	m := n + rng.IntN(5)
	idx := make([]int32, n, n+60)
	for k := range idx {
		idx[k] = int32(rng.IntN(m))
	}
	for range rng.IntN(60) { // what comes next, from another matrix
		idx = append(idx, int32(rng.Uint32()))
	}
	val, sparse := draw(n), draw(n)
	for k := range sparse {
		if rng.IntN(3) == 0 {
			sparse[k] = math.Copysign(0, float64(rng.IntN(2))-0.5)
		}
	}
	gamma := rng.Float64()
	ptr := make([]int, 2+rng.IntN([]int{6, n + 1}[rng.IntN(2)])) // few columns, or as many as terms
	for j := range ptr {
		ptr[j] = rng.IntN(n + 1)
	}
	slices.Sort(ptr)
	many := func(fresh bool) *task {
		return &task{name: fmt.Sprint("GatherMany, fresh = ", fresh), out: draw(h * (len(ptr) - 1)),
			in: [3][]float64{draw(m * h), val}, idx: idx, ptr: ptr,
			run: func(t *task) { GatherMany(t.out, t.in[0], h, t.ptr, t.idx, t.in[1], fresh) },
			naive: func(t *task, j, l int, x float64) float64 {
				if fresh {
					x = 0
				}
				for k := ptr[j]; k < ptr[j+1]; k++ {
					x += float64(t.in[1][k] * t.in[0][int(t.idx[k])*h+l])
				}
				return x
			}}
	}
	return append(slices.Concat(denseTasks(rng, h, n, rare), secularTasks(rng, h, rare),
		streamTasks(rng, h, n, rare), lossTasks(rng, h, rare)), []*task{
		many(false), many(true),
		{name: "Gather", out: draw(h), in: [3][]float64{draw(m * h), val}, idx: idx,
			run: func(t *task) { Gather(t.out, t.in[0], t.idx, t.in[1]) },
			naive: func(t *task, _, l int, x float64) float64 {
				for k, v := range t.in[1] {
					x += float64(v * t.in[0][int(t.idx[k])*h+l])
				}
				return x
			}},
		{name: "GatherAll", out: draw(h), in: [3][]float64{draw(m * h), val},
			run: func(t *task) { GatherAll(t.out, t.in[0], t.in[1]) },
			naive: func(t *task, _, l int, x float64) float64 {
				for k, v := range t.in[1] {
					x += float64(v * t.in[0][k*h+l])
				}
				return x
			}},
		{name: "Scatter", out: draw(m * h), in: [3][]float64{draw(h), val}, idx: idx,
			run: func(t *task) { Scatter(t.out, t.in[0], t.idx, t.in[1]) },
			naive: func(t *task, j, l int, x float64) float64 {
				for k, v := range t.in[1] {
					if int(t.idx[k]) == j {
						x += float64(v * t.in[0][l])
					}
				}
				return x
			}},
		{name: "Axpy", out: draw(n * h), in: [3][]float64{draw(n * h)}, c: 3 * gamma,
			run: func(t *task) { Axpy(t.out, t.c, t.in[0]) },
			naive: func(t *task, j, l int, x float64) float64 {
				return x + float64(t.c*t.in[0][j*h+l])
			}},
		{name: "Outer", out: draw(n * h), in: [3][]float64{draw(h), sparse},
			run: func(t *task) { Outer(t.out, t.in[0], t.in[1]) },
			naive: func(t *task, j, l int, x float64) float64 {
				if t.in[1][j] == 0 {
					return 0
				}
				return t.in[1][j] * t.in[0][l]
			}},
		{name: "LerpOuter", out: draw(n * h), in: [3][]float64{draw(h), sparse}, c: gamma,
			run: func(t *task) { LerpOuter(t.out, t.out, t.c, t.in[0], t.in[1]) },
			naive: func(t *task, j, l int, x float64) float64 {
				if t.in[1][j] == 0 {
					return (1 - t.c) * x
				}
				return float64((1-t.c)*x) + float64(t.c*float64(t.in[1][j]*t.in[0][l]))
			}},
		{name: "Lerp", out: draw(n * h), in: [3][]float64{draw(n * h), draw(n * h)}, c: gamma,
			run: func(t *task) { Lerp(t.out, t.in[0], t.c, t.in[1]) },
			naive: func(t *task, j, l int, _ float64) float64 {
				return float64((1-t.c)*t.in[0][j*h+l]) + float64(t.c*t.in[1][j*h+l])
			}},
		{name: "AddOuter", out: draw(n * h), in: [3][]float64{draw(h), sparse}, c: 3 * gamma,
			run: func(t *task) { AddOuter(t.out, t.c, t.in[0], t.in[1]) },
			naive: func(t *task, j, l int, x float64) float64 {
				if t.in[1][j] != 0 {
					x += float64(t.c * float64(t.in[1][j]*t.in[0][l]))
				}
				return x
			}},
		{name: "SubOuter", out: draw(n * h), in: [3][]float64{draw(h), sparse, draw(n * h)},
			run: func(t *task) { SubOuter(t.out, t.in[2], t.in[0], t.in[1]) },
			naive: func(t *task, j, l int, _ float64) float64 {
				if t.in[1][j] == 0 {
					return t.in[2][j*h+l]
				}
				return t.in[2][j*h+l] - float64(t.in[1][j]*t.in[0][l])
			}},
		{name: "SubOuter in place", out: draw(n * h), in: [3][]float64{draw(h), sparse},
			run: func(t *task) { SubOuter(t.out, t.out, t.in[0], t.in[1]) },
			naive: func(t *task, j, l int, x float64) float64 {
				if t.in[1][j] != 0 {
					x -= float64(t.in[1][j] * t.in[0][l])
				}
				return x
			}},
	}...)
}

// secularTasks draws arguments for the kernels of the secular equation.
func secularTasks(rng *rand.Rand, n, rare int) []*task {
	draw := func(k int) []float64 { return numbers(rng, k, rare) }
	lo, at := rng.IntN(n+1), rng.NormFloat64()
	sum := func(down bool) *task {
		return &task{name: fmt.Sprint("poles, down = ", down), out: draw(n + 3),
			in: [3][]float64{draw(n), draw(n)},
			run: func(t *task) {
				t.out[n], t.out[n+1], t.out[n+2] = Poles(t.out[:n], t.in[0], t.in[1], lo, n, at, 0.1, down)
			}}
	}
	return []*task{sum(false), sum(true),
		{name: "loewner", out: draw(n), in: [3][]float64{draw(n), draw(n)},
			run: func(t *task) { Loewner(t.out, t.in[0], t.in[1], at, lo) },
			naive: func(t *task, j, l int, x float64) float64 {
				if l < lo {
					return x
				}
				return x * (t.in[0][l] / (t.in[1][l] - at))
			}},
		{name: "divide", out: draw(n + 1), in: [3][]float64{draw(n), draw(n)},
			run: func(t *task) { t.out[n] = Divide(t.out[:n], t.in[0], t.in[1]) }},
	}
}

// same compares bits; NaNs have no others than that they are, for the processor picks
// one of two.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// sameBits fails unless the vector kernel, its plain twin and the definition have the
// same bits. place moves a slice to where the kernel shall work on it.
func (k *task) sameBits(t *testing.T, h, n int, place func([]float64) []float64,
	placeIdx func([]int32) []int32) {
	t.Helper()
	before := slices.Clone(k.out)
	k.out = slices.Clone(before)
	Plainly(func() { k.run(k) })
	plain := k.out
	if wide {
		k.out = slices.Clone(before)
		narrowly(func() { k.run(k) })
		for i, x := range k.out {
			if !same(x, plain[i]) {
				t.Fatalf("%s, h = %d, %d terms, without AVX-512: number %d is %x, plainly %x", k.name, h, n,
					i, x, plain[i])
			}
		}
	}
	k.out = place(before)
	for i, x := range k.in {
		k.in[i] = place(x)
	}
	k.idx = placeIdx(k.idx)
	k.run(k)
	for i, x := range k.out {
		if !same(x, plain[i]) {
			t.Fatalf("%s, h = %d, %d terms: number %d is %x, plainly %x", k.name, h, n, i, x, plain[i])
		}
		if k.naive == nil || h == 1 && strings.HasPrefix(k.name, "Gather") {
			continue // these add up in another order
		}
		if want := k.naive(k, i/h, i%h, before[i]); !same(x, want) {
			t.Fatalf("%s, h = %d, %d terms: number %d is %x, by definition %x", k.name, h, n, i, x, want)
		}
	}
}

func TestTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for h := 1; h <= 70; h++ {
		for n := 0; n <= 40; n++ {
			for _, k := range tasks(rng, h, n, []int{0, 0, 9, 60}[(h+n)%4]) {
				off := rng.IntN(8)
				var guards [][]float64
				k.sameBits(t, h, n, func(x []float64) []float64 { // misaligned, with room that nobody may write to
					big := numbers(rng, len(x)+off+70, 0)
					copy(big[off:], x)
					guards = append(guards, big[:off], slices.Clone(big[:off]), big[off+len(x):],
						slices.Clone(big[off+len(x):]))
					return big[off : off+len(x)]
				}, func(x []int32) []int32 {
					return append(make([]int32, off&1, off+len(x)+1), x...)[off&1:]
				})
				for i := 0; i < len(guards); i += 2 {
					if !slices.Equal(guards[i], guards[i+1]) {
						t.Fatalf("%s, h = %d, %d terms: wrote outside of its slice", k.name, h, n)
					}
				}
			}
		}
	}
}

// A factor of 0: what is added are zeros of either sign, and NaN.
func TestTwinsZero(t *testing.T) {
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		for _, x := range specials {
			for _, y := range specials {
				w, v := slices.Repeat([]float64{x}, 9), slices.Repeat([]float64{y}, 9)
				Axpy(w, zero, v)
				for _, got := range w {
					if want := x + float64(zero*y); !same(got, want) {
						t.Fatalf("%g + %g·%g is %g, want %g", x, zero, y, got, want)
					}
				}
			}
		}
	}
}

// Long rows and many of them: several strips, several pieces.
func TestTwinsLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, c := range [][2]int{{1, Chunk + 1}, {4, 9000}, {48, 3000}, {48, 3000}, {48, 3000}, {53, 700},
		{1000, 70}, {70000, 2}} {
		for _, k := range tasks(rng, c[0], c[1], 0) {
			if k.name != "Scatter" { // whose definition takes n² steps
				k.sameBits(t, c[0], c[1], slices.Clone[[]float64], slices.Clone[[]int32])
			}
		}
	}
}

// The collector stops the world again and again while the kernels run.
func TestTwinsPreempted(t *testing.T) {
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	TestTwinsLong(t)
	close(stop)
	<-done
}

// What is out of range panics as an index does, in the kernels as in their twins, and
// nothing is written beyond the slice, though there is room.
func TestOutOfRange(t *testing.T) {
	const m = 9
	rng := rand.New(rand.NewPCG(15, 16))
	for _, h := range []int{1, 2, 4, 7, 20, 60} {
		room := slices.Repeat([]float64{7}, (m+3)*h)
		w, p := room[:m*h], randomVector(rng, h)
		val, v := randomVector(rng, 40), slices.Repeat([]float64{1}, m+1)
		for name, f := range map[string]func(){
			"AddOuter":  func() { AddOuter(w, 1, p, v) },
			"Outer":     func() { Outer(w, p, v) },
			"LerpOuter": func() { LerpOuter(room, w, 0.5, p, v) },
			"SubOuter":  func() { SubOuter(room[:(m+1)*h], w, p, v) },
			"GatherAll": func() { GatherAll(p, w, v) },
		} {
			panics(t, fmt.Sprint(name, ", h = ", h), f)
		}
		panics(t, "SubOuter to less", func() { SubOuter(w, room[:(m+1)*h], p, v) })
		panics(t, "few indices", func() { Gather(p, w, make([]int32, 39, 50), val) })
		panics(t, "few indices", func() { Scatter(w, p, make([]int32, 39, 50), val) })
		panics(t, "no row", func() {
			GatherMany(slices.Clone(p), w[:h-1], h, []int{0, 40}, make([]int32, 40), val, false)
		})
		for _, n := range []int{39, 40} {
			panics(t, "few of many", func() {
				GatherMany(slices.Clone(p), w, h, []int{0, 40}, make([]int32, n, 50), val[:79-n], false)
			})
		}
		panics(t, "no place", func() {
			GatherMany(room[:h], w, h, []int{0, 1, 2}, make([]int32, 40), val, false)
		})
		panics(t, "no row", func() { Gather(p, w[:h-1], make([]int32, 40), val) })
		panics(t, "no row", func() { Scatter(w[:h-1], p, make([]int32, 40), val) })
		for at := range 40 {
			for _, bad := range []int32{m, m + 1, -1, math.MinInt32, math.MaxInt32} {
				if strconv.IntSize == 32 && (bad < -1 || bad > m+1) {
					continue // times h it is another number there
				}
				idx := make([]int32, 40)
				for k := range idx {
					idx[k] = int32(rng.IntN(m))
				}
				idx[at] = bad
				panics(t, fmt.Sprintf("Gather, h = %d, index %d", h, bad), func() { Gather(p, w, idx, val) })
				panics(t, fmt.Sprintf("Scatter, h = %d, index %d", h, bad),
					func() { Scatter(w, p, idx, val) })
				panics(t, fmt.Sprintf("GatherMany, h = %d, index %d", h, bad), func() {
					GatherMany(make([]float64, 3*h), w, h, []int{0, 11, 11, 40}, idx, val, true)
				})
			}
		}
		for _, x := range room[(m+1)*h:] {
			if x != 7 {
				t.Fatalf("h = %d: written beyond the slice", h)
			}
		}
	}
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	try := func(how string) {
		defer func() {
			if e, ok := recover().(runtime.Error); !ok || !strings.Contains(e.Error(), "out of range") {
				t.Fatalf("%s, %s: panic %v, want one of a range", what, how, e)
			}
		}()
		f()
	}
	try("vectors")
	Plainly(func() { try("plainly") })
}

// The processor is asked what the operating system says of it.
func TestHasVectors(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || !built {
		t.Skip("nobody to ask")
	}
	_, flags, _ := strings.Cut(string(info), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	want := strings.Contains(flags+" ", " avx2 ") && strings.Contains(flags+" ", " fma ")
	if got := hasVectors(); got != want {
		t.Errorf("hasVectors() = %t; /proc/cpuinfo: %s", got, flags)
	}
}

// The generator writes what is kept.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the generator")
	}
	if _, err := os.Stat("gen/go.mod"); err != nil {
		t.Skip("a module of its own, which is not here: ", err)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = "gen"
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		return cmd.CombinedOutput()
	}
	if out, err := run("mod", "download"); err != nil {
		t.Skipf("avo cannot be fetched: %s", out)
	}
	dir := t.TempDir()
	if out, err := run("run", ".", "-pkg", "kern", "-out", filepath.Join(dir, "simd_amd64.s"),
		"-stubs", filepath.Join(dir, "simd_stub_amd64.go")); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"simd_amd64.s", "simd_stub_amd64.go"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(afterFirst(got), afterFirst(want)) {
			t.Errorf("%s is not what the generator writes: go generate ./fwopt/internal/kern", name)
		}
	}
}

// No compiler fuses a product and a sum of the twins where the processor could: their
// bits would be others there.
func TestNothingFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another processor")
	}
	cmd := exec.Command("go", "build", "-gcflags=-S", ".", "../eigen")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fused := regexp.MustCompile(`\tF(N?M(ADD|SUB))[SD]?\t`)
	seen := false
	for text := range strings.Lines(string(out)) {
		if !fused.MatchString(text) {
			continue
		}
		for _, file := range []string{"sparse.go", "outer.go", "exp.go", "softmax.go", "secular.go",
			"eigen.go", "divide.go", "leaf.go", "reduce.go"} {
			if strings.Contains(text, "/"+file+":") {
				t.Errorf("fused on arm64: %s", text)
			}
		}
		seen = seen || strings.Contains(text, "/lanczos.go:") // where nothing forbids it
	}
	if !seen {
		t.Error("nothing is fused anywhere: does this test still read what the compiler writes?")
	}
}

// afterFirst returns the text after the first line, which has the command.
func afterFirst(text []byte) []byte {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}

func BenchmarkTwins(b *testing.B) {
	for _, h := range []int{4, 19, 20, 53, 128} {
		for _, k := range tasks(rand.New(rand.NewPCG(1, 2)), h, 4000, 0) {
			for name, on := range map[string]bool{"vectors": true, "plain": false} {
				b.Run(fmt.Sprintf("%s/h=%d/%s", k.name, h, name), func(b *testing.B) {
					defer func(v bool) { vectors = v }(vectors)
					if vectors = vectors && on; vectors != on {
						b.Skip("no vector kernels here")
					}
					for b.Loop() {
						k.run(k)
					}
				})
			}
		}
	}
}
