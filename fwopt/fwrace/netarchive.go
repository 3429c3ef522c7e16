package fwrace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// String is the line of a file.
func (r NetRun) String() string {
	line := fmt.Sprintf("%s|%.4f|%.4f|%.3g", r.key(), r.Valid, r.Test, r.Seconds)
	for _, f := range r.Loss {
		line += fmt.Sprintf("|%.4g", f)
	}
	return line
}

func (r NetRun) key() string {
	at := r.At
	return fmt.Sprintf("run|%s|%d|%s|%d|%d|%d|%d|%d|%d", r.Data, r.Width, r.Method, at[0], at[1], at[2],
		at[3], at[4], r.Seed)
}

// parseNetRun is the opposite of String.
func parseNetRun(line string) (r NetRun, err error) {
	f := strings.Split(line, "|")
	if len(f) != 13+netPasses || f[0] != "run" {
		return r, fmt.Errorf("fwrace: %q is no run", line)
	}
	x := make([]float64, len(f))
	for i := range f {
		if i > 3 || i == 2 {
			var bad error
			x[i], bad = strconv.ParseFloat(f[i], 64)
			err = errors.Join(err, bad)
		}
	}
	at := [5]int{int(x[4]), int(x[5]), int(x[6]), int(x[7]), int(x[8])}
	return NetRun{f[1], f[3], int(x[2]), at, uint64(x[9]), x[13:], x[10], x[11], x[12]}, err
}

// Nets are the runs of the race of networks.
type Nets struct {
	Facts [][2]string // the machine and the code
	runs  []NetRun
}

// Of returns the runs of a method with some constants, from the seeds of its tuning or of the race.
func (a *Nets) Of(data string, width int, method string, at [5]int, tuned bool) (runs []NetRun) {
	for _, r := range a.runs {
		if r.Data == data && r.Width == width && r.Method == method && r.At == at &&
			(r.Seed > tuning) == tuned {
			runs = append(runs, r)
		}
	}
	return runs
}

// Median returns the median of a number of some runs, NaN of none.
func Median(runs []NetRun, of func(NetRun) float64) float64 {
	var all sorted
	for _, r := range runs {
		all = append(all, of(r))
	}
	if slices.Sort(all); len(all) == 0 {
		return math.NaN()
	}
	return all.median()
}

// Tried returns the constants that were tried, in order.
func (a *Nets) Tried(data string, width int, method string) (all [][5]int) {
	for _, r := range a.runs {
		if r.Data == data && r.Width == width && r.Method == method && !slices.Contains(all, r.At) {
			all = append(all, r.At)
		}
	}
	slices.SortFunc(all, func(a, b [5]int) int { return slices.Compare(a[:], b[:]) })
	return all
}

// Best returns the constants with the least median over the seeds of the tuning, of NetRun.Last or NetRun.Wrong.
func (a *Nets) Best(data string, width int, method string, of func(NetRun) float64) (at [5]int) {
	least := math.Inf(1)
	for _, c := range a.Tried(data, width, method) {
		if x := Median(a.Of(data, width, method, c, true), of); x < least {
			at, least = c, x
		}
	}
	return at
}

// A NetRace is the part of the race that a process makes: of a method, its tuning and its runs.
type NetRace struct {
	Data   string
	Width  int
	Method string
}

// String is "digits, 64, Scion".
func (p NetRace) String() string { return fmt.Sprintf("%s, %d, %s", p.Data, p.Width, p.Method) }

// NetRaces returns the parts, those on which others build before them.
func NetRaces() (all []NetRace) {
	for _, name := range NetMethods() {
		all = append(all, NetRace{"digits", 64, name})
	}
	for _, name := range validated {
		all = append(all, NetRace{"omniglot", 64, name})
	}
	for _, width := range []int{16, 32, 128, 256} {
		for _, name := range []string{"Scion", "Adam", "SGD, momentum"} {
			all = append(all, NetRace{"digits", width, name})
		}
	}
	return all
}

const netRaced = 5 // the seeds of the race

// validated are the methods whose constants are chosen a second time, by the rows for validation.
var validated = []string{"Scion", "Muon", "Muon, Adam", "Muon, Adam at both ends", "Adam", "AdamW",
	"AdamW, 30 passes", "SGD, momentum", "SGD, momentum and decay", "Scion, ρ = 0.1",
	"Muon, ρ = 0.05, no decay"}

