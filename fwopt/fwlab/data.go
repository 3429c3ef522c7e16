package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// rows are what a file holds.
type rows struct {
	name    string
	x       fwsum.Features   // a *Dense or a *Sparse
	columns []string         // their names; nil for their numbers
	target  []string         // nil if the rows of --test have none
	named   string           // the target column; "" without a heading
	lacks   map[string]error // the columns of --leave that are missing
	weight  []float64        // of each row, with a mean of 1; nil for the same ones
}

// read reads the file of that name, and takes out the weights of rows; fitted are the rows to fit to, nil for them.
func (o *options) read(name, target string, fitted *rows) (*rows, error) {
	r, err := o.readAll(name, target, fitted)
	if err != nil || o.rowWeights == "" {
		return r, err
	}
	at := slices.Index(r.columns, o.rowWeights)
	x, ok := r.x.(*fwsum.Dense)
	if !ok || at < 0 || x.M < 2 {
		return nil, usage("no column %q for --row-weights in %s, which has %s", o.rowWeights, r.name,
			list(r.columns))
	}
	rest := &fwsum.Dense{N: x.N, M: x.M - 1}
	for k, v := range x.Val {
		if k%x.M != at {
			rest.Val = append(rest.Val, v)
		} else if r.weight = append(r.weight, v); !(v >= 0) {
			return nil, fmt.Errorf("%s: row %d has the weight %g: want 0 or more", r.name, k/x.M+1, v)
		}
	}
	if floats.Max(r.weight) == 0 {
		return nil, fmt.Errorf("%s: all rows have the weight 0: is %s the right column?", r.name,
			o.rowWeights)
	}
	floats.Scale(float64(x.N)/floats.Sum(r.weight), r.weight)
	r.x, r.columns = rest, slices.Delete(r.columns, at, at+1)
	return r, nil
}

// readAll reads the file of that name; its ending says how.
func (o *options) readAll(name, target string, fitted *rows) (*rows, error) {
	r := &rows{name: filepath.Base(name), lacks: map[string]error{}}
	leave := strings.FieldsFunc(o.leave, func(c rune) bool { return c == ',' })
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lower := strings.ToLower(name)
	switch filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(lower, ".gz"), ".bz2")) {
	case ".npy":
		return r, r.npy(name, target, leave)
	case ".csv", ".tsv":
		return r, r.table(f, name, target, leave, fitted)
	}
	if target+o.leave != "" {
		return nil,
			usage("%s is read as LIBSVM text, which has no columns to --target or --leave; name a table .csv", name)
	}
	x, y, err := fwdata.ReadTargets(f, name)
	if err != nil {
		return nil, err
	}
	r.x, r.target = x, texts(y)
	return r, nil
}

// open opens a file to read.
func open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name a file in it", name)
	}
	return os.Open(name)
}

// table reads a table: without a target if fitted has one by a name that is not there.
func (r *rows) table(f io.ReadSeeker, name, target string, leave []string, fitted *rows) error {
	var no fwdata.NoColumn
	read := func(table func(leave []string) (*fwdata.Table, error)) (t *fwdata.Table, err error) {
		for {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return nil, err
			}
			t, err = table(leave)
			if !errors.As(err, &no) || !slices.Contains(leave, no.Column) {
				return t, err
			}
			r.lacks[no.Column] = err
			leave = slices.DeleteFunc(leave, func(c string) bool { return c == no.Column })
		}
	}
	with := func(target string) (*fwdata.Table, error) {
		return read(func(leave []string) (*fwdata.Table, error) {
			return fwdata.ReadTable(f, name, target, leave...)
		})
	}
	t, err := with(target)
	if fitted != nil && fitted.named != "" && (err != nil || t.Name != fitted.named) {
		if t, err = with(fitted.named); errors.As(err, &no) || err == nil && t.Name != fitted.named {
			t, err = read(func(leave []string) (*fwdata.Table, error) {
				return fwdata.ReadColumns(f, name, leave...)
			})
		}
	}
	if err == nil {
		r.x, r.columns, r.target, r.named = t.X, t.Columns, t.Target, t.Name
	}
	return err
}

func texts(y []float64) []string {
	t := make([]string, len(y))
	for i, y := range y {
		t[i] = strconv.FormatFloat(y, 'g', -1, 64)
	}
	return t
}

// size returns how many rows and columns there are.
func (r *rows) size() (n, m int) { return r.x.Size() }

// numbers returns the target as numbers, and whether it is.
func (r *rows) numbers() ([]float64, bool) {
	y := make([]float64, len(r.target))
	for i, t := range r.target {
		v, err := strconv.ParseFloat(t, 64)
		if err != nil || v-v != 0 {
			return nil, false
		}
		y[i] = v
	}
	return y, true
}

// classes returns the labels that are there, in the order of numbers, or of the alphabet.
func (r *rows) classes() []string {
	all := slices.Compact(slices.Sorted(slices.Values(r.target)))
	if _, ok := r.numbers(); ok {
		slices.SortStableFunc(all, func(a, b string) int {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			return int(math.Copysign(1, x-y))
		})
	}
	return all
}

// labels returns the places of the labels among the classes.
func (r *rows) labels(classes []string) ([]int, error) {
	y := make([]int, len(r.target))
	for i, t := range r.target {
		if y[i] = slices.Index(classes, t); y[i] < 0 {
			return nil,
				fmt.Errorf("%s: row %d has the label %q, which the rows to fit to have not: leave it out, or "+
					"add such rows", r.name, i+1, t)
		}
	}
	return y, nil
}

