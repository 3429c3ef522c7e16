package fwnb

import (
	"fmt"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Row returns the texts of a row of Table: a float64 with so many significant digits, as 0.03263 or 1.285e+04
// with 4, and anything else as fmt.Sprint writes it. It panics unless digits is at least 1.
func Row(digits int, cells ...any) (row []string) {
	if digits < 1 {
		panic(need.Linef("fwnb: numbers of %d digits", digits))
	}
	for _, c := range cells {
		if x, ok := c.(float64); ok {
			c = fmt.Sprintf("%.*g", digits, x)
		}
		row = append(row, fmt.Sprint(c))
	}
	return row
}

// Short writes a number with three digits, or with all that are before the point.
func Short(x float64) string {
	if x >= 1e3 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// Columns returns the rows of a Table of which each of some lists of numbers is a column: the head,
// then a row a name, with numbers as in Row. NaN, where there is no number, is a dash. It panics
// unless each list has a number for each name.
func Columns(digits int, head, names []string, columns ...[]float64) [][]string {
	rows := [][]string{head}
	for i, name := range names {
		cells := []any{name}
		for j, c := range columns {
			if len(c) != len(names) {
				panic(need.Linef("fwnb: column %d has %d numbers for %d names", j+1, len(c), len(names)))
			}
			cells = append(cells, c[i])
		}
		row := Row(digits, cells...)
		for j := range columns {
			row[j+1] = strings.Replace(row[j+1], "NaN", "–", 1)
		}
		rows = append(rows, row)
	}
	return rows
}
