package fwnb_test

import (
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwnb"
)

// In a cell this displays a table; anywhere else it does nothing.
func ExampleTable() {
	fwnb.Table(
		[]string{"method", "seconds to f* + 1e−2"},
		[]string{"SVRF", "1.5"},
		[]string{"STORC", "4.2"},
	)
	// Output:
}

// Run shows the progress of a run by itself. A loop of one's own calls Update
// after each step, and Done in the end.
func ExampleNewProgress() {
	p := fwnb.NewProgress("my own method")
	tr := &fwopt.Trace{}
	for k := range 1000 {
		at := fwopt.Point{Step: k, F: 1 / float64(k+1)}
		tr.Points = append(tr.Points, at)
		p.Update(tr, at, float64(k)/1000)
	}
	p.Done()
	// Output:
}
