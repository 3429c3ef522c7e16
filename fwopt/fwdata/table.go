package fwdata

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// Table is a text of columns, one of which is to be predicted from the others.
type Table struct {
	Columns []string     // the names of the columns of X; "2" is the second of a text without a heading
	X       *fwsum.Dense // a row for each line
	Target  []string     // the text of the target column
	Name    string       // that of the target column; "" without a heading
}

// NoColumn is the error of ReadTable where the text lacks the target column or one to leave out.
type NoColumn struct {
	Column string // its name or number, as it was given
	error
}

// ReadTable reads a table from r: text between commas, tabs or semicolons, plain or packed by gzip or bzip2, whose
// first line is a heading unless it has numbers alone, the target aside. The target column and those to leave out
// are called by their names, or by their numbers from 1; the target "" is the last one. All others hold numbers, no
// gap among them, as many in each line; a line has at most 1 MiB. The name stands for the file in errors, which say
// the line, the column and a remedy. It costs O(cells).
func ReadTable(r io.Reader, name, target string, leave ...string) (*Table, error) {
	return (&tableParser{target: target}).read(r, name, leave)
}

// ReadColumns reads a table as ReadTable does, without a column to predict: Target is nil.
func ReadColumns(r io.Reader, name string, leave ...string) (*Table, error) {
	return (&tableParser{at: -1}).read(r, name, leave)
}

func (p *tableParser) read(r io.Reader, name string, leave []string) (*Table, error) {
	p.name, p.t, p.leave = name, &Table{X: &fwsum.Dense{}}, leave
	err := p.table(r, p.row)
	switch {
	case err == nil && p.columns != nil && p.t.X.N == 0:
		err = p.fail("the file has a heading and no rows")
	case err == nil && p.t.X.N == 0:
		err = p.ends("a row of numbers")
	}
	if err != nil {
		return nil, err
	}
	return p.t, nil
}

type tableParser struct {
	parser
	t       *Table
	target  string
	leave   []string
	columns []string // of the file; nil before the first line
	at      int      // that of the target, -1 for none
	out     []bool   // those left out
}

// row reads a line.
func (p *tableParser) row(row []string) error {
	for j := range row {
		row[j] = strings.TrimSpace(row[j])
	}
	if p.columns == nil {
		if heading, err := p.begin(row); heading || err != nil {
			return err
		}
	}
	if len(row) != len(p.columns) {
		return p.fail("%d columns, where the first line has %d: is a separator missing, or a comma within a number "+
			"or a text without quotes?", len(row), len(p.columns))
	}
	for j, cell := range row {
		if p.out[j] {
			continue
		}
		if cell == "" {
			return p.fail("column %s is empty: fill it in, or remove the line", quote(p.columns[j]))
		}
		if j == p.at {
			p.t.Target = append(p.t.Target, strings.Clone(cell)) // not the whole line
			continue
		}
		x, ok := number([]byte(cell))
		if !ok {
			call := p.columns[j]
			if len(call) > 24 || strings.ContainsAny(call, ", ") {
				call = strconv.Itoa(j + 1)
			}
			return p.fail("column %s has %s, which is not a finite number: leave the column out (fwlab fit --leave %s), "+
				"or write its values as numbers", quote(p.columns[j]), quote(cell), call)
		}
		p.t.X.Val = append(p.t.X.Val, x)
	}
	p.t.X.N++
	return nil
}

// begin finds the columns by the first line, and whether that is a heading.
func (p *tableParser) begin(row []string) (heading bool, err error) {
	numbers := make([]string, len(row))
	for j := range row {
		numbers[j] = strconv.Itoa(j + 1)
	}
	find := func(what, column string) int {
		j := slices.Index(numbers, column)
		if j < 0 {
			j = slices.Index(row, column)
		}
		if j < 0 && err == nil {
			err = NoColumn{column, p.fail("no column %s %s; there are %s", quote(column), what,
				quote(strings.Join(row, ", ")))}
		}
		return j
	}
	switch {
	case p.target != "":
		p.at = find("to predict", p.target)
	case p.at == 0:
		p.at = len(row) - 1
	}
	p.out = make([]bool, len(row))
	for _, column := range p.leave {
		if j := find("to leave out", column); err == nil {
			p.out[j] = true
		}
	}
	if err == nil && p.at >= 0 && p.out[p.at] {
		err = p.fail("column %s is to be predicted and to be left out", quote(row[p.at]))
	}
	if err != nil {
		return false, err
	}
	heading = p.target != "" && p.target == row[p.at] && p.target != numbers[p.at]
	for j, cell := range row {
		_, ok := number([]byte(cell))
		heading = heading || !ok && cell != "" && j != p.at && !p.out[j]
	}
	if p.columns = numbers; heading {
		p.columns = nil
		for j, cell := range row {
			if cell == "" || slices.Contains(p.columns, cell) {
				cell = numbers[j]
			}
			p.columns = append(p.columns, strings.Clone(cell))
		}
	}
	if heading && p.at >= 0 {
		p.t.Name = p.columns[p.at]
	}
	for j, column := range p.columns {
		if j != p.at && !p.out[j] {
			p.t.Columns = append(p.t.Columns, column)
		}
	}
	if p.t.X.M = len(p.t.Columns); p.t.X.M == 0 {
		err = p.fail("a single column, want one to predict and others to predict it from, between commas, tabs or " +
			"semicolons")
	}
	return heading, err
}
