// Package small holds what the tests of several packages run: small problems and all methods.
package small

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// Problem is a small instance of the package's own parts, so that Keep keeps
// it: least squares over the unit simplex.
func Problem() (fwopt.FiniteSum, fwopt.Domain) {
	x, b := Data()
	return fwsum.NewLeastSquares(x, b), fwset.Simplex{D: 8, R: 1}
}

// Wide is a small instance with an iterative linear optimisation, whose warm
// start and random numbers are part of a run: a logistic loss over a trace-norm
// ball, with more classes and features than the Gram matrix is used for.
func Wide() (fwopt.FiniteSum, fwopt.Domain) {
	const n, m, h = 120, 90, 80
	x := Rows(n, m)
	y := make([]int, n)
	for i := range y {
		y[i] = i % h
	}
	return fwsum.NewLogistic(x, y, h), fwset.TraceNorm{H: h, M: m, Tau: 0.7}
}

// Network is a small instance for fwroad.PathGP, which takes networks alone: 3 × 3 crossings with streets
// both ways, and nine demands that fill them.
func Network() (fwopt.FiniteSum, fwopt.Domain) {
	var links []fwroad.Link
	var arcs []fwroad.Arc
	var demands []fwroad.Demand
	r := rand.New(rand.NewPCG(7, 5))
	for u := range 9 {
		for _, v := range []int{u + 1, u + 3} {
			if v < 9 && (v != u+1 || v%3 > 0) {
				for _, a := range []fwroad.Arc{{From: u, To: v}, {From: v, To: u}} {
					arcs = append(arcs, a)
					links = append(links, fwroad.Link{Free: 1 + 2*r.Float64(), Capacity: 2 + 2*r.Float64(),
						B: 0.15, Power: 4})
				}
			}
		}
		to := (u + 1 + r.IntN(8)) % 9
		demands = append(demands, fwroad.Demand{From: u, To: to, Flow: 2 + 2*r.Float64()})
	}
	return fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0)
}

// Video is one of notebooks/video's, and its tracks: a simplex for each frame.
func Video() (*fwdata.Video, fwset.Product) {
	file, err := os.Open("../../datasets/video/aeroplane.csv.gz")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	video, err := fwdata.ReadVideo(file, "aeroplane.csv.gz")
	if err != nil {
		panic(err)
	}
	var tracks fwset.Product
	for _, n := range video.Frames {
		tracks = append(tracks, fwset.Simplex{D: n, R: 1})
	}
	return video, tracks
}

// Methods makes one fresh method of each kind: those that are registered, by their names, and
// others of the same types; but for PathGP, which Problem is nothing for, and what is fwopt.Free, which has no
// duality gap.
func Methods() map[string]fwopt.Method {
	c := fwopt.Constants{L: 20, D: math.Sqrt2, G: 30, Alpha: 2, Sigma: 30, Rho: 2}
	guess, search := fwopt.Constants{L: 0.1, D: math.Sqrt2}, fwopt.LineSearch{}
	scgs, storc, adaptive := fwopt.SCGSExperiments(guess), fwopt.STORCExperiments(guess),
		fwmore.NewAdaptiveSTORC()
	scgs.Memory.Size, storc.Memory.Size, adaptive.Memory.Size = 3, 3, 3 // full soon
	all := map[string]fwopt.Method{
		"FWls": &fwopt.FW{Rule: search}, "FWsafe": &fwopt.FW{Rule: fwopt.Short{L: c.L}},
		"FWback": &fwopt.FW{Rule: &fwmore.Backtracking{}},

		"SVRFx": fwopt.SVRFExperiments(), "SCGSx": fwopt.SCGSExperiments(guess),
		"STORCx": fwopt.STORCExperiments(guess), "SFWx": fwopt.SFWExperiments(),
		"STORCaway": &fwopt.STORCAway{STORC: *fwmore.STORCBeyond(c)},

		"AwayFWls": &fwmore.AwayFW{Rule: search}, "AwayFWbt": &fwmore.AwayFW{Rule: &fwmore.Backtracking{}},
		"PairFWls": &fwmore.PairwiseFW{Rule: search},
		"PairFWbt": &fwmore.PairwiseFW{Rule: &fwmore.Backtracking{}},
		"BPCGls":   &fwmore.BlendedPairwise{Rule: search},
		"BPCGbt":   &fwmore.BlendedPairwise{Rule: &fwmore.Backtracking{}},

		"SCGSmem": scgs, "STORCmem": storc, "STORCad": adaptive,
	}
	for _, e := range fwopt.Methods() {
		m := e.New(c)
		if free, ok := m.(fwopt.Free); e.Name != "PathGP" && !(ok && free.Free()) {
			all[e.Name] = m
		}
	}
	return all
}

