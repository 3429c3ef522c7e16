package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// sets are the names of the flag --set.
var sets = map[string]string{
	"l1":      "the ℓ1 ball of radius",
	"l2":      "the ℓ2 ball of radius",
	"trace":   "the trace-norm ball of radius",
	"simplex": "the simplex of sum",
	"box":     "the box of weights up to",
}

// means tells what f is.
var means = map[string]string{
	"squared":  "half the mean square error",
	"logistic": "the mean of -ln p, p the probability of the label",
	"huber":    "half the mean square error, linear beyond --delta",
}

// fit is the command.
func (o *options) fit(ctx context.Context, out, progress io.Writer) error {
	if o.set == "completion" {
		return o.complete(ctx, out, progress)
	}
	data, err := o.read(o.file, o.target, nil)
	if err != nil {
		return err
	}
	files := []*rows{data}
	var test *rows
	if o.test != "" {
		fitted := data
		if o.testTarget != "" {
			fitted = nil
		}
		if test, err = o.read(o.test, cmp.Or(o.testTarget, o.target), fitted); err != nil {
			return err
		}
		files = append(files, test)
	}
	if err := left(files...); err != nil {
		return err
	}
	if test != nil {
		if err := test.same(data); err != nil {
			return err
		}
		if test.target == nil && o.predictions == "" {
			return usage("%s lacks %s, to count errors on: give --predictions to predict it", test.name, data.named)
		}
	}
	m := &model{options: o, data: data}
	if err := m.sum(); err != nil {
		return err
	}
	omega := m.domain()
	n, _ := data.size()
	method, name := m.choose(n)
	scaled := ""
	if m.scale == "std" {
		scaled = " of columns scaled by std (--scale none: as they are)"
	}
	fmt.Fprintf(out, "%s: %d rows, %d columns; %s loss (f is %s) over %s %g%s, by %s\n", data.name, n, len(m.size),
		m.loss, means[m.loss], sets[m.set], m.radius, scaled, name)
	early := m.run(ctx, omega, method, out, progress)
	if _, _, err := m.judge(data, out); err != nil {
		return err
	}
	if err := m.writeWeights(); err != nil || test == nil {
		return cmp.Or(err, early)
	}
	predicted, numbers, err := m.judge(test, out)
	if err == nil {
		err = m.writePredictions(predicted, numbers)
	}
	return cmp.Or(err, early)
}

// solve runs the method to the gap, and returns the last iterate, whatever the error.
func (o *options) solve(ctx context.Context, f fwopt.FiniteSum, omega fwset.Domain, method fwopt.Method, out,
	progress io.Writer) ([]float64, error) {
	last := time.Now()
	first := f.Value(make([]float64, f.Dim()))
	b := fwopt.Budget{Seconds: o.seconds, Tolerance: o.gap * first, Every: 1.2}
	storc, own := method.(*fwmore.AdaptiveSTORC)
	if own { // it looks at its own bound
		storc.Tolerance, b = b.Tolerance, fwopt.Budget{Seconds: o.seconds, DualityGap: true, Every: 2}
	}
	if progress != nil {
		b.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
			if time.Since(last) > time.Second/2 {
				last = time.Now()
				p := tr.Last()
				fmt.Fprintf(progress, "\rstep %d, %.1f s: f = %.6g, at most %.2g above the least \x1b[K",
					now.Step,
					now.Seconds, p.F, p.DualityGap+p.Slack)
			}
		}
		defer fmt.Fprint(progress, "\r\x1b[K")
	}
	tr := fwopt.Run(ctx, fwopt.NewOracle(f, omega, o.seed), method, b)
	p, lower := tr.Last(), math.Inf(-1)
	for _, p := range tr.Points {
		lower = max(lower, p.F-p.DualityGap-p.Slack)
	}
	if own = own && tr.Status == fwopt.Ended; own {
		lower = max(lower, p.F-storc.B)
	}
	fmt.Fprintf(out, "f = %.8g, proven to be at most %.2g above the least, in %d steps and %.2f s\n", p.F,
		p.F-lower, p.Step, p.Seconds)
	if tr.Status != fwopt.Converged && !own {
		return tr.W, errEarly
	}
	return tr.W, nil
}

// run sets w, of the columns as they are in the file.
func (m *model) run(ctx context.Context, omega fwset.Domain, method fwopt.Method, out,
	progress io.Writer) error {
	w, err := m.solve(ctx, m.f, omega, method, out, progress)
	m.w = slices.Clone(w)
	zero, d := 0, len(m.size)*m.h
	if p, ok := omega.(fwset.Product); ok {
		omega = p[0]
	}
	loose := ""
	if err == nil && omega.(fwset.Gauged).Gauge(m.w[:d]) < 0.99 {
		loose = "; the radius does not bind"
	}
	for k := range d {
		if m.w[k] == 0 {
			zero++
			m.w[k] = 0 // not -0
		}
		m.w[k] /= m.size[k/m.h]
	}
	fmt.Fprintf(out, "%d of %d weights are not 0%s\n", d-zero, d, loose)
	return err
}

// judge counts what the weights miss on rows, and returns what they predict.
func (m *model) judge(r *rows, out io.Writer) (predicted []string, numbers []float64, err error) {
	x := r.prepared(slices.Repeat([]float64{1}, len(m.size)), m.intercept)
	if m.classes == nil {
		y, ok := r.numbers() // none without a target
		if !ok {
			return nil, nil, fmt.Errorf("%s: the target has words, and %s numbers", r.name, m.data.name)
		}
		p := m.f.Scores(m.w, x)
		if r.target == nil {
			return texts(p), p, nil
		}
		fmt.Fprintf(out, "%s: root mean square error %.4g\n", r.name,
			floats.Distance(p, y, 2)/math.Sqrt(float64(len(y))))
		return texts(p), p, nil
	}
	labels, err := r.labels(m.classes) // none without a target
	if err != nil {
		return nil, nil, err
	}
	for _, l := range m.f.Predict(m.w, x) {
		predicted, numbers = append(predicted, m.classes[l]), append(numbers, float64(l))
	}
	if r.target == nil {
		return predicted, numbers, nil
	}
	fmt.Fprintf(out, "%s: error rate %.2f %% of %d rows\n", r.name, 100*m.f.ErrorRate(m.w, x, labels),
		len(labels))
	return predicted, numbers, nil
}
