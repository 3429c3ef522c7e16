package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// complete fits a matrix of a trace norm to ratings, less their mean, and predicts those of --test: 0, the mean, for
// a user or an item that is not among the rows to fit to.
func (o *options) complete(ctx context.Context, out, progress io.Writer) error {
	if o.loss == "logistic" || o.loss == "huber" || o.weights != "" || o.target+o.leave != "" ||
		o.method != "" {
		return usage("--set completion reads a user, an item and a rating a line, and has the squared loss alone: no " +
			"--loss, --weights, --target, --leave or --method")
	}
	data, err := ratings(o.file)
	if err != nil {
		return err
	}
	test := &fwdata.Ratings{}
	if o.test != "" {
		if test, err = ratings(o.test); err != nil {
			return err
		}
	}
	entries, users, items := data.At, number(data.UserID), number(data.ItemID)
	place := map[fwset.Entry]int{}
	for k, e := range entries {
		place[e] = k
	}
	at := make([]int, len(test.At)) // of each rating of test among the entries
	for k, e := range test.At {
		e = fwset.Entry{Row: add(users, test.UserID[e.Row]), Col: add(items, test.ItemID[e.Col])}
		if _, known := place[e]; !known {
			place[e], entries = len(entries), append(entries, e)
		}
		at[k] = place[e]
	}
	mean := 0.
	if o.intercept {
		mean = floats.Sum(data.Value) / float64(len(data.Value))
	}
	b := append([]float64(nil), data.Value...)
	floats.AddConst(-mean, b)
	fmt.Fprintf(out,
		"%v; squared loss (f is half the mean square error) over the matrices of trace norm %g, by Frank-Wolfe with a line search\n", data,
		o.radius)
	omega := fwset.NewCompletion(len(users), len(items), entries, o.radius)
	w, early := o.solve(ctx, fwsum.NewEntryLoss(len(entries), b), omega,
		&fwopt.FW{Rule: fwopt.LineSearch{}}, out,
		progress)
	w = append([]float64(nil), w...)
	floats.AddConst(mean, w)
	fmt.Fprintf(out, "%s: root mean square error %.4g\n", data.Name, data.RMSE(w[:len(b)]))
	if o.test == "" {
		return early
	}
	p := make([]float64, len(at))
	for k, at := range at {
		p[k] = w[at]
	}
	fmt.Fprintf(out, "%s: root mean square error %.4g\n", test.Name, test.RMSE(p))
	return cmp.Or((&model{options: o}).writePredictions(texts(p), p), early)
}

func ratings(name string) (*fwdata.Ratings, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := fwdata.ReadRatings(f, name)
	if err == nil {
		r.Name = filepath.Base(name)
	}
	return r, err
}

// number returns the place of each name.
func number(names []string) map[string]int {
	all := map[string]int{}
	for _, name := range names {
		add(all, name)
	}
	return all
}

// add returns the place of a name, a new one if it has none.
func add(all map[string]int, name string) int {
	k, known := all[name]
	if !known {
		k = len(all)
		all[name] = k
	}
	return k
}
