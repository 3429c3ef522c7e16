package fwkeep

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

func header() []string {
	return []string{"method", "data", "seed", "step", "t", "k",
		"exact", "stochastic", "linear", "projections", "seconds", "f", "excess", "dualitygap", "slack",
		"bound"}
}

// WriteCSV writes the points of the traces to w as comma-separated values, one line a point, after the header
//
//	method,data,seed,step,t,k,exact,stochastic,linear,projections,seconds,f,excess,dualitygap,slack,bound
//
// with the digits that it takes to read the same bits back. What is not a number, as a gap that was not
// recorded, or a bound that is not proven, is an empty cell. It returns the first error of w and panics if
// a trace is nil.
func WriteCSV(w io.Writer, traces ...*fwopt.Trace) error {
	need.Given("fwkeep", "the Writer of WriteCSV", ident.IsNil(w))
	out := csv.NewWriter(w)
	row := header()
	out.Write(row) // out keeps its first error
	for i, tr := range traces {
		if tr == nil {
			panic(need.Linef("fwkeep: trace %d of %d is nil", i+1, len(traces)))
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

// ReadCSV reads the traces that WriteCSV has written, to the same points; a trace without points is not in
// the table, nor are Spec, Kernel, Status, Monitor and W. A trace ends where the method, the data or the
// seed changes, or the step does not grow. The error of another table names the line.
func ReadCSV(r io.Reader) (traces []*fwopt.Trace, err error) {
	need.Given("fwkeep", "the Reader of ReadCSV", ident.IsNil(r))
	in := csv.NewReader(file.Unmarked(r)) // spreadsheets write a mark
	head, err := in.Read()
	if err != nil || !slices.Equal(head, header()) {
		return nil, fmt.Errorf("fwkeep: not a table of traces: the first line is %q (%v), want %q",
			strings.Join(head, ","), err, strings.Join(header(), ","))
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return traces, nil
		}
		if err != nil {
			return nil, fmt.Errorf("fwkeep: %w", err)
		}
		seed, p, err := readPoint(row)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("fwkeep: line %d of a table of traces: %w", line, err)
		}
		n := len(traces)
		if n == 0 || traces[n-1].Method != row[0] || traces[n-1].Data != row[1] || traces[n-1].Seed != seed ||
			traces[n-1].Last().Step >= p.Step {
			traces = append(traces, &fwopt.Trace{Method: row[0], Data: row[1], Seed: seed})
			n++
		}
		traces[n-1].Points = append(traces[n-1].Points, p)
	}
}

func readPoint(row []string) (seed uint64, p fwopt.Point, err error) {
	p.Excess, p.DualityGap = math.NaN(), math.NaN()
	seed, err = strconv.ParseUint(row[2], 10, 64)
	for j, n := range []*int{&p.Step, &p.T, &p.K, &p.Calls.Exact, &p.Calls.Stochastic, &p.Calls.Linear,
		&p.Calls.Projections} {
		if err == nil {
			*n, err = strconv.Atoi(row[3+j])
		}
	}
	p.F = math.NaN()
	for j, v := range []*float64{&p.Seconds, &p.F, &p.Excess, &p.DualityGap, &p.Slack, &p.Bound} {
		if err == nil && row[10+j] != "" {
			*v, err = strconv.ParseFloat(row[10+j], 64)
		}
	}
	return seed, p, err
}
