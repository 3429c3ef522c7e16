package fwrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// cell makes a run, in seconds of the processor.
func (g *Goal) cell(m rival, at [2]int, seed uint64, budget Spent) cell {
	constants := [2]float64{math.Exp2(float64(at[0])), math.Exp2(float64(at[1]))}
	tr := g.trace(m.of(g, constants), seed, g.Shares[len(g.Shares)-1], budget, fwrate.CPU)
	c := cell{method: m.method(), at: at, seed: seed}
	if c.reach, c.left, c.end = g.reached(tr.Points, budget); tr.Status == fwopt.Diverged {
		c.left = math.Inf(1)
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
	return missing, file.Write(path, seal(campaignFormat, b.Bytes()))
}

const campaignFormat = "# fwrace campaign 1, sha256 of the rest: "

// A Campaign is what Collect has written.
type Campaign struct {
	Facts    [][2]string // the machine and the code
	problems []*contest
}

// OpenCampaign reads an archive of Collect. It returns an error that tells what is wrong with the file.
func OpenCampaign(path string) (*Campaign, error) {
	rest, err := unseal(path, campaignFormat, "a campaign")
	if err != nil {
		return nil, err
	}
	a := &Campaign{}
	for line := range strings.Lines(string(rest)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		switch f[0] {
		case "fact":
			a.Facts = append(a.Facts, [2]string{f[1], f[2]})
		case "problem":
			a.problems = append(a.problems, parseContest(f))
		case "cell":
			c, _ := parseCell(f)
			a.problems[len(a.problems)-1].add(c)
		}
	}
	return a, nil
}
