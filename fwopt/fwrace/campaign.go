package fwrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/file"
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
}

func (r *contest) add(c cell) {
	if r.at == nil {
		r.at = map[string]cell{}
	}
	r.cells, r.at[c.key()] = append(r.cells, c), c
}

// String is the line of a file.
func (r *contest) String() string {
	return fmt.Sprintf("problem|%s|%d|%t|%g|%d|%d|%g|%g|%.2g", r.Name, r.Seeds, r.Joint, r.Price, r.N,
		r.D, r.Terms, r.LMO, r.Within)
}

// parseContest is the opposite of String.
func parseContest(f []string) (*contest, bool) {
	if len(f) != 10 || f[0] != "problem" {
		return nil, false
	}
	x := make([]float64, len(f))
	for i := range f[2:] {
		x[i+2], _ = strconv.ParseFloat(f[i+2], 64)
	}
	return &contest{Name: f[1], Seeds: int(x[2]), Joint: f[3] == "true", Price: x[4], N: int(x[5]),
		D: int(x[6]), Terms: x[7], LMO: x[8], Within: x[9]}, true
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

// cell makes a run, in seconds of the processor.
func (g *Goal) cell(m rival, at [2]int, seed uint64, budget Spent) cell {
	constants := [2]float64{math.Exp2(float64(at[0])), math.Exp2(float64(at[1]))}
	tr := g.trace(m.of(g, constants), seed, g.Shares[len(g.Shares)-1], budget, fwrate.CPU)
	c, first := cell{method: m.method(), at: at, seed: seed, left: 1}, g.First()
	for _, q := range tr.Points {
		now := g.Spend(q)
		if now.Terms > budget.Terms || now.Linear > budget.Linear {
			break
		}
		c.left, c.end = g.Gap(q)/first, now
		for len(c.reach) < len(g.Shares) && c.left <= g.Shares[len(c.reach)] {
			c.reach = append(c.reach, now)
		}
	}
	if tr.Status == fwopt.Diverged {
		c.left = math.Inf(1)
	}
	for len(c.reach) < len(g.Shares) {
		c.reach = append(c.reach, Never)
	}
	return c
}

// code says of which code the cells of a file are.
func code() string {
	return fmt.Sprintf("code|%016x", fwopt.Version("fwopt.FW", "fwopt.LineSearch", "fwopt.SVRF", "fwopt.SVRG",
		"fwopt.STORC", "fwmore.AdaptiveSTORC", "fwmore.FISTA", "fwmore.PairwiseFW", "fwmore.BlendedPairwise",
		"fwmore.SAGFW", "fwmore.SarahFW", "fwset.L1Ball", "fwset.L2Ball", "fwset.Simplex", "fwset.Birkhoff",
		"fwset.TraceNorm", "fwsum.RowSum", "fwsum.LeastSquares", "fwsum.Logistic", "fwsum.Dense",
		"fwsum.Sparse"))
}

const done = "done"

// kept is the file of a problem's cells: lines, each with a checksum before it. The first two say of which code
// and of which problem; the last one is done.
type kept struct {
	path  string
	lines []string
}

// open reads the lines that are there, and takes away one that was not written to its end.
func (k *kept) open() error {
	text, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("fwrace: %w", err)
	}
	size := 0
	for line := range strings.Lines(string(text)) {
		sum, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		if !strings.HasSuffix(line, "\n") {
			break // the run was killed there
		}
		if sum != checksum(content) {
			return fmt.Errorf("fwrace: %s:%d: damaged since it was written: take this line and those after it "+
				"away, and run the campaign again", k.path, len(k.lines)+1)
		}
		k.lines = append(k.lines, content)
		size += len(line)
	}
	if size < len(text) {
		if err = os.Truncate(k.path, int64(size)); err != nil {
			return fmt.Errorf("fwrace: %w", err)
		}
	}
	return nil
}

func checksum(line string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(line))) }

// add writes a line at the end.
func (k *kept) add(line string) error {
	k.lines = append(k.lines, line)
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = f.WriteString(checksum(line) + "|" + line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("fwrace: %w", err)
	}
	return nil
}

