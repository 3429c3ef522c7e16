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

// write writes the four tables, and the first again as Markdown.
func (b *bench) write(out string, roof []mark, growth []growing) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	facts := [][]string{{"what", "value"}, {"processor", machine()}, {"processors", fmt.Sprint(runtime.NumCPU())},
		{"system", runtime.GOOS + "/" + runtime.GOARCH}, {"go", runtime.Version()}, {"kernels", fwopt.Kernel()}, {"AVX2, AVX-512", fmt.Sprint(has("avx2"), ", ", has("avx512f"))},
		{"date", time.Now().UTC().Format(time.DateOnly)}, {"turns of each side", fmt.Sprint(b.rounds)}}
	for _, name := range slices.Sorted(maps.Keys(b.versions)) {
		facts = append(facts, []string{name, b.versions[name]})
	}
	ratios := [][]string{{"item", "threads", "who", "form", "turns", "ours_s", "median_s", "min_s", "max_s", "ratio", "ratio_min", "ratio_max", "goal", "forms_ms"}}
	md := "| item | threads | fwlab, ms | theirs, ms | theirs / ours | from turn to turn | goal | their best form |\n|---|---|---|---|---|---|---|---|\n"
	mine := 0.0
	for _, r := range b.rows {
		if r.who == ours {
			mine = r.median
		}
		ratios = append(ratios, []string{r.item, fmt.Sprint(r.threads), r.who, r.form, fmt.Sprint(r.rounds), number(mine), number(r.median), number(r.min), number(r.max),
			number(r.ratio), number(r.least), number(r.top), number(r.goal), r.forms})
		if r.who != ours {
			form := r.form
			if r.who != python {
				form = r.who
			}
			md += fmt.Sprintf("| %s | %d | %.3g | %.3g | %.2f | %.2f to %.2f | %.3g | %s |\n", r.item, r.threads, 1e3*mine, 1e3*r.median, r.ratio, r.least, r.top, r.goal, form)
		}
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
	for name, rows := range map[string][][]string{"machine": facts, "ratios": ratios, "roofline": marks, "growth": grown} {
		var s strings.Builder
		if err := csv.NewWriter(&s).WriteAll(rows); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+".csv"), []byte(s.String()), 0o666); err != nil {
			return err
		}
	}
	fmt.Println("written:", out)
	return os.WriteFile(filepath.Join(out, "ratios.md"), []byte(md), 0o666)
}
