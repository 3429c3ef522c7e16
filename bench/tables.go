package main

import (
	"encoding/csv"
	"fmt"
	"maps"
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
	return writeRatios(b.tables["ratios"])
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
	file, err := os.Open(filepath.Join(results, name+".csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return csv.NewReader(file).ReadAll()
}

func writeTable(name string, rows [][]string) error {
	var s strings.Builder
	if err := csv.NewWriter(&s).WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(results, name+".csv"), []byte(s.String()), 0o666)
}

// writeRatios writes the table of the race, and the lines that compare again as Markdown.
func writeRatios(table [][]string) error {
	md := "| item | threads | fwlab, ms | theirs, ms | theirs / ours | from turn to turn | goal | " +
		"their best form |\n|---|---|---|---|---|---|---|---|\n"
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
		md += fmt.Sprintf("| %s | %s | %.3g | %.3g | %.2f | %.2f to %.2f | %.3g | %s |\n",
			item, threads, 1e3*x[5], 1e3*x[6], x[9], x[10], x[11], x[12], form)
	}
	if err := writeTable("ratios", table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(results, "ratios.md"), []byte(md), 0o666)
}
