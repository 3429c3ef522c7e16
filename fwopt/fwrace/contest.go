package fwrace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A cell is one run: of a method with its constants, the exponents of 2, from a seed.
type cell struct {
	method string // group and name of a rival
	at     [2]int
	seed   uint64
	reach  []Spent // at each of the levels, Never where it did not get there within the budget
	left   float64 // of the first gap, at the end
	end    Spent
}

func (c cell) key() string { return fmt.Sprintf("%s|%d|%d|%d", c.method, c.at[0], c.at[1], c.seed) }

// String is the line of a file.
func (c cell) String() string {
	line := "cell|" + c.key()
	for _, s := range append(slices.Clone(c.reach), c.end) {
		if line += "|"; s == Never {
			line += "–"
			continue
		}
		line += fmt.Sprintf("%g;%g;%.3g", s.Terms, s.Linear, s.Seconds)
	}
	return line + fmt.Sprintf("|%.4g", c.left)
}

// parseCell is the opposite of String.
func parseCell(f []string) (c cell, ok bool) {
	if len(f) != 5+len(levels)+2 {
		return c, false
	}
	ok = true
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		ok = ok && err == nil
		return x
	}
	c.method, c.at, c.seed = f[1], [2]int{int(number(f[2])), int(number(f[3]))}, uint64(number(f[4]))
	for _, s := range f[5 : len(f)-1] {
		spent := Never
		if x := strings.Split(s, ";"); len(x) == 3 {
			spent = Spent{number(x[0]), number(x[1]), number(x[2])}
		}
		c.reach = append(c.reach, spent)
	}
	c.end, c.reach = c.reach[len(levels)], c.reach[:len(levels)]
	c.left = number(f[len(f)-1])
	return c, ok
}

// contest is a problem with the cells that were run.
type contest struct {
	Name       string
	Seeds      int
	Joint      bool
	Price      float64 // of a linear optimisation in terms, where constants are compared
	N, D       int
	Terms, LMO float64 // a run's budget
	Within     float64 // f* is so near to what the gaps are taken from, as a share of the first gap
	cells      []cell
	at         map[string]cell
	groups     map[string]chosen // by name and level, once it was asked for
}

func (r *contest) add(c cell) {
	if r.at == nil {
		r.at = map[string]cell{}
	}
	r.cells, r.at[c.key()], r.groups = append(r.cells, c), c, map[string]chosen{}
}

// String is the line of a file.
func (r *contest) String() string {
	return fmt.Sprintf("problem|%s|%d|%t|%g|%d|%d|%g|%g|%.2g", r.Name, r.Seeds, r.Joint, r.Price, r.N,
		r.D, r.Terms, r.LMO, r.Within)
}

// parseContest is the opposite of String, of what the archive's digest says is whole.
func parseContest(f []string) *contest {
	x := make([]float64, len(f))
	for i := range f[2:] {
		x[i+2], _ = strconv.ParseFloat(f[i+2], 64)
	}
	return &contest{Name: f[1], Seeds: int(x[2]), Joint: f[3] == "true", Price: x[4], N: int(x[5]),
		D: int(x[6]), Terms: x[7], LMO: x[8], Within: x[9]}
}

// cost is what a constant is judged by at a level: the median over the seeds of its tuning of terms, and of
// linear optimisations by their price; of what did not get there what it has left.
type cost struct{ spent, left float64 }

func (a cost) compare(b cost) int {
	return cmp.Or(cmp.Compare(a.spent, b.spent), cmp.Compare(a.left, b.left))
}

func (m rival) method() string { return strings.TrimSuffix(m.group+", "+m.name, ", ") }

// tunedOn returns the seeds by which a constant is chosen.
func (m rival) tunedOn() (seeds []uint64) {
	if m.once {
		return []uint64{1}
	}
	for i := range uint64(tuningSeeds) {
		seeds = append(seeds, tuning+1+i)
	}
	return seeds
}

// cost returns that of a constant of m at a level; false where not all its runs are there.
func (r *contest) cost(m rival, at [2]int, level int) (cost, bool) {
	var spent, left sorted
	for _, seed := range m.tunedOn() {
		c, ok := r.at[cell{method: m.method(), at: at, seed: seed}.key()]
		if !ok {
			return cost{}, false
		}
		spent = append(spent, c.reach[level].Terms+r.Price*c.reach[level].Linear)
		left = append(left, c.left)
	}
	slices.Sort(spent)
	slices.Sort(left)
	return cost{spent.median(), left.median()}, true
}

// best returns the best of the constants of m that were tried, for a level; of equals the least.
func (r *contest) best(m rival, level int) (at [2]int, least cost) {
	least = cost{math.Inf(1), math.Inf(1)}
	var all [][2]int
	for _, c := range r.cells {
		if c.method == m.method() {
			all = append(all, c.at)
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for i, a := range all {
		if c, ok := r.cost(m, a, level); ok && (i == 0 || c.compare(least) < 0) {
			at, least = a, c
		}
	}
	return at, least
}

// farthest are the exponents at which a grid stops to grow.
const farthest = 40

// around returns the constants so many times a step from at, in each of the constants that m has.
func (m rival) around(at, step [2]int, times ...int) (all [][2]int) {
	for i := range step {
		for _, k := range times {
			b := at
			if b[i] += k * step[i]; step[i] > 0 && b[i] >= -farthest && b[i] <= farthest {
				all = append(all, b)
			}
		}
	}
	return all
}

// steps is 1 for each constant that m has.
func (m rival) steps() (steps [2]int) {
	for i, grid := range m.grid {
		if len(grid) > 1 {
			steps[i] = 1
		}
	}
	return steps
}

// tune tries constants of m until the best of each level is inside of what was tried: first in the steps of
// the grid, then at a quarter, a half, twice and four times the best.
func (r *contest) tune(m rival, try func(at [2]int)) {
	fine := m.steps()
	if fine[0] == 0 {
		return
	}
	coarse := fine
	for i, grid := range m.grid {
		if fine[i] > 0 {
			coarse[i] = grid[1] - grid[0]
		}
	}
	for _, a := range m.grid[0] {
		try([2]int{a, 0})
		for _, b := range m.grid[1] {
			try([2]int{a, b})
		}
	}
	inside := func(step [2]int, times ...int) {
		for grown := true; grown; {
			grown = false
			for level := range levels {
				best, _ := r.best(m, level)
				for _, at := range m.around(best, step, times...) {
					if _, known := r.cost(m, at, level); !known {
						try(at)
						grown = true
					}
				}
			}
		}
	}
	inside(coarse, -1, 1)
	inside(fine, -2, -1, 1, 2)
}

// race makes all runs of a problem: the tuning, and then each rival's from the seeds of the race, with its
// best constants for each of the levels.
func (r *contest) race(run func(m rival, at [2]int, seed uint64) cell) {
	for _, m := range rivals() {
		if m.joint && !r.Joint {
			continue
		}
		try := func(at [2]int, seeds ...uint64) {
			for _, seed := range seeds {
				if _, known := r.at[cell{method: m.method(), at: at, seed: seed}.key()]; !known {
					r.add(run(m, at, seed))
				}
			}
		}
		r.tune(m, func(at [2]int) { try(at, m.tunedOn()...) })
		for level := range levels {
			best, _ := r.best(m, level)
			try(best, m.seeds(r.Seeds)...)
		}
	}
}

// seeds returns those of the race; three, for their seconds, where all runs are the same.
func (m rival) seeds(n int) (seeds []uint64) {
	if m.once {
		n = min(n, 3)
	}
	for seed := range uint64(n) {
		seeds = append(seeds, seed+1)
	}
	return seeds
}
