package fwkeep_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

func ExampleWriteCSV() {
	tr := &fwopt.Trace{Method: "SVRF", Data: "digits", Seed: 7, Points: []fwopt.Point{
		{F: 2.5, Excess: math.NaN(), DualityGap: math.NaN(), Slack: math.NaN()},
		{Step: 15, T: 2, K: 1, Calls: fwopt.Calls{Exact: 3, Stochastic: 192, Linear: 16, Projections: 4},
			Seconds: 0.125,
			F:       1.75, Excess: 0.25, DualityGap: 0.5, Slack: 0.0625, Bound: 7},
	}}
	if err := fwkeep.WriteCSV(os.Stdout, tr); err != nil {
		panic(err)
	}
	// Output:
	// method,data,seed,step,t,k,exact,stochastic,linear,projections,seconds,f,excess,dualitygap,slack,bound
	// SVRF,digits,7,0,0,0,0,0,0,0,0,2.5,,,,
	// SVRF,digits,7,15,2,1,3,192,16,4,0.125,1.75,0.25,0.5,0.0625,7
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
			{Step: 1, T: 2, K: 3, Calls: fwopt.Calls{Exact: 4, Stochastic: 5, Linear: 6, Projections: 7},
				Seconds: 0.1, F: -1e-300, Excess: 2, DualityGap: 3, Slack: 1e-9, Bound: 5}}},
		{Method: "SFW", Points: []fwopt.Point{{F: nan, Excess: nan, DualityGap: nan}}},
		{Method: "SFW", Points: []fwopt.Point{{F: math.Inf(1), Excess: nan, DualityGap: nan},
			{Step: 5, Excess: nan, DualityGap: nan}}},
		{Method: "SFW", Seed: 1, Points: []fwopt.Point{{Step: 9, Excess: nan, DualityGap: nan}}},
	}
	var b strings.Builder
	if err := fwkeep.WriteCSV(&b, want...); err != nil {
		t.Fatal(err)
	}
	got, err := fwkeep.ReadCSV(strings.NewReader("\ufeff" + b.String())) // begun as a spreadsheet does
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d traces, %v", len(got), err)
	}
	for i := range want {
		if a, b := fmt.Sprintf("%+v", *got[i]), fmt.Sprintf("%+v", *want[i]); a != b {
			t.Errorf("trace %d:\n%s\nwant\n%s", i, a, b)
		}
	}
	if err := fwkeep.WriteCSV(full{}, want...); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for text, want := range map[string]string{
		"":              "not a table of traces",
		"method,seed\n": "not a table of traces",
		lines[0] + "SFW,,x" + strings.Repeat(",0", 13) + "\n": "line 2",
		lines[0] + "SFW,,1,0,0,0,0,0,0,0,zero,0,,,,\n":        "line 2",
		lines[0] + "SFW,,1\n":                                 "wrong number of fields",
	} {
		if _, err := fwkeep.ReadCSV(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzReadCSV: no table panics, and what is accepted is written to a table that is read to the same one.
func FuzzReadCSV(f *testing.F) {
	const head = "method,data,seed,step,t,k,exact,stochastic,linear,projections,seconds,f,excess,dualitygap,slack,bound\n"
	for _, rows := range []string{"",
		"SVRF,a,1,0,0,0,0,0,0,0,0,1.5,,,,\nSVRF,a,1,1,1,1,1,0,1,0,0.25,0x1p-2,1e-300,0.5,0,9\nSVRF,a,1,1,1,1,1,0,1,0,0.123456789,-0,,,,\n",
		"\"a \"\"b\"\"\",\"c\nd\",18446744073709551615,-3,0,0,0,0,0,0,inf,nan,-Inf,1,2,3\n",
		",,0,0,0,0,0,0,0,0,,,,,,\n", "a,b,c\n", "a,b,1,x,0,0,0,0,0,0,,,,,,\n", "a,\"b"} {
		f.Add([]byte(head + rows))
	}
	f.Add([]byte(head[:40]))
	f.Fuzz(func(t *testing.T, b []byte) {
		traces, err := fwkeep.ReadCSV(bytes.NewReader(b))
		if err != nil {
			if traces != nil || !strings.HasPrefix(err.Error(), "fwkeep: ") {
				t.Fatalf("%v, %q", traces, err)
			}
			return
		}
		for i, tr := range traces {
			if strings.Contains(tr.Method+tr.Data, "\r\n") {
				return // a newline when it is read again
			}
			for k, p := range tr.Points {
				if k > 0 && p.Step <= tr.Points[k-1].Step {
					t.Fatalf("trace %d has step %d after %d", i, p.Step, tr.Points[k-1].Step)
				}
			}
			if len(tr.Points) == 0 {
				t.Fatalf("trace %d has no points", i)
			}
		}
		var out, again bytes.Buffer
		err = fwkeep.WriteCSV(&out, traces...)
		back, bad := fwkeep.ReadCSV(bytes.NewReader(out.Bytes()))
		err = errors.Join(err, bad, fwkeep.WriteCSV(&again, back...))
		if err != nil || len(back) != len(traces) || out.String() != again.String() {
			t.Fatalf("%v\n%s\n%s", err, &out, &again)
		}
	})
}
