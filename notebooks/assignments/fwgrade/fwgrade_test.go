package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	enterJail()
	os.Exit(m.Run())
}

// The sheet of these tests: three functions, four checks.
var sheetCells = []nbcell{
	{id: "t-setup", text: `//gonb:!*echo setup
//gonb:%noautoget
import ("fmt"; "math"; "math/rand/v2"; "os"; "slices"; "strconv"; "github.com/projection-free/fwlab/fwopt"; "github.com/projection-free/fwlab/fwopt/fwplot"; "github.com/projection-free/fwlab/fwopt/fwset"; "gonum.org/v1/gonum/floats")`},
	{id: "t-helpers", text: `func seed() uint64 {
	s, _ := strconv.ParseUint(os.Getenv("FWLAB_SEED"), 10, 64)
	return max(s, 1)
}

// must ends the check with a message.
func must(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf(format+"\n", args...)
		os.Exit(1)
	}
}

func best(tau float64) fwset.L1Ball { return fwset.L1Ball{D: 5, R: tau} }

func sorted(x []float64) { sort.Float64s(x) }

func draw(n int) []float64 {
	r := rand.New(rand.NewPCG(seed(), 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}`},
	{id: "t-argmin", solution: true, text: `// Argmin is a minimiser of <g, v> over |v|_1 <= tau.
func Argmin(dst, g []float64, tau float64) {
	// BEGIN SOLUTION
	best := 0
	for i := range g {
		dst[i] = 0
		if math.Abs(g[i]) > math.Abs(g[best]) {
			best = i
		}
	}
	dst[best] = -math.Copysign(tau, g[best])
	// END SOLUTION
}`},
	{id: "t-argmin-check", grade: true, text: `%%
g, v := draw(5), make([]float64, 5)
Argmin(v, g, 2)
must(floats.Norm(v, 1) <= 2+1e-9, "‖v‖₁ = %g, more than 2", floats.Norm(v, 1))
want := make([]float64, 5)
best(2).Argmin(want, g)
must(floats.Dot(g, v) <= floats.Dot(g, want)+1e-9, "⟨g, v⟩ = %g, not least", floats.Dot(g, v))`},
	{id: "t-argmin-check2", grade: true, text: `// A declaration above.
func zeros() []float64 { return make([]float64, 3) }
%%
// BEGIN HIDDEN TESTS
v := []float64{7, 7, 7}
Argmin(v, zeros(), 1)
must(floats.Norm(v, 1) <= 1+1e-9, "g = 0: ‖v‖₁ = %g, more than 1", floats.Norm(v, 1))
// END HIDDEN TESTS`},
	{id: "t-sfw", solution: true, text: `func SFW(w []float64, K int, batch func(k int) int, grad func(dst, w []float64, m int), argmin func(dst, g []float64)) {
	// BEGIN SOLUTION
	g, v := make([]float64, len(w)), make([]float64, len(w))
	for k := 1; k <= K; k++ {
		grad(g, w, batch(k))
		argmin(v, g)
		gamma := 2 / float64(k+1)
		for i := range w {
			w[i] += gamma * (v[i] - w[i])
		}
	}
	// END SOLUTION
}`},
	{id: "t-sfw-check", grade: true, text: `%%
samples, linear, c := 0, 0, draw(5)
grad := func(dst, w []float64, m int) {
	samples += m
	for i := range dst {
		dst[i] = w[i] - c[i]
	}
}
argmin := func(dst, g []float64) {
	linear++
	best(1).Argmin(dst, g)
}
square := func(k int) int { return k * k }
w := make([]float64, 5)
SFW(w, 10, square, grad, argmin)
must(samples == 385 && linear == 10, "%d samples and %d linear optimisations, not 385 and 10", samples, linear)
naive, g, v := make([]float64, 5), make([]float64, 5), make([]float64, 5)
for k := 1; k <= 10; k++ {
	grad(g, naive, k)
	argmin(v, g)
	fwopt.Lerp(naive, 2/float64(k+1), v)
}
must(floats.EqualApprox(w, naive, 1e-9), "w_10 = %v, not %v", w, naive)`},
	{id: "t-mean", solution: true, text: `func Mean(x []float64) float64 {
	// BEGIN SOLUTION
	if len(x) == 0 {
		return 0
	}
	return floats.Sum(x) / float64(len(x))
	// END SOLUTION
}`},
	{id: "t-mean-check", grade: true, text: `%%
must(Mean([]float64{1, 2, 6}) == 3, "the mean of 1, 2, 6 is 3")
// BEGIN HIDDEN TESTS
must(Mean(nil) == 0, "the mean of nothing is 0 here")
// END HIDDEN TESTS`},
	{id: "t-picture", text: `func points() []float64 { return draw(3) }
%%
fmt.Println(points(), fwrate.Stochastic)`},
}

