package fwopt_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

// The README's program. What it prints there is what it prints here.
func Example_readme() {
	data, _ := fwdata.Load("digits") // 1,797 images of 10 digits
	f, ball := data.UnitRows().Logistic(), fwset.TraceNorm{H: 10, M: 64, Tau: 50}
	svrf := fwopt.SVRFExperiments()
	svrf.M = func(t, k int) int { return 100 }
	for _, m := range []fwopt.Method{&fwopt.FW{Rule: fwopt.LineSearch{}}, svrf,
		fwopt.SVRGExperiments(32), fwmore.NewAdaptiveSTORC()} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, ball, 1), m,
			fwopt.Budget{Tolerance: 1e-2})
		p := tr.Last()
		fmt.Printf("%-15s f = %.4f within %.4f %+v\n", tr.Method, p.F, p.DualityGap, p.Calls)
	}
	// Output:
	// FW              f = 0.8032 within 0.0099 {Exact:1199 Stochastic:0 Linear:600 Projections:0}
	// SVRF            f = 0.8024 within 0.0083 {Exact:25 Stochastic:234000 Linear:1171 Projections:0}
	// SVRG            f = 0.7980 within 0.0043 {Exact:6 Stochastic:41400 Linear:1 Projections:207}
	// STORC, adaptive f = 0.7988 within 0.0083 {Exact:9 Stochastic:7290 Linear:1292 Projections:0}
}

// TestREADME: the program in the README is the one above, and so is its output.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)func main\\(\\) {\n(.*?)}\n```\n\nprints\n\n```\n(.*?)```").FindSubmatch(readme)
	run := regexp.MustCompile(`(?s)func Example_readme\(\) {\n(.*?)	// Output:\n(.*?\n)}\n\n`).FindSubmatch(here)
	if shown == nil || run == nil {
		t.Fatal("no program, or no output")
	}
	if string(shown[1]) != string(run[1]) {
		t.Errorf("the README's program is not Example_readme:\n%s\n%s", shown[1], run[1])
	}
	if output := strings.ReplaceAll(string(run[2]), "\t// ", ""); string(shown[2]) != output {
		t.Errorf("the README shows\n%s, and Example_readme prints\n%s", shown[2], output)
	}
}
