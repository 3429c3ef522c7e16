package fwrace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// Archive is all that came out of a race. All its answers are computed from its traces, each
// time anew.
type Archive struct {
	Name   string         // of the Race
	Data   string         // of the data
	Facts  [][2]string    // where and of what: data, budget, machine, versions
	N      int            // terms of f
	Traces []*fwopt.Trace // the first is FISTA's, the others are by entry and seed

	Star   float64 // f*: the best lower bound that the traces prove
	Within float64 // FISTA's best value is so far above it
	First  float64 // f(w_0)
	Path   string  // the file that it was read from; "" if the runs were made here

	tunings []tuned
}

// archive returns an empty one that says where and of what it is.
func (r *Race) archive() *Archive {
	h, m := r.F.Shape()
	return &Archive{Name: r.Name, Data: r.Data, N: r.F.Len(), Facts: append([][2]string{
		{"rows, features, classes", fmt.Sprintf("%d, %d, %d", r.F.Len(), m, h)},
		{"radius", fmt.Sprint(r.Omega.Tau)},
		{"a run", fmt.Sprintf("%g seconds, %d steps (0: no limit)", r.Budget.Seconds, r.Budget.Steps)},
		{"seeds", fmt.Sprintf("%d, of the tuning and of each change %d", r.Seeds, r.Fewer)},
	}, machine()...)}
}

// machine says where runs were made, and by what.
func machine() [][2]string {
	return [][2]string{
		{"processor", processor()},
		{"system", runtime.GOOS + "/" + runtime.GOARCH + ", one processor a run"},
		{"kernels", kern.Path() + "; arithmetic of " + fwopt.Kernel()},
		{"Go, gonum", runtime.Version() + ", " + gonum()},
		{"code", fmt.Sprintf("%016x", fwopt.Version())},
	}
}

// gonum returns the version that this program is built with.
func gonum() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "gonum.org/v1/gonum" {
				return d.Version
			}
		}
	}
	return "unknown"
}

// processor returns what Linux calls the processor.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "unknown"
}

// Table returns the facts, for fwnb.Table, and if the code of this program is not that of
// the runs, a line about that.
func (a *Archive) Table() [][]string {
	rows := [][]string{{"", a.Data}, {"runs", "made here, by this code"}}
	if a.Path != "" {
		rows[1][1] = "read from " + a.Path
	}
	for _, f := range a.Facts {
		rows = append(rows, f[:])
	}
	code := fmt.Sprintf("%016x", fwopt.Version())
	if !slices.Contains(a.Facts, [2]string{"code", code}) {
		rows = append(rows, []string{"not this code", "this is " + code +
			": the runs show what the code of then did"})
	}
	return rows
}

// settle rounds the runs to what a file holds, so that what is said of a race does not
// change when it is read back, and finds f*.
func (a *Archive) settle() *Archive {
	for i := range a.Traces {
		t := *a.Traces[i]
		t.Points = slices.Clone(t.Points)
		for j := range t.Points {
			p := &t.Points[j]
			*p = fwopt.Point{Step: p.Step, Calls: p.Calls, Seconds: rounded(p.Seconds, 5),
				F: rounded(p.F, 13), Excess: math.NaN(), DualityGap: rounded(p.DualityGap, 5),
				Slack: rounded(p.Slack, 5)}
		}
		a.Traces[i] = &t
	}
	a.Star, a.First = fwrate.LowerBound(a.Traces[0]), a.Traces[0].Points[0].F
	a.Within = math.Inf(1)
	for _, p := range a.Traces[0].Points {
		a.Within = min(a.Within, p.F-a.Star)
	}
	return a
}

// rounded returns x with so many digits.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

const format = "# fwrace archive 1, sha256 of the rest: "

// write writes the archive: lines that begin with #, for facts and tunings, and the traces
// as fwkeep.WriteCSV writes them. The first line has a digest of the others.
func (a *Archive) write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# name|%s\n# data|%s\n# terms|%d\n", a.Name, a.Data, a.N)
	for _, f := range a.Facts {
		fmt.Fprintf(&b, "# fact|%s|%s\n", f[0], f[1])
	}
	for _, t := range a.tunings {
		fmt.Fprintf(&b, "# tuned|%s|%s|%g|%g\n", t.entry, t.constant, t.Best, t.Spent)
		for _, d := range t.Doubts {
			fmt.Fprintf(&b, "# doubt|%s\n", d)
		}
		for i, round := range t.Rounds {
			for _, p := range round {
				fmt.Fprintf(&b, "# tried|%d|%g|%g|%.10g|%.10g|%.10g\n", i, p.C, p.Share, p.Median, p.Least,
					p.Most)
			}
		}
	}
	if err := fwkeep.WriteCSV(&b, a.Traces...); err != nil {
		return err
	}
	return seal(format, b.Bytes())(w)
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// seal writes the first line of an archive, its format and the digest of the rest, and the rest.
func seal(format string, rest []byte) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s\n%s", format, digest(rest), rest)
		return err
	}
}