type nbcell struct {
	id, text        string
	grade, solution bool
	points          float64
	markdown        bool
	own             bool
}

func notebook(cells []nbcell) []byte {
	type m = map[string]any
	list := []m{}
	for _, c := range cells {
		kind := "code"
		if c.markdown {
			kind = "markdown"
		}
		mark := m{"schema_version": 3, "grade_id": c.id, "grade": c.grade, "solution": c.solution,
			"locked": !c.solution, "task": false}
		if c.points > 0 {
			mark["points"] = c.points
		}
		list = append(list, m{"cell_type": kind, "source": strings.SplitAfter(c.text, "\n"), "outputs": []m{},
			"metadata": m{"nbgrader": mark}})
		if c.own {
			list[len(list)-1]["metadata"] = m{}
		}
	}
	stubs := m{}
	for _, c := range sheetCells {
		if c.solution {
			stubs[c.id] = c.text
		}
	}
	data, err := json.Marshal(m{"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": m{"fwlab": m{"stubs": stubs}}})
	if err != nil {
		panic(err)
	}
	return data
}

func write(t *testing.T, dir string, data []byte) string {
	t.Helper()
	file := filepath.Join(dir, "sheet.ipynb")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// with is the sheet, released and then filled in: with solutions in some cells.
func with(change map[string]string) []nbcell {
	var cells []nbcell
	for _, c := range sheetCells {
		if text, ok := change[c.id]; ok {
			c.text = text
		}
		cells = append(cells, c)
	}
	return cells
}

const (
	all    = noMean + " mean"
	noMean = "argmin argmin2 sfw"
	argmin = "func Argmin(dst, g []float64, tau float64) {\n"
	mean   = "func Mean(x []float64) float64 {\n"
	sfw    = "func SFW(w []float64, K int, batch func(k int) int, grad func(dst, w []float64, m int), " +
		"argmin func(dst, g []float64)) {\n"
	goodSum = "\tif len(x) == 0 {\n\t\treturn 0\n\t}\n\treturn floats.Sum(x) / float64(len(x))\n}\n"
)

// filled are the cells that a submission has other texts in, inMean is another body of Mean.
type filled = map[string]string

func inMean(body string) filled { return filled{"t-mean": mean + body} }

// Submissions that differ from the right one in the cells named, and which checks they must pass.
var submissions = []struct {
	name   string
	cells  filled
	passes string
	says   string // in a report or a note
}{
	{"right", nil, all, ""},
	{"another style", filled{"t-mean": `import f64 "gonum.org/v1/gonum/floats"
type number interface{ ~float64 }
func sum[T number](x ...T) (s T) { for _, a := range x { s += a }; return s }
func draw() string { return "a name of the helpers" }
func Mean(x []float64) (m float64) {
	defer func() { if len(x) == 0 { m = 0 } }()
	_ = f64.Sum
	return sum(x...) / float64(len(x))
}`}, all, ""},
	{"a helper in another cell, an import from the table", filled{"t-mean": mean +
		"\treturn half(2 * meanOf(x))\n}", "t-argmin": sheetText("t-argmin") +
		"\nfunc half(x float64) float64 { return x / 2 }\nfunc meanOf(x []float64) float64 {\n" +
		strings.Replace(goodSum, "floats.Sum(x)", "stat.Mean(x, nil)*float64(len(x))", 1)}, all, ""},
	{"untouched", inMean("\t// YOUR CODE HERE\n\tpanic(\"not implemented\")\n}"),
		noMean, "Mean: panic: not implemented (t-mean, line 3)"},
	{"does not compile", inMean("\tx := 1\n\treturn undefinedName\n}"),
		noMean, "t-mean:3: undefined: undefinedName"},
	{"does not parse", inMean("\treturn (\n}"), noMean, "t-mean:3: "},
	{"wrong sign", filled{"t-argmin": strings.Replace(sheetText("t-argmin"), "= -math", "= math", 1)},
		"argmin2 sfw mean", "not least"},
	{"wrong on the hidden case", inMean("\treturn floats.Sum(x) / float64(len(x))\n}"), noMean,
		"the mean of nothing"},
	{"endless loop", inMean("\tfor {\n\t}\n}"), noMean, "no end after"},
	{"endless initialiser", filled{"t-mean": "var x = func() int { for { } }()\n" + mean +
		goodSum}, "", "no end after"},
	{"memory", inMean("\tvar a [][]byte\n\tfor { a = append(a, make([]byte, 1<<28)) }\n}"), noMean,
		"program ended"},
	{"prints", inMean("\tfmt.Println(\"to stdout\")\n\tfmt.Fprintln(os.Stderr, \"to " +
		"\\x1b[31mstderr\")\n\tlog.Print(\"x\")\n" + goodSum), all, "to [31mstderr"},
	{"prints without end", inMean("\tfor range 100_000 { fmt.Println(\"a line in the way\") }\n" + goodSum),
		all, "bytes more]"},

	{"exits in the function", inMean("\tos.Exit(0)\n\treturn 0\n}"), noMean, "program ended"},
	{"exits in init", filled{"t-mean": "func init() { os.Exit(0) }\n" + mean + goodSum}, "",
		"does not listen"},
	{"ends its goroutine", inMean("\truntime.Goexit()\n\treturn 0\n}"), noMean, "ended its goroutine"},
	{"panics in a goroutine", inMean("\tgo panic(\"there\")\n\tselect {}\n}"), noMean, "panic: there"},
	{"recovers a panic", inMean("\tdefer func() { recover() }()\n\tpanic(1)\n}"), noMean,
		"the mean of 1, 2, 6 is 3"},
	{"a main and a TestMain", filled{"t-mean": "func main() { os.Exit(0) }\nfunc TestMain(m " +
		"*testing.M) { os.Exit(0) }\n" + mean + "\treturn 7\n}"}, noMean,
		"the mean of 1, 2, 6 is 3"},
	{"other helpers", filled{"t-mean": "func must(ok bool, format string, args ...any) {}\nfunc " +
		"seed() uint64 { return 1 }\n" + mean + "\tmust(false, \"\")\n\treturn 7\n}"}, noMean,
		"the mean of 1, 2, 6 is 3"},
	{"ends by the helper", inMean("\tmust(false, \"mine\")\n\treturn 7\n}"), noMean, "mine"},
	{"overwrites an argument", filled{"t-argmin": argmin + "\tclear(g)\n\tclear(dst)\n}"},
		"argmin2 sfw mean", "not least"},
	{"goroutine left behind", filled{"t-sfw": sfw + "\tgo func() { for { grad(w, w, 1) } }()\n}"},
		"argmin argmin2 mean", ""},
	{"frames of its own", inMean("\tos.NewFile(4, \"\").WriteString(\"\\x09\\x00\\x00\\x00r12345678\")\n" +
		"\treturn 7\n}"), noMean, "a frame that no solution sends"},
	{"too long a slice", filled{"t-sfw": sfw + "\tgrad(make([]float64, 1<<22), w, 1)\n}"},
		"argmin argmin2 mean", "bytes in one call"},
	{"too many samples", filled{"t-sfw": strings.Replace(sheetText("t-sfw"), "batch(k)",
		"1000*batch(k)", 1)}, "argmin argmin2 mean", "385000 samples"},

	{"the library", filled{"t-argmin": "import \"github.com/projection-free/fwlab/fwopt/fwset\"\n" + argmin + "\tfwset.L1Ball{D: len(g), R: tau}.Argmin(dst, g)\n}"}, "sfw mean", "a solution may not use github.com/projection-free/fwlab/fwopt/fwset"},
	{"the library by the setup's import", filled{"t-argmin": argmin +
		"\tfwset.L1Ball{D: len(g), R: tau}.Argmin(dst, g)\n}"}, "sfw mean", "a solution may not use"},
	{"the library by a helper", filled{"t-argmin": argmin + "\tbest(tau).Argmin(dst, g)\n}"},
		"sfw mean", "undefined: best"},
	{"unsafe", inMean("\t_ = unsafe.Sizeof(x)\n" + goodSum), noMean, "undefined: unsafe"},
	{"imports for effect", filled{"t-mean": "import _ \"net/http\"\n" + mean + goodSum},
		noMean, "may not use net/http"},
	{"imports unsafe", filled{"t-mean": "import u \"unsafe\"\n" + mean + "\t_ = u.Sizeof(x)\n" + goodSum},
		noMean, "may not use unsafe"},
	{"cgo", filled{"t-mean": "// #include <stdlib.h>\nimport \"C\"\n" + mean + "\tC.exit(0)\n" + goodSum},
		noMean, "may not use C"},
	{"no such package", filled{"t-mean": "import \"gonum.org/v1/gonum/nosuch\"\n" + mean +
		"\treturn nosuch.Mean(x)\n}"}, noMean, "nosuch"},
	{"linkname", inMean(goodSum + "//go:linkname exit os.Exit\nfunc exit(int)\n"),
		noMean, "may not direct the compiler: //go:linkname"},
	{"blames another cell", filled{"t-mean": "//line t-sfw:1\n" + mean +
		"\treturn undefinedName\n}"}, noMean, "may not direct the compiler: //line"},
	{"a huge program", filled{"t-mean": "var a = [1 << 28]int{1 << 27: 1}\n" + mean +
		"\treturn float64(a[5])\n}"}, "", "the cells do not compile together"},
	{"a helper's import", filled{"t-mean": "import strconv \"net/http\"\n" + mean + "\tseed()\n" +
		goodSum}, all, ""},
	{"an import that a helper lacks", filled{"t-mean": "import sort \"net/http\"\n" + mean +
		"\tsorted(x)\n" + goodSum}, "", "may not use net/http"},
	{"names of the language", filled{"t-mean": "type float64 = string\nfunc panic(...any) " +
		"{}\nvar true, nil, string = 1, 2, 3\n" + mean + "\treturn \"\"\n}"}, noMean, ""},

	{"generic, its own type, and a result that nobody takes", filled{
		"t-mean": "type vec []float64\nfunc Mean[V ~[]T, T ~float64](x V) T {\n" + strings.Replace(goodSum,
			"floats.Sum(x) / float64(len(x))", "x[0]/3 + x[1]/3 + x[2]/3", 1),
		"t-argmin": strings.Replace(strings.Replace(sheetText("t-argmin"), "[]float64, tau float64) {",
			"vec, tau float64) vec {", 1), "g[best])\n", "g[best])\n\treturn dst\n", 1)}, all, ""},
	{"wrong signature", filled{"t-mean": "func Mean(x []float64) int { return 3 }"},
		noMean, "cannot use Mean"},
	{"function deleted", filled{"t-mean": "// nothing"}, noMean, "cell t-mean has no function Mean"},
	{"commands and a program below", filled{"t-mean": "!rm -rf x\n%noautoget\npackage main\n" +
		mean + goodSum + "%%\nos.Exit(0)"}, all,
		"the command !rm is not run; the command %noautoget is not run; what follows %%"},
	{"a function twice", filled{"t-argmin": sheetText("t-argmin") + "\n" + mean + "\treturn 7\n}"}, all, ""},
}

func sheetText(id string) string {
	for _, c := range sheetCells {
		if c.id == id {
			return c.text
		}
	}
	panic(id)
}

// testJudge has a sheet of these cells.
func testJudge(t *testing.T, cells []nbcell) (*judge, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows hands no pipes to a program")
	}
	dir, err := os.MkdirTemp(".", "_sheet") // in the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	j, err := newJudge(t.Context(), write(t, dir, notebook(cells)))
	if err == nil {
		t.Cleanup(j.close)
	}
	return j, err
}

