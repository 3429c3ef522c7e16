package fwkeep_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// FuzzReadCSV: no table panics, and what is accepted is written to one of the same points.
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
		var out bytes.Buffer
		if err := fwkeep.WriteCSV(&out, traces...); err != nil {
			t.Fatal(err)
		}
		back, err := fwkeep.ReadCSV(bytes.NewReader(out.Bytes()))
		if err != nil || len(back) != len(traces) {
			t.Fatalf("%d traces for %d, %v\n%s", len(back), len(traces), err, out.Bytes())
		}
		for i, tr := range traces {
			for k := range tr.Points {
				p := &tr.Points[k] // without what no trace has and WriteCSV leaves out
				if math.IsNaN(p.Seconds) {
					p.Seconds = 0
				}
				if math.IsNaN(p.DualityGap) || math.IsNaN(p.Slack) {
					p.Slack = 0
				}
				if p.Bound == 0 {
					p.Bound = 0 // and not −0
				}
			}
			if got, want := fmt.Sprint(back[i].Method, back[i].Data, back[i].Seed,
				back[i].Points), fmt.Sprint(tr.Method, tr.Data, tr.Seed, tr.Points); got != want {
				t.Fatalf("%s\n%s", got, want)
			}
		}
	})
}
