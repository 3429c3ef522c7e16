package fwopt_test

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The register of claims, notebooks/claims.tsv: a row for each number of a card, and of the tables of
// two lessons, one that measures and one that recommends, and of the page of the paper's claims. It names the cell whose committed output has the number, and
// the rivals in the same output.
type claim struct{ where, text, page, cell, values, rivals string }

// stated is the text in which numbers are claims: of the tables with such a column, that column.
type stated struct{ where, column, row string }

var (
	number = regexp.MustCompile(`[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)
	power  = regexp.MustCompile(`\\cdot10\^\{?(-?[0-9]+)\}?`)
	aside  = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|\\[[0-9]+[a-z]?|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|ℓ1")
	races  = regexp.MustCompile(`[0-9] times|fewer|faster|against`)
)

// numbers are those of a claim, with a power of ten as e-4, without links, code and levels as 10⁻³.
func numbers(text string) []string {
	return number.FindAllString(aside.ReplaceAllString(power.ReplaceAllString(text, "e$1"), ""), -1)
}

func parse(s string) float64 {
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// rounds reports whether x is written as shown, to the last digit of shown that is not a 0 for size.
func rounds(x float64, shown string) bool {
	s, exp, _ := strings.Cut(strings.ReplaceAll(shown, ",", ""), "e")
	unit, _ := strconv.Atoi(cmp.Or(exp, "0"))
	if _, after, ok := strings.Cut(s, "."); ok {
		unit -= len(after)
	} else if t := strings.TrimRight(s, "0"); t != "" {
		unit += len(s) - len(t)
	}
	return math.Abs(x-parse(shown)) <= 0.5*math.Pow(10, float64(unit))*(1+1e-9)
}

// columns returns the column of that head of the tables of a text, row by row.
func columns(where, text, head string) (all []stated) {
	at := -1
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, ""), "| "), " | ")
		switch i := slices.Index(cells, head); {
		case !strings.HasPrefix(line, "|"):
			at = -1
		case i >= 0:
			at = i
		case at >= 0 && at < len(cells) && !strings.HasPrefix(line, "|-") && !strings.HasPrefix(line, "|:"):
			all = append(all, stated{where, cells[at], line})
		}
	}
	return all
}

// tables are the heads of the columns that state something outside of a card.
var tables = map[string][]string{
	"lesson-7-tables":      {"exact gradients", "stochastic gradients", "linear optimisations"},
	"lesson-8-what-to-use": {"seen on", "ratio"},
	"claims":               {"measured"},
}

type outputs map[string]map[string]string // of a page's cells

// readPages returns what cards and tables state, and the outputs of all pages.
func readPages(t *testing.T) (all []stated, out outputs) {
	out = outputs{}
	for file, page := range notebooks(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		card := strings.NewReplacer("| | | where |", "| number | | where |", "{,}", ",").Replace(
			strings.Join(page.Cells[0].Source, ""))
		all = append(all, columns(name, card, "number")...)
		out[name] = map[string]string{}
		for _, c := range page.Cells {
			text := strings.Join(c.Source, "")
			for _, head := range tables[name] {
				all = append(all, columns(name, text, head)...)
			}
			text += "\x00"
			for _, o := range c.Outputs {
				text += strings.Join(o.Text, "") + "\n"
				for _, kind := range []string{"text/markdown", "text/plain"} {
					lines, _ := o.Data[kind].([]any)
					for _, l := range lines {
						text += l.(string)
					}
					one, _ := o.Data[kind].(string)
					text += one + "\n"
				}
			}
			out[name][c.ID] = strings.ReplaceAll(text, "−", "-")
		}
	}
	return all, out
}

func readClaims(t errorer, text string) (rows []claim) {
	for i, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		f := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(f) == 6:
			rows = append(rows, claim{f[0], f[1], f[2], f[3], f[4], f[5]})
		default:
			t.Errorf("line %d: %d fields, want 6", i+1, len(f))
		}
	}
	return rows
}

func checkClaims(t errorer, text string, all []stated, out outputs) {
	rows := readClaims(t, text)
	for _, s := range all {
		has := slices.Clone(numbers(s.column))
		for _, c := range rows {
			if c.where == s.where && strings.Contains(s.column, c.text) {
				for _, n := range numbers(c.text) {
					if i := slices.Index(has, n); i >= 0 {
						has = slices.Delete(has, i, i+1)
					}
				}
			}
		}
		if len(has) > 0 {
			t.Errorf("%s: no row for %q of %q", s.where, has, s.column)
		}
	}
	for _, c := range rows {
		c.check(t, all, out)
	}
}

func (c claim) check(t errorer, all []stated, out outputs) {
	i := slices.IndexFunc(all, func(s stated) bool {
		return s.where == c.where && strings.Contains(s.column, c.text)
	})
	text, ok := out[c.page][c.cell]
	switch {
	case i < 0:
		t.Errorf("%s: nobody claims %q any more", c.where, c.text)
		return
	case !ok:
		t.Errorf("%s: %q: %s has no cell %s", c.where, c.text, c.page, c.cell)
		return
	case c.rivals == "" && races.MatchString(aside.ReplaceAllString(all[i].row, "")) &&
		!strings.Contains(all[i].row, "not raced"):
		t.Errorf("%s: %q is a comparison: name the rivals, or say that none was raced", c.where, c.text)
	}
	_, printed, _ := strings.Cut(text, "\x00")
	shown, values := numbers(c.text), strings.Fields(c.values)
	if len(shown) != len(values) {
		t.Errorf("%s: %q has the numbers %q, and the row %q", c.where, c.text, shown, values)
		return
	}
	for k, v := range values {
		ratio, percent := strings.CutSuffix(v, "%")
		ratio, less := strings.CutSuffix(ratio, "-1")
		ratio, thousand := strings.CutSuffix(ratio, "k")
		above, below, divided := strings.Cut(ratio, "/")
		x := parse(above)
		if divided {
			x /= parse(below)
		}
		if less {
			x--
		}
		if percent {
			x *= 100
		}
		if thousand {
			x *= 1000
		}
		if !rounds(x, shown[k]) {
			t.Errorf("%s: %s is %g, and %q says %s", c.where, v, x, c.text, shown[k])
		}
		for _, n := range []string{above, below} {
			is := func(q string) bool { return parse(q) == parse(n) }
			if n != "" && !slices.ContainsFunc(number.FindAllString(printed, -1), is) {
				t.Errorf("%s: %q: the output of %s %s has no %s", c.where, c.text, c.page, c.cell, n)
			}
		}
	}
	for _, r := range strings.Split(strings.ReplaceAll(c.rivals, "−", "-"), "; ") {
		if !strings.Contains(text, r) {
			t.Errorf("%s: %q: %s %s has no %s", c.where, c.text, c.page, c.cell, r)
		}
	}
}

func TestClaims(t *testing.T) {
	text, err := os.ReadFile("../notebooks/claims.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all, out := readPages(t)
	checkClaims(t, string(text), all, out)
}

func TestClaimFaults(t *testing.T) {
	all := []stated{{"p", "3.2 times", "| 3.2 times | fewer than B |"}}
	out := outputs{"p": {"c": "source of B\x00A 10, B 32.4"}}
	for what, text := range map[string]string{
		"":                  "p\t3.2 times\tp\tc\t32.4/10\tB",
		"no row":            "# nothing",
		"a dead row":        "p\t3.2 times\tp\tc\t32.4/10\tB\nq\t7\tp\tc\t10\t",
		"another number":    "p\t3.2 times\tp\tc\t10/32.4\tB",
		"not in the output": "p\t3.2 times\tp\tc\t3.2\tB",
		"no cell":           "p\t3.2 times\tp\td\t32.4/10\tB",
		"no rival":          "p\t3.2 times\tp\tc\t32.4/10\t",
		"another rival":     "p\t3.2 times\tp\tc\t32.4/10\tC",
		"a field too few":   "p\t3.2 times\tp\tc\t32.4/10\tB\np\t3.2\tp\tc\t32.4/10",
	} {
		var f found
		checkClaims(&f, text, all, out)
		if (len(f) == 0) != (what == "") || len(f) > 1 {
			t.Errorf("%s: %q", what, f)
		}
	}
	for shown, x := range map[string]float64{"800": 796, "0.98": 0.976, "3e-12": 3.2e-12, "23,369": 23369} {
		if !rounds(x, shown) || rounds(1.2*x, shown) {
			t.Errorf("%g and %s", x, shown)
		}
	}
}
