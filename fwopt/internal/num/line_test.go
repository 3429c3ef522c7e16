package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Functions on which Newton's method alone overshoots, creeps or stands still.
func TestMinimize(t *testing.T) {
	for name, c := range map[string]struct {
		slope func(x float64) (d1, d2 float64)
		want  float64
	}{
		"parabola":        {func(x float64) (float64, float64) { return 3 * (x - 0.3), 3 }, 0.3},
		"parabola, left":  {func(x float64) (float64, float64) { return x + 1, 1 }, 0},
		"parabola, right": {func(x float64) (float64, float64) { return x - 1.5, 1 }, 1},
		"at the end":      {func(x float64) (float64, float64) { return x - 1, 1 }, 1},
		"constant":        {func(x float64) (float64, float64) { return 0, 0 }, 0},
		"line":            {func(x float64) (float64, float64) { return -1, 0 }, 1},
		"tiny":            {func(x float64) (float64, float64) { return x - 1e-9, 1 }, 1e-9},
		"a hair past the end": { // and Newton's second step with it
			func(x float64) (float64, float64) {
				if x == 0 {
					return 1e-10 - 1, 1
				}
				return x - (1 + 1e-10), 1
			}, 1},
		"decay": { // steps of 1e-4 all the way
			func(x float64) (float64, float64) { return 1e-300 - math.Exp(-1e4*x), 1e4 * math.Exp(-1e4*x) },
			300 * math.Ln10 / 1e4},
		"wall": { // flat, then steep
			func(x float64) (float64, float64) {
				e := math.Exp(-1e4 * math.Abs(x-0.9))
				p := e / (1 + e) // of 1/(1 + exp(−1e4(x−0.9))) and 1 minus it, the smaller one
				if x > 0.9 {
					p = 1 - p
				}
				return 1e4*p - 1e-3, 1e8 * e / (1 + e) / (1 + e)
			}, 0.9 - math.Log(1e7-1)/1e4},
		"kink": {func(x float64) (float64, float64) { return math.Copysign(1, x-0.7), 0 }, 0.7},
		"flat at the minimum": {func(x float64) (float64, float64) {
			return math.Pow(x-0.2, 3), 3 * math.Pow(x-0.2, 2)
		}, 0.2},
	} {
		calls := 0
		got := MinimizeByNewton(func(x float64) (float64, float64) {
			calls++
			return c.slope(x)
		})
		tol := 1e-12 * c.want
		if name == "kink" || name == "flat at the minimum" {
			tol = 1e-8
		}
		if !(math.Abs(got-c.want) <= tol) || calls > 60 {
			t.Errorf("%s: %.17g after %d steps, want %.17g", name, got, calls, c.want)
		}
		calls = 0
		got = MinimizeBySlope(func(x float64) float64 {
			calls++
			d1, _ := c.slope(x)
			return d1
		})
		if !(math.Abs(got-c.want) <= 1e-12*c.want) || calls > 100 {
			t.Errorf("%s, without the second derivative: %.17g after %d steps, want %.17g", name, got, calls,
				c.want)
		}
	}
}

// Where the slope jumps at 0 there is no root to find, and both end.
func TestMinimizeAtAJump(t *testing.T) {
	slope := func(x float64) float64 {
		if x == 0 {
			return -1
		}
		return 1
	}
	newton := MinimizeByNewton(func(x float64) (float64, float64) { return slope(x), 0 })
	if chord := MinimizeBySlope(slope); !(newton >= 0 && newton < 1e-15 && chord >= 0 && chord < 1e-15) {
		t.Errorf("minima at %g and %g, want 0", newton, chord)
	}
}

// On sums of smooth functions a handful of steps is enough, wherever the root;
// without the second derivative it takes a few more.
func TestMinimizeIsFast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 1000
	var total, most [2]int
	for range trials {
		a, b, root := math.Exp(rng.NormFloat64()), math.Exp(3*rng.NormFloat64()), rng.Float64()
		calls := 0
		slope := func(x float64) (float64, float64) {
			calls++
			u := (x + 100) - (root + 100) // the slope is rounded, too: it need not come to 0
			th := math.Tanh(b * u)
			return a*u + th + 1e-15, a + b*(1-th*th)
		}
		for k, minimize := range []func() float64{
			func() float64 { return MinimizeByNewton(slope) },
			func() float64 {
				return MinimizeBySlope(func(x float64) float64 {
					d1, _ := slope(x)
					return d1
				})
			},
		} {
			calls = 0
			if got := minimize(); !(math.Abs(got-root) <= 1e-12) {
				t.Errorf("root %.17g, found %.17g after %d steps", root, got, calls)
			}
			total[k] += calls
			most[k] = max(most[k], calls)
		}
	}
	if total[0] > 5.5*trials || most[0] > 20 || total[1] > 8.5*trials || most[1] > 120 {
		t.Errorf("%d and %d steps for %d minima, %d at most", total[0], total[1], trials, most)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -123: "-123",
		-1234: "-1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
