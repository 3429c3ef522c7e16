package fwrace

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// A Net is a network of two hidden layers that is trained in the races of notebooks/muon, without biases, on four fifths of
// some data: rows of root mean square 1.
type Net struct {
	F     *fwsum.Network
	Rows  *fwsum.Dense // those that it is trained on
	width [4]int
	other [2]*fwdata.Set // halves of the others: for the choice of constants, and for the test
}

// NewNet returns the network of that width on "digits", or on "omniglot", 20 drawings of each of 100 characters:
// nil where that file is not in the folder that FWLAB_DATA names. The race has split 1 of the rows.
func NewNet(data string, hidden int, split uint64) *Net {
	s := (*fwdata.Set)(nil)
	switch data {
	case "digits":
		s = unitDigits()
	case "omniglot":
		if s = omniglot(100, 20); s == nil {
			return nil
		}
	default:
		panic(need.Linef("fwrace: no networks on %q", data))
	}
	train, others := s.Split(0.8, split)
	n := &Net{Rows: meanSquareOne(train), width: [4]int{s.M(), hidden, hidden, s.H()}}
	n.other[0], n.other[1] = others.Split(0.5, 1)
	n.F = fwsum.NewNetwork(n.Rows, n.width[:], false, fwsum.CrossEntropy(train.Y))
	n.F.Name = data
	return n
}

// Start returns where all runs of a seed begin: semi-orthogonal hidden weights, and signs over the number of inputs.
func (n *Net) Start(seed uint64) []float64 { return fwset.RandomVertex(n.F.Scion(1, 1), seed) }

func meanSquareOne(s *fwdata.Set) *fwsum.Dense {
	x := s.X.Dense()
	floats.Scale(math.Sqrt(float64(s.M())), x.Val)
	return x
}

// Accuracy returns the shares of the rows for validation and of those of the test whose class is predicted.
func (n *Net) Accuracy(w []float64) (valid, test float64) {
	var share [2]float64
	for k, s := range n.other {
		for i, y := range n.F.Predict(w, meanSquareOne(s)) {
			if y == s.Y[i] {
				share[k] += 1 / float64(s.N())
			}
		}
	}
	return share[0], share[1]
}

// What follows was written down before the race, but for AdamW, Muon with Adam for some layers, the longer rivals,
// Adam's β_2, the memory and the decay of Scion, Muon and STORM-FW, and the choice by validation rows, which were added
// once the others were seen.
const (
	netPasses = 10 // a run's gradients of terms, in passes over the rows, an exact gradient counting as one
	netBatch  = 32
)

// pace is the step k of K.
type pace func(k, K int) float64

// netConstants are the constants of a method, each a power of two but the step, which falls to 0 on a line.
type netConstants struct {
	step   pace
	last   float64 // of the last layer: the radius of its ball, or how many times the rate of the others it has
	memory float64 // the weight of the newest gradient: ρ, 1 − β_1 or 1 − μ
	decay  float64 // of the weights, over γ or the rate
	second float64 // 1 − β_2
}

// netMethod takes part in the race.
type netMethod struct {
	name string
	grid [5][]int // where the grids of the exponents begin, in the order of netConstants; nil for what it has not
	of   func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method)
	long int // so many times the passes of the others; 0 for once
}

// layers returns Scion's Ω with another set for the hidden layers; nil for none.
func (n *Net) layers(last float64, hidden func(h, m int) fwset.Domain) fwset.Product {
	omega := n.F.Scion(1, last)
	for l := range omega[:2] {
		if hidden != nil {
			omega[l] = hidden(n.width[l+1], n.width[l])
		}
	}
	return omega
}

// falls makes a schedule of a run with batches of m gradients a step.
func (n *Net) falls(m int, step pace) func(k int) float64 {
	K := netPasses * n.F.Len() / m
	return func(k int) float64 { return step(k, K) }
}

