package fwrate

import (
	"fmt"
	"strings"
)

// Cell is a cell of a table that compares methods: a count of a method on a problem,
// measured, and what is said of it. fwplot.Slopes draws many.
type Cell struct {
	Name    string // as "SVRF, stochastic"
	On      string // the problem
	Verdict string // as "set by the schedule"
	*Rate
}

// CellHead is the heading of a table of Cell.Rows; name is that of the first column.
func CellHead(name string) []string {
	return append([]string{name}, append(Head()[1:], "windows", "gap/bound", "problem", "runs", "verdict")...)
}

// Row is the cell as a row of a table: that of its Rate, then the two windows, the largest
// mean gap over its bound, a dash without one, the problem, over how many runs was averaged, and the verdict.
func (c Cell) Row() []string {
	c.check()
	_, late, _ := strings.Cut(c.Late.Window, "= ") // as 4–7 of "t = 4–7"
	ratio := "–"
	if c.Bound != nil {
		ratio = fmt.Sprintf("%.2g", c.Ratio)
	}
	return append(c.Rate.Row(c.Name), c.Long.Window+", "+late, ratio, c.On, fmt.Sprint(c.Runs), c.Verdict)
}