func mustJudge(t *testing.T, cells []nbcell) *judge {
	t.Helper()
	j, err := testJudge(t, cells)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// judged is the verdict on a file, by a seed that is not the teacher's.
func judged(t *testing.T, j *judge, data []byte, part, all time.Duration) *verdict {
	t.Helper()
	v, err := j.grade(t.Context(), write(t, t.TempDir(), data), 7, limits{part, all})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// passed are the checks that were passed, and all that was said.
func passed(v *verdict) (ids, said string) {
	var list []string
	text := slices.Clone(v.Notes)
	for _, c := range v.Cells {
		if c.Passed {
			list = append(list, strings.Replace(strings.TrimPrefix(c.ID, "t-"), "-check", "", 1))
		}
		text = append(text, c.Report)
	}
	return strings.Join(list, " "), strings.Join(text, "\n")
}

func TestSubmissions(t *testing.T) {
	judges := make(chan *judge, 2) // one submission at a time for each
	for range cap(judges) {
		judges <- mustJudge(t, sheetCells)
	}
	for i, s := range submissions {
		if i > 8 && testing.Short() || s.name == "memory" && runtime.GOOS != "linux" ||
			s.name == "a huge program" && runtime.GOOS != "linux" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			j := <-judges
			defer func() { judges <- j }()
			v := judged(t, j, notebook(with(s.cells)), 3*time.Second, time.Minute)
			got, said := passed(v)
			if got != s.passes || !strings.Contains(said, s.says) {
				t.Errorf("passes %q, not %q; or does not say %q:\n%s", got, s.passes, s.says, said)
			}
			for _, c := range v.Cells {
				if c.Seconds > 8 {
					t.Errorf("%s took %.0f s of 3", c.ID, c.Seconds)
				}
			}
			if left, err := filepath.Glob(filepath.Join(j.dir, "root*")); err != nil || len(left) > 0 {
				t.Error("left behind:", left, err)
			}
		})
	}
}

