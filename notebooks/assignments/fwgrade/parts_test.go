package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const partHelper = `

func part(points float64, what string, check func()) {
	if only := os.Getenv("FWLAB_PART"); only == "" || only == what {
		check()
	}
}`

// inParts is the sheet with a check of Mean that has three parts, the last of which has two and a half points.
func inParts(points float64, check string) []nbcell {
	cells := with(map[string]string{"t-helpers": sheetText("t-helpers") + partHelper, "t-mean-check": check})
	for i := range cells {
		if cells[i].id == "t-mean-check" {
			cells[i].points = points
		}
	}
	return cells
}

const partCheck = `%%
ones := []float64{1, 1}
part(1, "any numbers", func() {
	must(Mean([]float64{1, 2, 6}) == 3, "the mean of 1, 2, 6 is 3")
})
part(.5, "ones", func() { must(Mean(ones) == 1, "the mean of ones is 1") })
// BEGIN ` + `HIDDEN TESTS
part(2.5, ` + "`nothing`" + `, func() {
	must(Mean(nil) == 0, "the mean of nothing is 0 here")
})
// END ` + `HIDDEN TESTS`

// Each part is judged by itself: what one of them meets, be it a loop without end or an exit, does not cost the others.
func TestParts(t *testing.T) {
	j := mustJudge(t, inParts(4, partCheck))
	for _, s := range []struct {
		name, body string
		passes     []string
		points     float64
		says       string
	}{
		{"right", goodSum, []string{"any numbers", "ones", "nothing"}, 4, "2.5 of 2.5 for nothing"},
		{"wrong on nothing", "\treturn floats.Sum(x) / float64(len(x))\n}", []string{"any numbers", "ones"},
			1.5, "0 of 2.5 for nothing\nthe mean of nothing"},
		{"always 1", "\treturn 1\n}", []string{"ones"}, 0.5, "0 of 1 for any numbers"},
		{"exits", "\tif len(x) == 2 {\n\t\tos.Exit(0)\n\t}\n" + goodSum, []string{"any numbers", "nothing"},
			3.5, "program ended"},
		{"no end", "\tfor len(x) == 3 {\n\t}\n" + goodSum, []string{"ones", "nothing"}, 3, "no end after"},
		{"nothing right", "\tpanic(\"not implemented\")\n}", nil, 0,
			"0 of 0.5 for ones\nMean: panic: not implemented"},
	} {
		v := judged(t, j, notebook(with(map[string]string{"t-mean": mean + s.body})), 2*time.Second,
			time.Minute)
		m := v.Cells[len(v.Cells)-1]
		var passed []string
		for _, p := range m.Parts {
			if p.Passed {
				passed = append(passed, p.What)
			}
		}
		if !slices.Equal(passed, s.passes) || m.Points != s.points || m.Passed != (len(passed) == 3) ||
			len(m.Parts) != 3 || !strings.Contains(m.Report, s.says) {
			t.Errorf("%s: passes %q with %g points, or does not say %q:\n%s", s.name, passed, m.Points,
				s.says, m.Report)
		}
	}
}

// What a student sees before handing in is what grading would say.
func TestHandIn(t *testing.T) {
	own := nbcell{id: "", own: true, text: "func half(x float64) float64 { return x / 2 }"}
	halves := map[string]string{"t-mean": mean + "\treturn half(2 * floats.Sum(x)) / float64(len(x))\n}"}
	for name, f := range map[string]struct {
		cells []nbcell
		ok    bool
		says  string
	}{
		"right":               {with(nil), true, "compile by themselves"},
		"a helper of its own": {append(with(halves), own), false, "t-mean:2: undefined: half"},
		"untouched": {with(map[string]string{"t-mean": mean +
			"\t// YOUR CODE HERE\n\tpanic(\"not implemented\")\n}"}), true,
			"cell t-mean is as it was handed out"},
		"a program below": {with(map[string]string{"t-mean": mean + goodSum +
			"%%\nfmt.Println(Mean(nil))"}), true, "what follows %%"},
		"no sheet": {[]nbcell{own}, false, "no solution cells"},
		"another signature": {with(
			map[string]string{"t-mean": "func Mean(x [3]float64) float64 { return 2 }"}), false,
			"t-mean:1: cannot use x"},
		"another name": {with(map[string]string{"t-mean": strings.Replace(mean, "Mean", "mean", 1) +
			goodSum}), false, "cell t-mean has no function Mean"},
		"a cell deleted": {slices.DeleteFunc(with(nil), func(c nbcell) bool { return c.id == "t-mean" }),
			false, "cell t-mean, with Mean, is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := handIn(t.Context(), write(t, t.TempDir(), notebook(f.cells)))
			if err != nil {
				text += err.Error()
			}
			if (err == nil) != f.ok || !strings.Contains(text, f.says) {
				t.Errorf("ok %v, or does not say %q: %s", err == nil, f.says, text)
			}
		})
	}
	if _, err := handIn(t.Context(), "ps1.ipynb"); err == nil ||
		!strings.Contains(err.Error(), "ps1.ipynb is not here") {
		t.Error(err)
	}
}

// A submission without end in all of its functions holds the grader no longer than all checks may take together,
// and says so; what comes after is not run.
func TestAllLimit(t *testing.T) {
	j := mustJudge(t, sheetCells)
	data := notebook(with(map[string]string{"t-argmin": argmin + "\tfor {\n\t}\n}"}))
	for _, all := range []time.Duration{time.Second, time.Hour} {
		got, said := passed(judged(t, j, data, time.Second, all))
		ran := all > time.Second
		if strings.Contains(said, "from cell t-argmin-check2 on they were not run") == ran ||
			strings.Contains(said, "not run: the checks before it took the 1s") == ran || (got != "") != ran {
			t.Errorf("%v: passes %q: %s", all, got, said)
		}
	}
}
