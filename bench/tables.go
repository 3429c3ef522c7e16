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

// number is x with 5 digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

// facts are the machine and the versions.
func (b *bench) facts() [][]string {
	facts := [][]string{{"what", "value"}, {"processor", machine()}, {"processors", fmt.Sprint(runtime.NumCPU())},
		{"system", runtime.GOOS + "/" + runtime.GOARCH}, {"go", runtime.Version()}, {"kernels", fwopt.Kernel()}, {"AVX2, AVX-512", fmt.Sprint(has("avx2"), ", ", has("avx512f"))},
		{"date", time.Now().UTC().Format(time.DateOnly)}, {"turns of each side", fmt.Sprint(b.rounds)}}
	for _, name := range slices.Sorted(maps.Keys(b.versions)) {
		facts = append(facts, []string{name, b.versions[name]})
	}
	return facts
}

// ratios is the table of the race.
func (b *bench) ratios() [][]string {
	table := [][]string{{"item", "threads", "who", "form", "turns", "ours_s", "median_s", "min_s", "max_s", "ratio", "ratio_min", "ratio_max", "goal", "forms_ms"}}
	mine := 0.0
	for _, r := range b.rows {
		if r.who == ours {
			mine = r.median
		}
		table = append(table, []string{r.item, fmt.Sprint(r.threads), r.who, r.form, fmt.Sprint(r.rounds), number(mine), number(r.median), number(r.min), number(r.max),
			number(r.ratio), number(r.least), number(r.top), number(r.goal), r.forms})
	}
	return table
}

// write writes the four tables, and the first again as Markdown.
func (b *bench) write(out string, roof []mark, growth []growing) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	marks := [][]string{{"kind", "name", "bytes", "rate", "unit", "seconds", "bound"}}
	for _, m := range roof {
		marks = append(marks, []string{m.kind, m.name, fmt.Sprint(m.size), number(m.rate), m.unit, number(m.seconds), m.bound})
	}
	grown := [][]string{{"kernel", "in", "from", "size", "last", "seconds", "memory_s", "exponent", "net", "want", "slack"}}
	for i, g := range growth {
		last := i+1 == len(growth) || growth[i+1].from != g.from || growth[i+1].size < g.size
		grown = append(grown, []string{g.kernel, g.in, fmt.Sprint(g.from), fmt.Sprint(g.size), fmt.Sprint(last), number(g.seconds), number(g.memory), number(g.exponent), number(g.net), number(g.want), number(g.slack)})
	}
	for name, rows := range map[string][][]string{"machine": b.facts(), "roofline": marks, "growth": grown} {
		if err := writeTable(out, name, rows); err != nil {
			return err
		}
	}
	fmt.Println("written:", out)
	return writeRatios(out, b.ratios())
}

// update puts the lines of the items that were run into the last full run's table, if that
// is of this machine with these versions. So an item that something else disturbed is run
// again alone, and one that is new is added.
func (b *bench) update(out string) error {
	table, err := readTable(out, "ratios")
	last, err2 := readTable(out, "machine")
	other := err != nil || err2 != nil
	for _, f := range b.facts() {
		switch i := slices.IndexFunc(last, func(old []string) bool { return old[0] == f[0] }); {
		case f[0] == "date" || f[0] == "turns of each side":
		case i < 0: // a peer that is new
			last = append(last, f)
		default:
			other = other || last[i][1] != f[1]
		}
	}
	if other {
		fmt.Println("nothing is written: the last full run in", out, "is of another machine, or of other versions")
		return nil
	}
	for _, l := range b.ratios()[1:] {
		i := slices.IndexFunc(table, func(old []string) bool { return slices.Equal(old[:3], l[:3]) })
		if i < 0 {
			i, table = len(table), append(table, nil)
		}
		table[i] = l
	}
	if err := writeTable(out, "machine", last); err != nil {
		return err
	}
	fmt.Println("updated:", out)
	return writeRatios(out, table)
}

func readTable(out, name string) ([][]string, error) {
	file, err := os.Open(filepath.Join(out, name+".csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return csv.NewReader(file).ReadAll()
}

func writeTable(out, name string, rows [][]string) error {
	var s strings.Builder
	if err := csv.NewWriter(&s).WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name+".csv"), []byte(s.String()), 0o666)
}

// writeRatios writes the table of the race, and the lines that compare again as Markdown.
func writeRatios(out string, table [][]string) error {
	md := "| item | threads | fwlab, ms | theirs, ms | theirs / ours | from turn to turn | goal | their best form |\n|---|---|---|---|---|---|---|---|\n"
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
		md += fmt.Sprintf("| %s | %s | %.3g | %.3g | %.2f | %.2f to %.2f | %.3g | %s |\n", item, threads, 1e3*x[5], 1e3*x[6], x[9], x[10], x[11], x[12], form)
	}
	if err := writeTable(out, "ratios", table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "ratios.md"), []byte(md), 0o666)
}