// column names column j.
func (r *rows) column(j int) string {
	if r.columns == nil {
		return strconv.Itoa(j + 1)
	}
	return r.columns[j]
}

// each hands see the numbers that are kept, and their columns.
func (r *rows) each(see func(j int, v *float64)) {
	switch x := r.x.(type) {
	case *fwsum.Dense:
		for k := range x.Val {
			see(k%x.M, &x.Val[k])
		}
	case *fwsum.Sparse:
		for k, j := range x.Col {
			see(int(j), &x.Val[k])
		}
	}
}

// deviations returns the standard deviation of each column.
func (r *rows) deviations() ([]float64, error) {
	n, m := r.size()
	seen, mean, square := make([]int, m), make([]float64, m), make([]float64, m)
	r.each(func(j int, v *float64) { seen[j]++; mean[j] += *v / float64(n) })
	r.each(func(j int, v *float64) { square[j] += (*v - mean[j]) * (*v - mean[j]) })
	for j, mu := range mean {
		square[j] = math.Sqrt((square[j] + float64(n-seen[j])*mu*mu) / float64(n))
		if !(square[j] > 1e-12*math.Abs(mu)) {
			if _, sparse := r.x.(*fwsum.Sparse); sparse && mu == 0 { // a column without numbers
				square[j] = 1
				continue
			}
			return nil,
				fmt.Errorf("%s: column %q is the same in all rows, and tells nothing: --leave %s, or --scale none",
					r.name, r.column(j), r.column(j))
		}
	}
	return square, nil
}

// prepared returns the matrix with its columns divided by size, and with a column of 1 if there is an intercept.
func (r *rows) prepared(size []float64, intercept bool) fwsum.Features {
	more := 0
	if intercept {
		more = 1
	}
	if x, ok := r.x.(*fwsum.Sparse); ok {
		y := &fwsum.Sparse{N: x.N, M: len(size) + more, Ptr: []int{0}}
		for i := range x.N {
			col, val := x.Row(i)
			for k, j := range col {
				y.Col, y.Val = append(y.Col, j), append(y.Val, val[k]/size[j])
			}
			if intercept {
				y.Col, y.Val = append(y.Col, int32(len(size))), append(y.Val, 1)
			}
			y.Ptr = append(y.Ptr, len(y.Val))
		}
		return y
	}
	x := r.x.(*fwsum.Dense)
	y := &fwsum.Dense{N: x.N, M: x.M + more, Val: make([]float64, 0, x.N*(x.M+more))}
	for i := range x.N {
		at := len(y.Val)
		y.Val = append(y.Val, x.Row(i)...)
		floats.Div(y.Val[at:], size)
		if intercept {
			y.Val = append(y.Val, 1)
		}
	}
	return y
}

// same is an error unless the columns are those of the rows to fit to. A LIBSVM file may lack the last ones.
func (r *rows) same(as *rows) error {
	_, m := r.size()
	_, want := as.size()
	if r.columns == nil || as.columns == nil {
		if m > want || r.columns != nil && m < want {
			return fmt.Errorf("%s has %d columns, and %s has %d: want the same ones", r.name, m, as.name, want)
		}
		return nil
	}
	if slices.Equal(r.columns, as.columns) {
		return nil
	}
	if here, there := r.heading(), as.heading(); here != there {
		with, without := r.name, as.name
		if there {
			with, without = without, with
		}
		return fmt.Errorf("%s has no heading, and %s has: add it", without, with)
	}
	missing := func(from, of *rows) (names []string) {
		for _, c := range of.columns {
			if !slices.Contains(from.columns, c) {
				names = append(names, c)
			}
		}
		return names
	}
	lacks, besides := missing(r, as), missing(as, r)
	var what []string
	if len(lacks) > 0 {
		what = append(what, "lacks "+list(lacks))
	}
	if len(besides) > 0 {
		what = append(what, "has "+list(besides)+" besides")
	}
	if what == nil {
		return fmt.Errorf("%s has the same columns as %s in another order: want %s", r.name, as.name,
			list(as.columns))
	}
	leave := "these"
	if others := append(lacks, besides...); len(others) <= listed {
		leave = strings.Join(others, ",")
	}
	return fmt.Errorf("%s %s: want the columns of %s, or --leave %s", r.name, strings.Join(what, " and "),
		as.name, leave)
}

// heading tells whether the columns have names of their own.
func (r *rows) heading() bool {
	return slices.ContainsFunc(r.columns, func(c string) bool {
		_, err := strconv.Atoi(c)
		return err != nil
	})
}

const listed = 20 // names in a message, at most

func list(names []string) string {
	if len(names) > listed {
		return fmt.Sprintf("%s … (%d)", strings.Join(names[:listed], ", "), len(names))
	}
	return strings.Join(names, ", ")
}

// left is an error if none of the files has one of the columns to leave out.
func left(files ...*rows) error {
	for column, err := range files[0].lacks {
		if !slices.ContainsFunc(files, func(r *rows) bool { return r.lacks[column] == nil }) {
			return err
		}
	}
	return nil
}

// rowSums adds up what of returns for the numbers of each row.
func (r *rows) rowSums(sums []float64, of func(j int, v float64) float64) {
	if x, ok := r.x.(*fwsum.Sparse); ok {
		for i := range x.N {
			col, val := x.Row(i)
			for k, j := range col {
				sums[i] += of(int(j), val[k])
			}
		}
		return
	}
	x := r.x.(*fwsum.Dense)
	for k, v := range x.Val {
		sums[k/x.M] += of(k%x.M, v)
	}
}
