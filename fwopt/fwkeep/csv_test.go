package fwkeep_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

func ExampleWriteCSV() {
	tr := &fwopt.Trace{Method: "SVRF", Data: "digits", Seed: 7, Points: []fwopt.Point{
		{F: 2.5, Excess: math.NaN(), DualityGap: math.NaN(), Slack: math.NaN()},
		{Step: 1, T: 1, K: 1, Calls: fwopt.Calls{Exact: 2, Stochastic: 192, Linear: 2}, Seconds: 0.125, F: 1.75, Excess: 0.25, DualityGap: 0.5},
	}}
	if err := fwkeep.WriteCSV(os.Stdout, tr); err != nil {
		panic(err)
	}
	// Output:
	// method,data,seed,step,t,k,exact,stochastic,linear,projections,seconds,f,excess,dualitygap,slack,bound
	// SVRF,digits,7,0,0,0,0,0,0,0,0,2.5,,,,
	// SVRF,digits,7,1,1,1,2,192,2,0,0.125,1.75,0.25,0.5,0,
}

// A table read back by another reader holds every field of every point.
func TestWriteCSVReadBack(t *testing.T) {
	traces := []*fwopt.Trace{
		{Method: `SVRF, "no reset"`, Data: "a,b\nc", Seed: math.MaxUint64},
		{Method: "no points"},
		{Method: "SFW", Points: make([]fwopt.Point, 3)},
	}
	for i := range 50 { // every field differs from every other
		x := float64(i)
		traces[0].Points = append(traces[0].Points, fwopt.Point{
			Step: 1 + i, T: 100 + i, K: 200 + i,
			Calls:   fwopt.Calls{Exact: 300 + i, Stochastic: 400 + i, Linear: 500 + i, Projections: 600 + i},
			Seconds: math.Exp(x / 7), F: -math.Exp(-x), Excess: math.Cbrt(x), DualityGap: math.Pi * x, Slack: math.Sqrt(x) * 1e-300,
		})
	}
	traces[0].Points[3].F = math.Inf(1)
	var b strings.Builder
	if err := fwkeep.WriteCSV(&b, traces...); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+50+3 {
		t.Fatalf("%d rows", len(rows))
	}
	col := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[slices.Index(rows[0], name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, p := range traces[0].Points {
		row := rows[1+i]
		if row[0] != traces[0].Method || row[1] != traces[0].Data || row[2] != "18446744073709551615" {
			t.Fatalf("row %d: %q", i, row)
		}
		for name, want := range map[string]float64{
			"step": float64(p.Step), "t": float64(p.T), "k": float64(p.K),
			"exact": float64(p.Calls.Exact), "stochastic": float64(p.Calls.Stochastic),
			"linear": float64(p.Calls.Linear), "projections": float64(p.Calls.Projections),
			"seconds": p.Seconds, "f": p.F, "excess": p.Excess, "dualitygap": p.DualityGap, "slack": p.Slack,
		} {
			if got := col(row, name); got != want {
				t.Errorf("row %d, %s: %g, want %g", i, name, got, want)
			}
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// What WriteCSV writes ReadCSV reads, to the same bits; what it does not know it refuses.
func TestReadCSV(t *testing.T) {
	nan := math.NaN()
	want := []*fwopt.Trace{
		{Method: `SVRF, "no reset"`, Data: "a,b\nc", Seed: math.MaxUint64, Points: []fwopt.Point{
			{F: 1. / 3, Excess: nan, DualityGap: nan},
			{Step: 1, T: 2, K: 3, Calls: fwopt.Calls{Exact: 4, Stochastic: 5, Linear: 6, Projections: 7}, Seconds: 0.1, F: -1e-300, Excess: 2, DualityGap: 3, Slack: 1e-9, Bound: 5}}},
		{Method: "SFW", Points: []fwopt.Point{{F: nan, Excess: nan, DualityGap: nan}}},
		{Method: "SFW", Points: []fwopt.Point{{F: math.Inf(1), Excess: nan, DualityGap: nan}, {Step: 5, Excess: nan, DualityGap: nan}}},
		{Method: "SFW", Seed: 1, Points: []fwopt.Point{{Step: 9, Excess: nan, DualityGap: nan}}},
	}
	var b strings.Builder
	if err := fwkeep.WriteCSV(&b, want...); err != nil {
		t.Fatal(err)
	}
	got, err := fwkeep.ReadCSV(strings.NewReader(b.String()))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d traces, %v", len(got), err)
	}
	for i := range want {
		if a, b := fmt.Sprintf("%+v", *got[i]), fmt.Sprintf("%+v", *want[i]); a != b {
			t.Errorf("trace %d:\n%s\nwant\n%s", i, a, b)
		}
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for text, want := range map[string]string{
		"":              "not a table of traces",
		"method,seed\n": "not a table of traces",
		lines[0] + "SFW,,x" + strings.Repeat(",0", 13) + "\n": "line 2",
		lines[0] + "SFW,,1,0,0,0,0,0,0,0,zero,0,,,,\n":        "line 2",
		lines[0] + "SFW,,1\n":                                 "wrong number of fields",
	} {
		if _, err := fwkeep.ReadCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A spreadsheet begins a table with a byte order mark.
func TestReadCSVMark(t *testing.T) {
	var table strings.Builder
	if err := fwkeep.WriteCSV(&table, &fwopt.Trace{Method: "SFW", Points: make([]fwopt.Point, 2)}); err != nil {
		t.Fatal(err)
	}
	got, err := fwkeep.ReadCSV(strings.NewReader("\ufeff" + table.String()))
	if err != nil || len(got) != 2 || got[0].Method != "SFW" { // for the step does not grow
		t.Errorf("%v, %v", got, err)
	}
}

func TestWriteCSVError(t *testing.T) {
	if err := fwkeep.WriteCSV(full{}, &fwopt.Trace{Points: make([]fwopt.Point, 1)}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
