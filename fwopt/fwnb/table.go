package fwnb

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"

	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Record is a line of a table in a file: the value under each heading.
type Record map[string]string

// ReadTable reads a table of comma-separated values, the first line of which has the headings.
// Of a file that is not there, or in which a line has not as many values as there are headings,
// it panics with the file, and the line: a cell can do no more about it.
func ReadTable(path string) (table []Record) {
	in, err := os.Open(path)
	if err != nil {
		panic(need.Linef("fwnb: %v", err))
	}
	defer in.Close()
	lines, err := csv.NewReader(file.Unmarked(in)).ReadAll() // spreadsheets write a byte order mark
	if err != nil {
		panic(need.Linef("fwnb: %s: %v: want lines of as many values as the first has headings, "+
			"with commas between", path, err))
	}
	for _, values := range lines[min(1, len(lines)):] {
		r := Record{}
		for i, heading := range lines[0] {
			r[heading] = values[i]
		}
		table = append(table, r)
	}
	return table
}

// Num returns the number under a heading, NaN where there is none. It panics if there is no
// such heading, or something else than a number under it.
func (r Record) Num(heading string) float64 {
	text, ok := r[heading]
	if !ok {
		panic(need.Linef("fwnb: no heading %q", heading))
	}
	if text == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(need.Linef("fwnb: under %q is %q and no number", heading, text))
	}
	return x
}
