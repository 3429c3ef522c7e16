package fwrace

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Adam, Muon with Adam, and SGD with momentum a second time, as sums over all old gradients.
func TestNetRivals(t *testing.T) {
	f, box := small.Noisy(5, 40, 1, 3)
	rate := func(k int) float64 { return 0.1 / float64(k) }
	sum := func(g [][]float64, j int, beta, power float64) (p, total float64) {
		for i := range g {
			age := float64(len(g) - 1 - i)
			p, total = p+math.Pow(beta, age)*math.Pow(g[i][j], power), total+math.Pow(beta, age)
		}
		return p, total
	}
	adam := func(g [][]float64, j int, beta2 float64) float64 {
		p, P := sum(g, j, 0.9, 1)
		q, Q := sum(g, j, beta2, 2)
		return p / P / (math.Sqrt(q/Q) + 1e-8)
	}
	for name, c := range map[string]struct {
		m    fwopt.Method
		step func(g [][]float64, j int, w float64) float64 // of coordinate j, by the gradients so far
	}{
		"Adam": {Adam(3, rate, 0.9, 0.99, 0.5, 3, 2), func(g [][]float64, j int, w float64) float64 {
			return float64(1+j/3) * (adam(g, j, 0.99) + w/2)
		}},
		"Muon, Adam": {MuonAdam(3, rate, fwset.L2Ball{D: 3, R: 1}, 1, 0.05, 0.95, 0.5, 2), func(g [][]float64,
			j int, w float64) float64 {
			if j == 0 || j == 4 {
				return 2 * (adam(g, j, 0.95) + w/2)
			}
			var u [3]float64
			for l := range u {
				d, _ := sum(g, l+1, 0.95, 1)
				u[l] = 0.05*g[len(g)-1][l+1] + 0.95*0.05*d
			}
			return u[j-1]/floats.Norm(u[:], 2) + w/2
		}},
		"SGD, momentum": {SGDMomentum(3, rate, 0.5, 0.25), func(g [][]float64, j int, w float64) float64 {
			p, _ := sum(g, j, 0.5, 1)
			return p + w/4
		}},
	} {
		o, w, all := fwopt.NewOracle(f, box, 7), make([]float64, 5), [][]float64{}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, box, 7).From(w), c.m,
			fwopt.Budget{Steps: 30})
		for k := range 30 {
			g := make([]float64, 5)
			o.StochasticGrad(g, w, 3)
			all = append(all, g)
			for j := range w {
				w[j] -= rate(k+1) * c.step(all, j, w[j])
			}
		}
		if d := floats.Distance(tr.W, w, 2); tr.Method != name || !(d <= 1e-12) {
			t.Errorf("%s: %g off", tr.Method, d)
		}
	}
}

// Muon's five turns change the singular values alone, by a polynomial, whatever the shape.
func TestFiveTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, s := range [][2]int{{1, 1}, {3, 7}, {7, 3}, {20, 20}, {64, 10}} {
		b := FiveTurns{s[0], s[1], 2}
		g, got := make([]float64, b.Dim()), make([]float64, b.Dim())
		for k := range g {
			g[k] = rng.NormFloat64()
		}
		b.Argmin(got, g)
		var svd mat.SVD
		svd.Factorize(mat.NewDense(s[1], s[0], g), mat.SVDThin)
		var u, v, want mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		sigma := svd.Values(nil)
		floats.Scale(1/floats.Norm(g, 2), sigma)
		for i, x := range sigma {
			for range 5 {
				x = 3.4445*x - 4.7750*math.Pow(x, 3) + 2.0315*math.Pow(x, 5)
			}
			sigma[i] = -2 * x
		}
		want.Product(&u, mat.NewDiagDense(len(sigma), sigma), v.T())
		if d := floats.Distance(got, want.RawMatrix().Data, math.Inf(1)); !(d <= 1e-12) {
			t.Errorf("%v: %g off", s, d)
		}
	}
	if b := (FiveTurns{2, 2, 1}); !slices.Equal(func() []float64 {
		v := []float64{1, 1, 1, 1}
		b.Argmin(v, make([]float64, 4))
		return v
	}(), make([]float64, 4)) {
		t.Error("the answer to 0 is not 0")
	}
}

// Each run spends ten passes of gradients, up to a step, and comes out again; most of them learn.
func TestNetRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	n := NewNet("digits", 16, 1)
	for _, name := range NetMethods() {
		at := [5]int{-6, 8, -2, -4, -10}
		if strings.Contains(name, "Adam") {
			at[1] = 0 // times the rate
		}
		r := n.Train(name, at, 1)
		if again := n.Train(name, at, 1); again.key() != r.key() || !slices.Equal(again.Loss, r.Loss) {
			t.Errorf("%s: %v, and again %v", name, r, again)
		}
		if len(r.Loss) != netPasses || !(r.Seconds > 0) || !(r.Last() < 3) ||
			!(r.Valid > 0.2) || !(r.Test > 0.2) {
			t.Errorf("%s: %v", name, r)
		}
	}
	got := small.Panics(func() { n.Train("none", [5]int{}, 1) })
	if !strings.Contains(got, `no method "none"`) {
		t.Errorf("panic %q", got)
	}
}

// An archive is what was raced, and says what is missing or damaged.
func TestNetArchive(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nets.csv")
	lost := NetRaces()[1]
	var first NetRun
	for _, p := range NetRaces() {
		k, err := p.open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 3 {
			r := NetRun{p.Data, p.Method, p.Width, [5]int{step, 1, 2, 3, 4}, tuning + 1,
				slices.Repeat([]float64{float64((step - 1) * (step - 1))}, netPasses),
				0.75 - float64(step)/8, 0.5, 1}
			if step == 2 {
				r.Loss[9] = math.Inf(1)
			}
			if first.Method == "" {
				first = r
			}
			k.add(r.String())
		}
		if p != lost {
			k.add(done)
		}
	}
	missing, err := CollectNets(dir, path)
	if err != nil || !slices.Equal(missing, []string{lost.String()}) {
		t.Errorf("missing %q, error %v", missing, err)
	}
	a, err := OpenNets(path)
	if err != nil || len(a.Facts) == 0 {
		t.Fatal(err, a.Facts)
	}
	if got := a.Of(first.Data, first.Width, first.Method, first.At, true); len(got) != 1 ||
		got[0].String() != first.String() {
		t.Errorf("%v, want %v", got, first)
	}
	if at := a.Best("digits", 16, "Scion", NetRun.Last); at != [5]int{1, 1, 2, 3, 4} ||
		a.Best("digits", 16, "Scion", NetRun.Wrong) != [5]int{0, 1, 2, 3, 4} ||
		len(a.Tried("digits", 16, "Scion")) != 3 ||
		len(a.Of(lost.Data, lost.Width, lost.Method, at, true)) != 0 {
		t.Errorf("the best is %v of %v", at, a.Tried("digits", 16, "Scion"))
	}
	text, _ := os.ReadFile(path)
	os.WriteFile(path, slices.Concat(text[:len(text)-9], []byte("9"), text[len(text)-8:]), 0o666)
	if _, err := OpenNets(path); err == nil || !strings.Contains(err.Error(), "damaged or edited") {
		t.Errorf("error %v", err)
	}
}
