package fwrace

import (
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// entry is who takes part: a method of Section 5, and what of it is changed, "" for nothing.
type entry struct{ method, change string }

// String returns "STORC", or "STORC, m = 1000": the Method of its traces.
func (e entry) String() string {
	if e.change == "" {
		return e.method
	}
	return e.method + ", " + e.change
}

// named is the opposite of String.
func named(name string) entry {
	method, change, _ := strings.Cut(name, ", ")
	return entry{method, change}
}

// entries are those of the race itself.
var entries = []entry{{"SFW", ""}, {"SCGS", ""}, {"SVRF", ""}, {"STORC", ""}, {"SGD", ""}, {"SVRG", ""},
	{"STORC", adaptive}}

// The choices that Section 5 leaves open, each made otherwise, and fwmore.AdaptiveSTORC, which
// takes η from its certified gap.
const (
	bySVD       = "SVD"           // the projections are by a thin singular value decomposition
	drawnSingly = "drawn singly"  // a batch of m > n samples computes m terms, not one for each row
	thousand    = "m = 1000"      // samples
	falling     = "η falling"     // η_{t,k} halves with each epoch
	apart       = "β and η apart" // each has its own constant
	noReset     = "k not reset"   // STORC's k goes on at a snapshot, as SVRF's does
	adaptive    = "adaptive"
)

// changes are in the order of a table.
var changes = []struct {
	name string
	of   []string // the methods that it changes
}{
	{bySVD, []string{"SGD", "SVRG"}},
	{drawnSingly, []string{"SFW", "SCGS"}},
	{thousand, []string{"STORC"}},
	{falling, []string{"STORC"}},
	{apart, []string{"STORC"}},
	{noReset, []string{"STORC"}},
}

func allChanges() (names []string) {
	for _, c := range changes {
		names = append(names, c.name)
	}
	return names
}

// changed returns the methods that a change changes, and panics if there is none of that name.
func changed(name string) []string {
	i := slices.Index(allChanges(), name)
	if i < 0 {
		panic(need.Linef("fwrace: no change %q; there are %q", name, allChanges()))
	}
	return changes[i].of
}

// constants are c of SGD or c′ of SVRG, or s, with which L is multiplied in the formulas
// of SCGS and STORC; and r, with which η is multiplied beside that.
type constants struct{ s, r float64 }

// at returns the place of the constant of a name.
func (c *constants) at(name string) *float64 {
	if name == "r" {
		return &c.r
	}
	return &c.s
}

// free returns the names of the constants of e that are tuned, in this order.
func (e entry) free() []string {
	switch e.change {
	case adaptive, bySVD, drawnSingly:
		return nil
	case apart:
		return []string{"r", "s"}
	}
	switch e.method {
	case "SGD":
		return []string{"c"}
	case "SVRG":
		return []string{"c′"}
	case "SCGS", "STORC":
		return []string{"s"}
	}
	return nil
}

// sliding reports whether e is STORC with the epochs of Section 5.
func (e entry) sliding() bool { return e.method == "STORC" && e.change != adaptive }

// make makes the method of an entry.
func (e entry) make(c constants, L, D float64) fwopt.Method {
	scaled := fwopt.Constants{L: c.s * L, D: D}
	switch e.method {
	case "FISTA":
		return &fwmore.FISTA{L: 1e-6 * L}
	case "SFW":
		return fwopt.SFWExperiments()
	case "SVRF":
		return fwopt.SVRFExperiments()
	case "SGD":
		return fwopt.SGDExperiments(c.s)
	case "SVRG":
		return fwopt.SVRGExperiments(c.s)
	case "SCGS":
		return fwopt.SCGSExperiments(scaled)
	}
	a := storc(scaled, c.r, 0)
	switch eta := a.Eta; e.change {
	case adaptive:
		return fwmore.NewAdaptiveSTORC()
	case thousand:
		a.M = func(int, int) int { return 1000 }
	case falling:
		a.Eta = func(t, k int) float64 { return eta(t, k) / math.Exp2(float64(min(t, 60)-1)) }
	case noReset:
		return &endless{STORC: *a}
	}
	return a
}

// storc is STORCExperiments with a factor on η alone, and with a memory in line 11.
func storc(c fwopt.Constants, factor float64, memory int) *fwopt.STORC {
	a := fwopt.STORCExperiments(c)
	eta := a.Eta
	a.Eta = func(t, k int) float64 { return factor * eta(t, k) }
	a.Memory.Size = memory
	return a
}

// terms returns the gradients ∇f_i that e has computed at p, of a sum of n: for a batch of
// m samples min(m, n), twice that where it is variance-reduced, and n for an exact gradient.
func (e entry) terms(n int, p fwopt.Point) float64 {
	exact := float64(n) * float64(p.Calls.Exact)
	if e.change == adaptive || e.change == drawnSingly || p.Step == 0 {
		return exact + float64(p.Calls.Stochastic)
	}
	times := 1
	if e.method == "SVRF" || e.method == "STORC" || e.method == "SVRG" { // variance-reduced
		times = 2
	}
	power, grows := map[string]float64{"SFW": 2, "SCGS": 3, "SVRF": 1}[e.method]
	if !grows {
		return exact + float64(p.Step)*float64(min(p.Calls.Stochastic/p.Step, times*n))
	}
	sum := 0.0
	for k := 1; k <= p.Step; k++ {
		sum += min(math.Pow(float64(k), power), float64(n))
	}
	return exact + float64(times)*sum
}

// tuned is what became of a constant of an entry.
type tuned struct {
	entry
	constant string // "c", "c′", "s" or "r"
	*fwrate.Tuning
}

// name returns "STORC: s", or "STORC, m = 1000: s".
func (t tuned) name() string { return t.entry.String() + ": " + t.constant }