func netMethods() []netMethod {
	type g = [5][]int
	of := func(n *Net, c netConstants, a *fwmore.MomentumSFW, hidden func(h, m int) fwset.Domain) (
		fwopt.Domain, fwopt.Method) {
		a.Gamma = n.falls(netBatch, c.step)
		if c.memory > 0 {
			a.Rho = func(int) float64 { return min(1, c.memory) }
		}
		if hidden != nil { // the start, which all have in common, is outside of some of these
			a.Decay = a.Gamma
		}
		return n.layers(c.last, hidden), a
	}
	scion := func(hidden func(h, m int) fwset.Domain) func(*Net, netConstants) (fwopt.Domain, fwopt.Method) {
		return func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
			return of(n, c, fwmore.NewScion(netBatch), hidden)
		}
	}
	muon := func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
		omega, a := of(n, c, fwmore.NewMuon(netBatch), nil)
		m := a.(*fwmore.MomentumSFW)
		m.Decay = func(k int) float64 { return c.decay * m.Gamma(k) }
		return omega, m
	}
	adam := func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
		from, times := n.F.Dim()-n.width[2]*n.width[3], c.last
		if times == 0 {
			times = 1
		}
		return n.layers(1, nil), Adam(netBatch, n.falls(netBatch, c.step), 1-min(1, c.memory),
			1-min(1, c.second), c.decay, from, times)
	}
	sgd := func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
		return n.layers(1, nil), SGDMomentum(netBatch, n.falls(netBatch, c.step), 1-min(1, c.memory), c.decay)
	}
	steps, small := []int{-9, -7, -5, -3}, []int{-11, -9, -7, -5}
	radius, times := []int{6, 8, 10}, []int{-2, 0, 2}
	memory, decay, second := []int{-4, -3, -2}, []int{-7, -4, -1}, []int{-10, -5}
	five := func(steps []int) g { return g{steps, times, {-4, -2}, {-7, -1}, second} }
	// muonAdam has Muon for some layers, and Adam for the others.
	muonAdam := func(from, to int) func(*Net, netConstants) (fwopt.Domain, fwopt.Method) {
		return func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
			omega, begin := n.layers(1, nil), 0
			for l := range from {
				begin += n.width[l] * n.width[l+1]
			}
			return omega, MuonAdam(netBatch, n.falls(netBatch, c.step), omega[from:to], begin,
				min(1, c.memory), 1-min(1, c.second), c.decay, c.last)
		}
	}
	return []netMethod{
		{name: "Scion", grid: g{steps, radius, memory}, of: scion(nil)},
		{name: "Adam", grid: g{small, nil, memory, nil, second}, of: adam},
		{name: "SGD, momentum", grid: g{steps, nil, memory}, of: sgd},
		{name: "SVRF, as it is", grid: g{nil, radius},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				return n.layers(c.last, nil), fwopt.SVRFExperiments()
			}},
		{name: "Momentum SFW, as it is", grid: g{nil, radius},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				return n.layers(c.last, nil), fwmore.MomentumSFWConvex(netBatch)
			}},
		{name: "SFW, m = 32", grid: g{steps, radius},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				c.memory = 1
				return of(n, c, fwmore.NewScion(netBatch), nil)
			}},
		{name: "SVRF, m = 32", grid: g{steps, radius},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				a, N := fwopt.SVRFExperiments(), n.F.Len()/(2*netBatch) // an epoch is two passes
				a.N = func(int) int { return N }
				a.M = func(int, int) int { return netBatch }
				a.Gamma = func(t, k int) float64 {
					return c.step(min((t-1)*N+k, netPasses/2*N), netPasses/2*N)
				}
				return n.layers(c.last, nil), a
			}},
		{name: "STORM-FW, m = 16", grid: g{steps, radius, memory},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				a := fwmore.STORMFWConvex(netBatch / 2) // two gradients a sample
				a.Gamma = n.falls(netBatch, c.step)
				a.Rho = func(k int) float64 { return min(1, max(c.memory, 1/float64(k))) }
				return n.layers(c.last, nil), a
			}},
		{name: "Scion, signs", grid: g{steps, radius, memory}, of: scion(func(h, m int) fwset.Domain {
			return fwset.OneToMax(h, m, math.Sqrt(float64(m)))
		})},
		{name: "Scion, Frobenius", grid: g{steps, radius, memory}, of: scion(func(h, m int) fwset.Domain {
			return fwset.L2Ball{D: h * m, R: math.Sqrt(float64(h))}
		})},
		{name: "Scion, transport", grid: g{steps, radius, memory},
			of: func(n *Net, c netConstants) (fwopt.Domain, fwopt.Method) {
				omega, a := scion(nil)(n, c)
				m := a.(*fwmore.MomentumSFW)
				m.Rho = func(k int) float64 { return min(1, max(c.memory, float64(2-k))) } // ρ_1 = 1
				m.Ahead = func(k int) float64 { return (1 - m.Rho(k)) / m.Rho(k) }
				return omega, m
			}},
		{name: "Scion, five turns", grid: g{steps, radius, memory}, of: scion(func(h, m int) fwset.Domain {
			return FiveTurns{h, m, max(1, math.Sqrt(float64(h)/float64(m)))}
		})},
		{name: "Muon", grid: g{steps, radius, memory, decay}, of: muon},
		{name: "Muon, Adam", grid: five(steps), of: muonAdam(0, 2)},
		{name: "Muon, Adam at both ends", grid: five(steps), of: muonAdam(1, 2)},
		{name: "AdamW", grid: five(small), of: adam},
		{name: "SGD, momentum and decay", grid: g{steps, nil, memory, decay}, of: sgd},
		{name: "Scion, ρ = 0.1", grid: g{steps, radius}, of: scion(nil)},
		{name: "Muon, ρ = 0.05, no decay", grid: g{steps, radius}, of: muon},
		{name: "AdamW, 30 passes", grid: five(small), of: adam, long: 3},
		{name: "Adam, 60 passes", grid: g{small, nil, memory, nil, second}, of: adam, long: 6},
		{name: "SGD, momentum, 100 passes", grid: g{steps, nil, memory}, of: sgd, long: 10},
	}
}