// header is line i, which says what the rest is of: it writes it, or compares it with what is there.
func (k *kept) header(i int, line string) error {
	if i == len(k.lines) {
		return k.add(line)
	}
	if k.lines[i] != line {
		return fmt.Errorf("fwrace: %s:%d: cells of %q, where this is %q: take the file away, and run the campaign "+
			"again", k.path, i+1, k.lines[i], line)
	}
	return nil
}

// file returns where the cells of a problem are.
func (p Problem) file(dir string) *kept {
	name := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '-'
	}, p.Name)
	return &kept{path: filepath.Join(dir, name+".csv")}
}

// Race makes all runs of a problem that are not among its cells in the folder, and keeps each there once it is
// done. Seconds are the process's own on its processors: let it do nothing else, and give it one. It does
// nothing where the data are not on this machine.
func (p Problem) Race(dir string) error {
	k := p.file(dir)
	if err := errors.Join(os.MkdirAll(dir, 0o777), k.open()); err != nil {
		return err
	}
	if err := k.header(0, code()); err != nil || k.lines[len(k.lines)-1] == done {
		return err
	}
	g := p.Make()
	if g == nil {
		return nil
	}
	r := &contest{Name: p.Name, Seeds: p.Seeds, Joint: p.Joint, Price: g.Linear, N: g.F.Len(), D: g.F.Dim(),
		Terms: p.Budget.Terms, LMO: p.Budget.Linear, Within: g.within / g.First()}
	if err := k.header(1, r.String()); err != nil {
		return err
	}
	i := 1 // the last line that was used: what was asked for then is asked for now
	var failed error
	r.race(func(m rival, at [2]int, seed uint64) cell {
		c := cell{method: m.method(), at: at, seed: seed, reach: slices.Repeat([]Spent{Never}, len(levels))}
		switch i++; {
		case failed != nil:
			return c
		case i == len(k.lines):
			failed = k.add(g.cell(m, at, seed, p.Budget).String())
		}
		kept, ok := parseCell(strings.Split(k.lines[i], "|")) // rounded, whether it is new or not
		if !ok || kept.key() != c.key() {
			failed = cmp.Or(failed, fmt.Errorf("fwrace: %s:%d: %q, where the run %s is next: take the file away, "+
				"and run the campaign again", k.path, i+1, k.lines[i], c.key()))
			return c
		}
		return kept
	})
	return cmp.Or(failed, k.add(done))
}

// Collect writes an archive of the problems whose cells are all in the folder, and returns the names of the
// others.
func Collect(dir, path string) (missing []string, err error) {
	var b bytes.Buffer
	for _, f := range machine() {
		fmt.Fprintf(&b, "fact|%s|%s\n", f[0], f[1])
	}
	for _, p := range Problems() {
		k := p.file(dir)
		if err := k.open(); err != nil {
			return nil, err
		}
		if n := len(k.lines); n < 3 || k.lines[n-1] != done {
			missing = append(missing, p.Name)
			continue
		}
		if k.lines[0] != code() {
			return nil, k.header(0, code())
		}
		for _, line := range k.lines[1 : len(k.lines)-1] {
			fmt.Fprintln(&b, line)
		}
	}
	return missing, file.Write(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s\n%s", campaignFormat, digest(b.Bytes()), b.Bytes())
		return err
	})
}

const campaignFormat = "# fwrace campaign 1, sha256 of the rest: "

// A Campaign is what Collect has written.
type Campaign struct {
	Facts    [][2]string // the machine and the code
	problems []*contest
}

// OpenCampaign reads an archive of Collect. It returns an error that says what is wrong with the file.
func OpenCampaign(path string) (*Campaign, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fwrace: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(first) != campaignFormat+digest(rest) {
		return nil, fmt.Errorf("fwrace: %s: not an archive of a campaign, or damaged or edited since it was "+
			"written: take it from the repository again", path)
	}
	a := &Campaign{}
	for line := range strings.Lines(string(rest)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		switch f[0] {
		case "fact":
			a.Facts = append(a.Facts, [2]string{f[1], f[2]})
		case "problem":
			r, _ := parseContest(f)
			a.problems = append(a.problems, r)
		case "cell":
			c, _ := parseCell(f)
			a.problems[len(a.problems)-1].add(c)
		}
	}
	return a, nil
}