// Calls returns what step k of epoch t of a method spends, as it is registered.
func Calls(m fwopt.Method) func(t, k int) fwopt.Calls {
	for _, e := range fwopt.Methods() {
		if e.Name == fmt.Sprint(m) {
			return func(t, k int) fwopt.Calls { return e.Calls(m, t, k) }
		}
	}
	panic(fmt.Sprintf("%v is not registered", m))
}

// Bits writes out all that must not differ between two runs.
func Bits(tr *fwopt.Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v %x\n", tr.Method, tr.Status, tr.W)
	for _, p := range tr.Points {
		p.Seconds = 0
		fmt.Fprintf(&b, "%d %d %d %+v %x %x %x\n", p.Step, p.T, p.K, p.Calls, p.F, p.DualityGap, p.Slack)
	}
	return b.String()
}

// StopAfter is a budget whose Watch cancels the context after that many steps.
func StopAfter(steps int, b fwopt.Budget) (context.Context, fwopt.Budget) {
	ctx, cancel := context.WithCancel(context.Background())
	b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == steps {
			cancel()
		}
	}
	return ctx, b
}

// Rows returns n rows of d columns with three numbers each.
func Rows(n, d int) *fwsum.Sparse {
	r := rand.New(rand.NewPCG(1, 1))
	x := &fwsum.Sparse{N: n, M: d, Ptr: []int{0}}
	for range n {
		j := r.IntN(d - 2)
		x.Col = append(x.Col, int32(j), int32(j+1), int32(j+2))
		x.Val = append(x.Val, r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return x
}

// Data is the data of Problem: 30 rows of 8 numbers, and targets.
func Data() (*fwsum.Sparse, []float64) {
	r := rand.New(rand.NewPCG(5, 99))
	x, b := &fwsum.Sparse{N: 30, M: 8, Ptr: []int{0}}, make([]float64, 30)
	for i := range b {
		for j := range x.M {
			x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, r.NormFloat64())
		}
		x.Ptr, b[i] = append(x.Ptr, len(x.Val)), 2*r.NormFloat64()
	}
	return x, b
}

// Noisy is f_i(w) = ½‖w − c − s_i‖² on the box [−1, 1]^d, where c is inside and the s_i are random signs
// times scale, in pairs that cancel: L = α = 1, w* = c, σ² = d·scale² at all w.
func Noisy(d, n int, scale float64, seed uint64) (*fwsum.Quadratic, fwset.Box) {
	r := rand.New(rand.NewPCG(seed, 8))
	c, centre := make([]float64, n*d), make([]float64, d)
	for j := range centre {
		centre[j] = 1.6*r.Float64() - 0.8
		for i := range n / 2 {
			s := scale * float64(2*r.IntN(2)-1)
			c[i*d+j], c[(i+n/2)*d+j] = centre[j]+s, centre[j]-s
		}
	}
	b := fwset.Box{Lo: make([]float64, d), Hi: make([]float64, d)}
	for j := range d {
		b.Lo[j], b.Hi[j] = -1, 1
	}
	return fwsum.NewQuadratic(d, nil, c), b
}

// Panics returns what f panics with, "" if it does not.
func Panics(f func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}
