package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/projection-free/fwlab/fwopt"
)

// readText returns a file, or nothing.
func readText(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

const results = "bench/results"

// add adds a line to a table, its numbers with 5 digits.
func (b *bench) add(table string, line ...any) {
	var cells []string
	for _, x := range line {
		if f, ok := x.(float64); ok {
			x = strconv.FormatFloat(f, 'g', 5, 64)
		}
		cells = append(cells, fmt.Sprint(x))
	}
	b.tables[table] = append(b.tables[table], cells)
}

// facts are the machine and the versions.
func (b *bench) facts() [][]string {
	facts := [][]string{{"what", "value"}, {"processor", machine()},
		{"processors", fmt.Sprint(runtime.NumCPU())}, {"system", runtime.GOOS + "/" + runtime.GOARCH},
		{"go", runtime.Version()}, {"kernels", fwopt.Kernel()},
		{"AVX2, AVX-512", fmt.Sprint(has("avx2"), ", ", has("avx512f"))},
		{"date", time.Now().UTC().Format(time.DateOnly)}, {"turns of each side", fmt.Sprint(b.rounds)}}
	for _, name := range slices.Sorted(maps.Keys(b.versions)) {
		facts = append(facts, []string{name, b.versions[name]})
	}
	return facts
}

// unfinished has the lines of a full run that has not come to its end, below what machine that was.
const unfinished = dir + "/unfinished.csv"

// onThis is facts in one line, without the day.
func (b *bench) onThis() []string {
	facts := slices.DeleteFunc(b.facts(), func(f []string) bool { return f[0] == "date" })
	return slices.Concat(facts...)
}

// goOn takes the lines of a full run that ended early on this machine, with these versions.
func (b *bench) goOn() error {
	lines, err := readLines(unfinished, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w; remove it to begin anew", unfinished, err)
	}
	if len(lines) > 1 && slices.Equal(lines[0], b.onThis()) {
		fmt.Printf("%d lines of %s are of this machine: the run goes on there\n", len(lines)-2, unfinished)
		b.tables["ratios"] = lines[1:]
	}
	return nil
}

// raced reports whether an item has its lines already.
func (b *bench) raced(it item) bool {
	return slices.ContainsFunc(b.tables["ratios"], func(l []string) bool {
		return l[0] == it.name && l[1] == fmt.Sprint(it.threads)
	})
}

// keep keeps the lines of a full run for goOn.
func (b *bench) keep() error {
	return writeLines(unfinished, slices.Insert(slices.Clone(b.tables["ratios"]), 0, b.onThis()))
}

// write writes four tables, and the first again as Markdown; profile the fifth.
func (b *bench) write() error {
	if err := os.MkdirAll(results, 0o777); err != nil {
		return err
	}
	b.tables["machine"] = b.facts()
	for _, name := range []string{"machine", "roofline", "growth"} {
		if err := writeTable(name, b.tables[name]); err != nil {
			return err
		}
	}
	fmt.Println("written:", results)
	if err := writeRatios(b.tables["ratios"]); err != nil {
		return err
	}
	return os.Remove(unfinished)
}

// update puts the lines of the items that were run into the last full run's table, if that
// is of this machine with these versions. So an item that something else disturbed is run
// again alone, and one that is new is added.
func (b *bench) update() error {
	table, err := readTable("ratios")
	last, err2 := readTable("machine")
	other := err != nil || err2 != nil
	for _, f := range b.facts() {
		i := slices.IndexFunc(last, func(old []string) bool { return old[0] == f[0] })
		switch {
		case f[0] == "date" || f[0] == "turns of each side":
		case i < 0: // a peer that is new
			last = append(last, f)
		default:
			other = other || last[i][1] != f[1]
		}
	}
	if other {
		fmt.Println("nothing is written: the last full run in", results,
			"is of another machine, or of other versions")
		return nil
	}
	for _, l := range b.tables["ratios"][1:] {
		i := slices.IndexFunc(table, func(old []string) bool { return slices.Equal(old[:3], l[:3]) })
		if i < 0 {
			i, table = len(table), append(table, nil)
		}
		table[i] = l
	}
	if err := writeTable("machine", last); err != nil {
		return err
	}
	fmt.Println("updated:", results)
	return writeRatios(table)
}

func readTable(name string) ([][]string, error) {
	return readLines(filepath.Join(results, name+".csv"), 0)
}

// readLines reads a table of so many columns: 0 for those of its first line, -1 for any.
func readLines(path string, columns int) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = columns
	return r.ReadAll()
}