// unseal reads what seal has written, an archive of what, and returns the rest.
func unseal(path, format, what string) (rest []byte, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fwrace: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(first) != format+digest(rest) {
		return nil, fmt.Errorf("fwrace: %s: not an archive of %s, or damaged or edited since it was written: "+
			"take it from the repository again", path, what)
	}
	return rest, nil
}

// Save writes the archive to a file, whole or not at all, and makes its folder.
func (a *Archive) Save(path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = file.Write(path, a.write)
	}
	if err != nil {
		err = fmt.Errorf("fwrace: %w", err)
	}
	return err
}

// Open reads the archive of the race of that name, from the first of the files that is
// there. It returns an error that wraps fs.ErrNotExist if none is, and one that tells what is
// wrong if the file is another race's, of another form, or not as it was written.
func Open(name string, paths ...string) (*Archive, error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("fwrace: %w", err)
		}
		a, err := read(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, path)
		}
		if a.Name != name {
			return nil, fmt.Errorf("fwrace: the archive of %s, not of %s: %s", a.Name, name, path)
		}
		a.Path = path
		return a, nil
	}
	return nil, fmt.Errorf("fwrace: no archive of %s: %w: %s: run the race first", name, fs.ErrNotExist,
		strings.Join(paths, ", "))
}

// read reads what write has written.
func read(text []byte) (*Archive, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	sum, ok := strings.CutPrefix(string(first), format)
	switch {
	case !ok && bytes.HasPrefix(first, []byte("# fwrace archive ")):
		return nil, fmt.Errorf("fwrace: an archive of another form, %q, where this code reads %q: run the "+
			"race in full again", first, format)
	case !ok:
		return nil, fmt.Errorf("fwrace: not an archive: it begins with %.40q", first)
	case sum != digest(rest):
		return nil, fmt.Errorf("fwrace: an archive that was damaged or edited since it was written: take " +
			"it from the repository again, or run the race in full")
	}
	a := &Archive{}
	for len(rest) > 2 && rest[0] == '#' {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		a.read(strings.Split(string(line[2:]), "|"))
	}
	var err error
	if a.Traces, err = fwkeep.ReadCSV(bytes.NewReader(rest)); err != nil {
		return nil, fmt.Errorf("fwrace: %w", err)
	}
	if len(a.Traces) == 0 || a.Traces[0].Method != "FISTA" {
		return nil, fmt.Errorf("fwrace: an archive without the run that gives f*")
	}
	return a.settle(), nil
}

// read takes a line of the head, which is as it was written.
func (a *Archive) read(f []string) {
	number := func(i int) float64 { x, _ := strconv.ParseFloat(f[i], 64); return x }
	last := func() *tuned { return &a.tunings[len(a.tunings)-1] }
	switch f[0] {
	case "name":
		a.Name = f[1]
	case "data":
		a.Data = f[1]
	case "terms":
		a.N = int(number(1))
	case "fact":
		a.Facts = append(a.Facts, [2]string{f[1], f[2]})
	case "tuned":
		a.tunings = append(a.tunings, tuned{named(f[1]), f[2], &fwrate.Tuning{Best: number(3),
			Spent: number(4)}})
	case "doubt":
		last().Doubts = append(last().Doubts, f[1])
	case "tried":
		t := last()
		if int(number(1)) == len(t.Rounds) {
			t.Rounds = append(t.Rounds, nil)
		}
		i := len(t.Rounds) - 1
		t.Rounds[i] = append(t.Rounds[i], fwrate.Tried{C: number(2), Share: number(3), Median: number(4),
			Least: number(5), Most: number(6)})
	}
}

// Lines returns the runs of the entries, as "STORC, m = 1000", or without names of the race
// itself and of FISTA, for fwplot.Traces. They are copies in which Calls.Stochastic counts
// the gradients ∇f_i that were computed: of a batch of m > n samples at most n. So
// fwrate.Terms(a.N) is all that was computed.
func (a *Archive) Lines(names ...string) (traces []*fwopt.Trace) {
	if len(names) == 0 {
		for _, e := range entries {
			names = append(names, e.String())
		}
		names = append(names, "FISTA")
	}
	for _, name := range names {
		for _, tr := range a.Traces {
			if tr.Method != name {
				continue
			}
			t, e := *tr, named(name)
			t.Points = slices.Clone(t.Points)
			for i := range t.Points {
				p := &t.Points[i]
				p.Calls.Stochastic = int(e.terms(a.N, tr.Points[i])) - a.N*p.Calls.Exact
			}
			traces = append(traces, &t)
		}
	}
	return traces
}
