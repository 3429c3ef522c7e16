package fwrace_test

import (
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwrace"
)

// The race on your data, here the digits: 60 steps a run in place of seconds, so that
// it is the same each time.
func Example() {
	set, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	race := fwrace.New(set.UnitRows().Logistic(), 20)
	race.Budget = fwopt.Budget{Steps: 60, Linear: 300}
	race.Seeds, race.Fewer, race.Grid, race.Changes = 2, 1, fwrace.Powers(-6, 6, 4), nil
	a, err := race.Go()
	if err != nil {
		panic(err)
	}
	for _, row := range fwrace.Across(a) {
		if row[1] == "terms" && (row[0] == "SGD is last" || row[0] == "η from the gap, before STORC") {
			fmt.Printf("%s, in %s: %s\n", row[0], row[1], row[2])
		}
	}
	// Output:
	// SGD is last, in terms: fails
	// η from the gap, before STORC, in terms: holds in part
}