// Race makes the runs of a part that are not in the folder yet, and keeps each there once it is done. It does nothing
// where the data are not on this machine. The constants are tuned by the median loss at the end of three runs: the whole
// grid, then each by 4 and by 2 times, until all around the best was tried; then steps down to an eighth and up to
// eight times the best. At width 64 some are tuned a second time, by NetRun.Wrong; at another all but the step are
// those of 64.
func (p NetRace) Race(dir string) error {
	k, err := p.open(dir)
	if err != nil || k.lines[len(k.lines)-1] == done {
		return err
	}
	a, n := &Nets{}, NewNet(p.Data, p.Width, 1)
	if n == nil {
		return nil
	}
	for _, line := range k.lines[1:] {
		r, err := parseNetRun(line)
		if err != nil {
			return err
		}
		a.runs = append(a.runs, r)
	}
	try := func(at [5]int, from, seeds uint64) {
		for seed := range seeds {
			// A weight is at most 1, and no grid grows for ever.
			if at[2] > 0 || at[4] > 0 || slices.Max(at[:]) > 20 || slices.Min(at[:]) < -20 {
				return
			}
			r := NetRun{Data: p.Data, Method: p.Method, Width: p.Width, At: at, Seed: from + seed + 1}
			if err == nil && !slices.ContainsFunc(a.runs, func(o NetRun) bool { return o.key() == r.key() }) {
				r, _ = parseNetRun(n.Train(p.Method, at, r.Seed).String()) // rounded, whether new or not
				err = k.add(r.String())
				a.runs = append(a.runs, r)
			}
		}
	}
	m := netMethods()[slices.Index(NetMethods(), p.Method)]
	if p.Width != 64 {
		base, missing, bad := collectNets(dir, NetRace{p.Data, 64, p.Method})
		if bad != nil || missing != nil {
			return errors.Join(bad, fmt.Errorf("fwrace: %s needs %q, which is not raced to its end", p, missing))
		}
		best := base.Best(p.Data, 64, p.Method, NetRun.Last)
		for j, x := range best[1:] {
			m.grid[j+1] = []int{x}
		}
	}
	all := [][5]int{{}}
	for j, grid := range m.grid {
		var longer [][5]int
		for _, at := range all {
			for _, x := range grid {
				at[j] = x
				longer = append(longer, at)
			}
		}
		if grid != nil {
			all = longer
		}
	}
	for _, at := range all {
		try(at, tuning, tuningSeeds)
	}
	near := func(at [5]int, by ...int) { // tries what differs from it in one constant
		for j, grid := range m.grid {
			for _, x := range by {
				if len(grid) > 1 {
					to := at
					to[j] += x
					try(to, tuning, tuningSeeds)
				}
			}
		}
	}
	tune := func(of func(NetRun) float64) {
		for _, by := range []int{2, 1} {
			for was := -1; err == nil && was < len(a.runs); {
				was = len(a.runs)
				near(a.Best(p.Data, p.Width, p.Method, of), -by, by)
			}
		}
	}
	second := p.Width == 64 && slices.Contains(validated, p.Method)
	for was := -1; err == nil && was < len(a.runs); { // for each may find what is better for the other
		was = len(a.runs)
		tune(NetRun.Last)
		best := a.Best(p.Data, p.Width, p.Method, NetRun.Last)
		for by := -3; len(m.grid[0]) > 1 && by <= 3; by++ {
			try([5]int{best[0] + by, best[1], best[2], best[3], best[4]}, tuning, tuningSeeds)
		}
		if second {
			tune(NetRun.Wrong)
		}
	}
	try(a.Best(p.Data, p.Width, p.Method, NetRun.Last), 0, netRaced)
	if second {
		try(a.Best(p.Data, p.Width, p.Method, NetRun.Wrong), 0, netRaced)
	}
	if err != nil {
		return err
	}
	return k.add(done)
}

// open opens the file of a part, of this code.
func (p NetRace) open(dir string) (*kept, error) {
	k := Problem{Name: p.String()}.file(dir)
	err := errors.Join(os.MkdirAll(dir, 0o777), k.open())
	if err == nil {
		err = k.header(0, fmt.Sprintf("code|%016x", fwopt.Version("fwmore.MomentumSFW", "fwmore.STORMFW",
			"fwopt.SVRF", "fwset.SpectralNorm", "fwset.Box", "fwset.L2Ball", "fwset.Product",
			"fwsum.Network")))
	}
	return k, err
}

// collectNets reads the runs of parts that are done, and returns the names of the others.
func collectNets(dir string, parts ...NetRace) (a *Nets, missing []string, err error) {
	a = &Nets{}
	for _, p := range parts {
		k, bad := p.open(dir)
		if err = errors.Join(err, bad); bad != nil {
			continue
		}
		if k.lines[len(k.lines)-1] != done {
			missing = append(missing, p.String())
			continue
		}
		for _, line := range k.lines[1 : len(k.lines)-1] {
			r, bad := parseNetRun(line)
			a.runs, err = append(a.runs, r), errors.Join(err, bad)
		}
	}
	return a, missing, err
}

const netsFormat = "# fwrace networks 3, sha256 of the rest: "

// CollectNets writes an archive of the parts that are done in the folder, and returns the names of the others.
func CollectNets(dir, path string) (missing []string, err error) {
	a, missing, err := collectNets(dir, NetRaces()...)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, f := range machine() {
		fmt.Fprintf(&b, "fact|%s|%s\n", f[0], f[1])
	}
	for _, r := range a.runs {
		fmt.Fprintln(&b, r)
	}
	return missing, file.Write(path, seal(netsFormat, b.Bytes()))
}

// OpenNets reads an archive of CollectNets. It returns an error that tells what is wrong with the file.
func OpenNets(path string) (*Nets, error) {
	rest, err := unseal(path, netsFormat, "the race of networks")
	if err != nil {
		return nil, err
	}
	a := &Nets{}
	for line := range strings.Lines(string(rest)) {
		line = strings.TrimSuffix(line, "\n")
		if f := strings.Split(line, "|"); f[0] == "fact" {
			a.Facts = append(a.Facts, [2]string{f[1], f[2]})
		} else if r, err := parseNetRun(line); err == nil {
			a.runs = append(a.runs, r)
		}
	}
	return a, nil
}