// A NetRun is one run of the race.
type NetRun struct {
	Data, Method string
	Width        int
	At           [5]int // the exponents of netConstants in that order, 0 for what it has not
	Seed         uint64
	Loss         []float64 // over the rows that it is trained on, after each tenth; +Inf where it diverged
	Valid, Test  float64   // the shares of these rows that it gets right at the end
	Seconds      float64   // of the processor, without those of the records
}

// Last returns the loss at the end.
func (r NetRun) Last() float64 { return r.Loss[len(r.Loss)-1] }

// Wrong is the share of the rows for validation that it gets wrong, and a millionth of Last, which decides a tie.
func (r NetRun) Wrong() float64 { return 1 - r.Valid + 1e-6*r.Last() }

// Train makes a run of a method of the race. Its seconds are the process's own: let it do nothing else.
func (n *Net) Train(method string, at [5]int, seed uint64) NetRun {
	methods := netMethods()
	i := slices.IndexFunc(methods, func(m netMethod) bool { return m.name == method })
	if i < 0 {
		panic(need.Linef("fwrace: no method %q trains a Net; %q do", method, NetMethods()))
	}
	long := max(1, methods[i].long)
	step := pace(func(k, K int) float64 {
		return math.Exp2(float64(at[0])) * max(0, 1-float64(k-1)/float64(long*K))
	})
	var x [5]float64
	for j, grid := range methods[i].grid {
		if grid != nil {
			x[j] = math.Exp2(float64(at[j]))
		}
	}
	omega, m := methods[i].of(n, netConstants{step, x[1], x[2], x[3], x[4]})
	run := NetRun{Data: n.F.Name, Method: method, Width: n.width[1], At: at, Seed: seed}
	o := fwopt.NewOracle(n.F, omega, seed).From(n.Start(seed))
	passes := func(c fwopt.Calls) int { return (c.Exact*n.F.Len() + c.Stochastic) / (long * n.F.Len()) }
	since := fwrate.CPU()
	var spent time.Duration
	b := fwopt.Budget{
		Record: func(fwopt.Step) (record, last bool) {
			if passes(o.Calls) == len(run.Loss) {
				return false, false
			}
			spent += fwrate.CPU() - since
			return true, passes(o.Calls) >= netPasses
		},
		Watch: func(_ *fwopt.Trace, q fwopt.Point) {
			if passes(q.Calls) > len(run.Loss) {
				for len(run.Loss) < min(passes(q.Calls), netPasses) {
					run.Loss = append(run.Loss, q.F)
				}
				since = fwrate.CPU()
			}
		},
	}
	tr := fwopt.Run(context.Background(), o, m, b)
	for k, f := range run.Loss {
		if math.IsNaN(f) {
			run.Loss[k] = math.Inf(1)
		}
	}
	for len(run.Loss) < netPasses {
		run.Loss = append(run.Loss, math.Inf(1))
	}
	run.Valid, run.Test = n.Accuracy(tr.W)
	run.Seconds = spent.Seconds()
	return run
}

// NetMethods returns the names of those that race.
func NetMethods() (names []string) {
	for _, m := range netMethods() {
		names = append(names, m.name)
	}
	return names
}
