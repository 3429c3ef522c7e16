package main

import (
	"fmt"
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
	x       fwsum.Features // a *Dense or a *Sparse
	columns []string       // their names; nil for their numbers
	target  []string
	weight  []float64 // of each row, with a mean of 1; nil for the same ones
}

// read reads the file of that name, and takes out the weights of rows.
func (o *options) read(name, target string) (*rows, error) {
	r, err := o.readAll(name, target)
	if err != nil || o.rowWeights == "" {
		return r, err
	}
	at := slices.Index(r.columns, o.rowWeights)
	x, ok := r.x.(*fwsum.Dense)
	if !ok || at < 0 || x.M < 2 {
		return nil, usage("no column %q for --row-weights in %s, which has %s", o.rowWeights, r.name,
			r.list())
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
func (o *options) readAll(name, target string) (*rows, error) {
	r := &rows{name: filepath.Base(name)}
	if strings.HasSuffix(name, ".npy") {
		return r, r.npy(name, target, o.leave)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2"))
	if end == ".csv" || end == ".tsv" {
		var leave []string
		if o.leave != "" {
			leave = strings.Split(o.leave, ",")
		}
		t, err := fwdata.ReadTable(f, name, target, leave...)
		if err != nil {
			return nil, err
		}
		r.x, r.columns, r.target = t.X, t.Columns, t.Target
		return r, nil
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

// same is an error unless the columns are those of the rows to fit to. A LIBSVM file may lack the last ones, or
// have more, which no weight belongs to.
func (r *rows) same(as *rows) error {
	_, m := r.size()
	if _, want := as.size(); r.columns != nil && !slices.Equal(r.columns, as.columns) || m > want {
		return fmt.Errorf("%s has the columns %s, and %s has %s: want the same, in the same order; --leave what one has "+
			"not", r.name, r.list(), as.name, as.list())
	}
	return nil
}

func (r *rows) list() string {
	_, m := r.size()
	names := []string{}
	for j := range m {
		if names = append(names, r.column(j)); len(names) == 20 && m > 20 {
			return fmt.Sprintf("%s … (%d)", strings.Join(names, ", "), m)
		}
	}
	return strings.Join(names, ", ")
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
