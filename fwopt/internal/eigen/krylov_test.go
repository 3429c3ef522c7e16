package eigen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// falls is a matrix of order s with the eigenvalues w, and its product with rows.
func falls(rng *rand.Rand, w []float64) (g []float64, mul func(w, q []float64, n int)) {
	s := len(w)
	g = withSpectrum(rng, w)
	return g, func(w, q []float64, n int) { kern.Mul(w, n, g, s, false, q, s, true, s, n, s, 1, 0) }
}

// The largest eigenvalues and their vectors against the spectrum that the matrix was made
// of, where they are equal, close and apart, and where the rank is less than a block.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	for name, f := range map[string]func(i int) float64{
		"falling":    func(i int) float64 { return 1 / float64((i+1)*(i+1)) },
		"equal":      func(i int) float64 { return math.Pow(1e-2, float64(i/Block)) },
		"close":      func(i int) float64 { return math.Pow(1e-2, float64(i/Block)) * (1 - 1e-9*float64(i)) },
		"geometric":  func(i int) float64 { return math.Pow(0.8, float64(i)) },
		"rank three": func(i int) float64 { return max(0, float64(3-i)) },
		"one large":  func(i int) float64 { return 1 + 1e9*max(0, 1-float64(i)) },
	} {
		for _, s := range []int{290, 301, 333} {
			w := make([]float64, s)
			for i := range w {
				w[i] = f(i)
			}
			g, mul := falls(rng, slices.Clone(w))
			most := map[string]int{"rank three": 3, "one large": 1, "equal": Block, "close": Block}[name]
			if most == 0 {
				most = 10
			}
			for _, r := range []int{1, most} {
				what := fmt.Sprintf("%s, order %d, %d", name, s, r)
				u, lambda := rubbish(s/2*s), rubbish(s/2)
				asked := 0
				got, _ := Largest(u, lambda, s, nil, 3*Block, mul, func(ritz []float64) (int, float64) {
					if asked++; asked == 1 {
						return 0, 0 // more, please
					}
					if !slices.IsSorted(ritz) {
						t.Fatalf("%s: Ritz values are not in order", what)
					}
					return r, 1e-12 * math.Sqrt(w[0])
				})
				if got != r || asked < 2 {
					t.Fatalf("%s: %d vectors", what, got)
				}
				checkVectors(t, what, g, s, lambda[:r], u)
				for i, l := range lambda[:r] {
					if x := w[r-1-i]; !(math.Abs(l-x) <= 2*roundingOf(s)*w[0]) {
						t.Errorf("%s: eigenvalue %d is %.17g, want %.17g", what, i, l, x)
					}
				}
			}
		}
	}
}

// It gives up where it is told to, and where the basis is too small.
func TestLargestGivesUp(t *testing.T) {
	const s = 120
	rng := rand.New(rand.NewPCG(67, 68))
	w := make([]float64, s)
	for i := range w {
		w[i] = 1 + rng.Float64()
	}
	_, mul := falls(rng, w)
	u, lambda := make([]float64, s/2*s), make([]float64, s/2)
	for _, answer := range []int{-1, 0, 1} {
		asked := 0
		if r, _ := Largest(u, lambda, s, nil, 3*Block, mul,
			func([]float64) (int, float64) { asked++; return answer, 0 }); r != 0 {
			t.Errorf("%d vectors where the answer is %d", r, answer)
		}
		if asked == 0 || asked > 1 && answer < 0 {
			t.Errorf("the answer %d was asked for %d times", answer, asked)
		}
	}
}

// The bits depend neither on the vector kernels nor on the number of processors.
func TestLargestSameBits(t *testing.T) {
	const s, r = 500, 9
	rng := rand.New(rand.NewPCG(71, 72))
	w := make([]float64, s)
	for i := range w {
		w[i] = 1 / float64((i+1)*(i+1))
	}
	_, mul := falls(rng, w)
	solve := func() []float64 {
		u, lambda := make([]float64, s/2*s), make([]float64, s/2)
		n, _ := Largest(u, lambda, s, nil, 3*Block, mul, func([]float64) (int, float64) { return r, 1e-12 })
		if n != r {
			t.Fatalf("%d vectors", n)
		}
		return slices.Concat(u[:r*s], lambda[:r])
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := solve()
	differ := func(how string) {
		if !slices.Equal(one, solve()) {
			t.Fatalf("other bits %s", how)
		}
	}
	kern.Plainly(func() { differ("plainly") })
	runtime.GOMAXPROCS(3)
	differ("on three processors")
}