// Files that are no notebook, or not quite the one that was handed out.
func TestSheetFiles(t *testing.T) {
	j := mustJudge(t, sheetCells)
	good := string(notebook(sheetCells))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatal("not in the notebook: " + old)
		}
		return strings.Replace(good, old, new, 1)
	}
	without := slices.DeleteFunc(with(nil), func(c nbcell) bool { return c.id == "t-mean" })
	twice := append(with(nil), nbcell{id: "t-mean", solution: true, text: mean + "\treturn 7\n}"})
	text := with(nil)
	text[len(text)-3].markdown = true
	for _, f := range []struct{ name, data, passes, says string }{
		{"nothing", "", "", "sheet.ipynb: no bytes in it"},
		{"not UTF-8", strings.Replace(good, "best", "b\xe4st", 1), "", "not UTF-8"},
		{"half", good[:len(good)/2], "", "not a notebook: "},
		{"another sheet", strings.ReplaceAll(good, "t-", "u-"), "", "is it the right sheet?"},
		{"a byte order mark", "\xef\xbb\xbf" + good, all, ""},
		{"50 MB of output", replace(`"outputs":[]`, `"outputs":[{"text":"`+strings.Repeat("x", 50<<20)+`"}]`),
			all, ""},
		{"a malformed cell", replace(`{"cell_type":"code"`,
			`7, {"source":{}, "cell_type":"code"}, {"cell_type":"code"`), all, "cell 1 is malformed"},
		{"a grade_id with a path", replace(`"t-mean"`, `"../t-mean"`), noMean,
			"cell t-mean is missing"},
		{"a check turned into a solution",
			replace(`"grade":true,"grade_id":"t-mean-check","locked":true,"schema_version":3,"solution":false`,
				`"grade":false,"grade_id":"t-mean-check","locked":true,"schema_version":3,"solution":true`),
			all,
			""},
		{"a missing cell", string(notebook(without)), noMean, "cell t-mean is missing"},
		{"a cell twice", string(notebook(twice)), noMean, "cell t-mean is there 2 times"},
		{"a cell turned into text", string(notebook(text)), all, ""},
		{"a cell of 300 kB", string(notebook(with(map[string]string{"t-mean": "//" + strings.Repeat("x",
			300<<10)}))), "", "cell t-mean has"},
	} {
		if len(f.data) > 1<<20 && testing.Short() {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			v := judged(t, j, []byte(f.data), 8*time.Second, time.Minute)
			if got, said := passed(v); got != f.passes || !strings.Contains(said, f.says) ||
				len(v.Cells) != 4 {
				t.Errorf("passes %q, not %q; or does not say %q:\n%s", got, f.passes, f.says, said)
			}
		})
	}
}

