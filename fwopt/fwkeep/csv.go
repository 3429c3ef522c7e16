package fwkeep

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/projection-free/fwlab/fwopt"
)

// WriteCSV writes the points of the traces to w as comma-separated values, one
// line a point, after the header
//
//	method,data,seed,step,t,k,exact,stochastic,linear,projections,seconds,f,excess,dualitygap,slack,bound
//
// so that any number of runs fits in one table. Numbers have as many digits as
// it takes to read the same bits back. What is not a number, as a duality gap
// that was not recorded, or a bound that is not proven, is an empty cell. WriteCSV returns the first error of
// w; it panics if a trace is nil.
func WriteCSV(w io.Writer, traces ...*fwopt.Trace) error {
	out := csv.NewWriter(w)
	row := []string{"method", "data", "seed", "step", "t", "k",
		"exact", "stochastic", "linear", "projections", "seconds", "f", "excess", "dualitygap", "slack", "bound"}
	out.Write(row) // out keeps its first error
	for i, tr := range traces {
		if tr == nil {
			panic(fmt.Sprintf("fwkeep: trace %d of %d is nil", i+1, len(traces)))
		}
		row[0], row[1], row[2] = tr.Method, tr.Data, strconv.FormatUint(tr.Seed, 10)
		for _, p := range tr.Points {
			for j, n := range [...]int{p.Step, p.T, p.K,
				p.Calls.Exact, p.Calls.Stochastic, p.Calls.Linear, p.Calls.Projections} {
				row[3+j] = strconv.Itoa(n)
			}
			for j, v := range [...]float64{p.Seconds, p.F, p.Excess, p.DualityGap, p.Slack} {
				row[10+j] = ""
				if !math.IsNaN(v) && (j < 3 || !math.IsNaN(p.DualityGap)) { // no slack without a gap
					row[10+j] = strconv.FormatFloat(v, 'g', -1, 64)
				}
			}
			row[15] = ""
			if p.Bound != 0 {
				row[15] = strconv.FormatFloat(p.Bound, 'g', -1, 64)
			}
			out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}