func writeTable(name string, rows [][]string) error {
	return writeLines(filepath.Join(results, name+".csv"), rows)
}

func writeLines(path string, rows [][]string) error {
	var s strings.Builder
	if err := csv.NewWriter(&s).WriteAll(rows); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", []byte(s.String()), 0o666); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// tasks are what the lines of the race are for, by the beginning of an item's name.
var tasks = []struct {
	name, item string
	threads    int
}{
	{"ℓ1 ball, dense rows", "P1", 1},
	{"ℓ1 ball, sparse rows", "P2", 1},
	{"Frank-Wolfe, trace norm", "P3", 1},
	{"gradients and values", "P5a", 1},
	{"gradients, two threads", "P5a", 2},
	{"linear optimisation, trace norm", "P5b", 1},
	{"projection, trace norm", "P5c", 1},
	{"the six methods on news20", "P6", 1},
	{"assignments", "P7", 1},
	{"traffic equilibria", "P8", 1},
	{"a step of Muon", "P10", 1},
	{"ℓ1 ball, to a proven gap", "P11", 1},
}

// writeTasks writes the median and the least of each task's ratios, and prints them as bars: theirs is faster on the left.
func writeTasks(table [][]string) error {
	lines := [][]string{{"task", "item", "threads", "lines", "ratio", "ratio_min"}}
	for _, t := range tasks {
		var ratios []float64
		for _, l := range table[1:] {
			if strings.HasPrefix(l[0]+" ", t.item+" ") && l[1] == fmt.Sprint(t.threads) && l[2] == python {
				x, _ := strconv.ParseFloat(l[9], 64)
				ratios = append(ratios, x)
			}
		}
		if len(ratios) == 0 {
			continue // one processor
		}
		median, least, _ := spread(ratios)
		lines = append(lines, []string{t.name, t.item, fmt.Sprint(t.threads), fmt.Sprint(len(ratios)),
			fmt.Sprintf("%.3g", median), fmt.Sprintf("%.3g", least)})
		fmt.Printf("%-42s %s median %5.2f, least %5.2f of %d lines\n", t.name, bar(least, median), median, least, len(ratios))
	}
	return writeTable("tasks", lines)
}

// bar has # at the median and - from the least, on a scale of 1/32 to 32 with | at 1.
func bar(least, median float64) string {
	const half = 20
	line := []rune(strings.Repeat(" ", 2*half+1))
	line[half] = '|'
	at := func(x float64) int { return half + int(math.Round(min(max(half*math.Log2(x)/5, -half), half))) }
	for k := at(least); k < at(median); k++ {
		if k != half {
			line[k] = '-'
		}
	}
	line[at(median)] = '#'
	return string(line)
}

// writeRatios writes the table of the race, the lines that compare again as Markdown, and the tasks.
func writeRatios(table [][]string) error {
	md := "| item | threads | fwlab, ms | theirs, ms | theirs / ours | from turn to turn | " +
		"their best form |\n|---|---|---|---|---|---|---|\n"
	for _, l := range table[1:] {
		x := make([]float64, len(l))
		for i := range l {
			x[i], _ = strconv.ParseFloat(l[i], 64) // 0 where it is none
		}
		item, threads, who, form := l[0], l[1], l[2], l[3]
		if who == ours {
			continue
		}
		if who != python {
			form = who
		}
		md += fmt.Sprintf("| %s | %s | %.3g | %.3g | %.2f | %.2f to %.2f | %s |\n",
			item, threads, 1e3*x[5], 1e3*x[6], x[9], x[10], x[11], form)
	}
	if err := writeTable("ratios", table); err != nil {
		return err
	}
	if err := writeTasks(table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(results, "ratios.md"), []byte(md), 0o666)
}