// A fault of the sheet is nobody's mark.
func TestSheets(t *testing.T) {
	mean := func(text string) []nbcell { return with(map[string]string{"t-mean": text}) }
	check := func(text string) []nbcell { return with(map[string]string{"t-mean-check": text}) }
	for name, f := range map[string]struct {
		cells []nbcell
		says  string
	}{
		"a check that does not compile": {check("%%\nmust(Mean(1) == 2, \"\")"), "t-mean-check:2:"},
		"a check that does not parse":   {check("%%\nmust("), "t-mean-check:"},
		"a type that cannot cross": {mean("func Mean(x map[string]int) float64 { return 0 }"),
			"t-mean:1: Mean cannot be called from another process"},
		"a function as a result": {mean("func Mean(x []float64) func() { return nil }"),
			"t-mean:1: Mean cannot"},
		"a method": {mean(
			"type a int\n\nfunc (a) Mean(x []float64) float64 { return 0 }"), "t-mean:3: Mean cannot"},
		"a grade_id twice": {append(with(nil), sheetCells[2]), "two cells with grade_id"},
		"points": {inParts(3, partCheck),
			"t-mean-check: its parts are worth 4 points in all, the cell is worth 3"},
		"a part twice": {inParts(2,
			"%%\npart(1, \"a\", func() {})\npart(1, \"a\", func() {})"), "t-mean-check:3: wanted part("},
		"a part of no points": {inParts(0, "%%\npart(0, \"a\", func() {})"),
			"t-mean-check:2: wanted part("},
		"a part of no name": {inParts(1, "%%\npart(1, \"\", func() {})"),
			"t-mean-check:2: wanted part("},
	} {
		if _, err := testJudge(t, f.cells); err == nil || !strings.Contains(err.Error(), f.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A check that ends early, with no complaint, has not been passed.
func TestEarlyExit(t *testing.T) {
	cells := with(map[string]string{"t-mean-check": "%%\nos.Exit(0)", "t-sfw-check": "%%\nreturn",
		"t-argmin-check": "%%\nMean(nil)\nvar x []int\nfmt.Println(\"so far\", x[0])"})
	got, said := passed(judged(t, mustJudge(t, cells), notebook(cells), 8*time.Second, time.Minute))
	if got != "argmin2 sfw" || !strings.Contains(said, "ended before its last line") ||
		!strings.Contains(said, "index out of range") || strings.Contains(said, "goroutine") {
		t.Errorf("passes %q: %s", got, said)
	}
}
