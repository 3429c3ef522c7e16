package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// model is a predictor and what it was made of.
type model struct {
	*options
	data    *rows
	size    []float64 // by which the columns were divided
	classes []string  // nil where numbers are predicted
	f       *fwsum.RowSum
	h       int       // scores of a row
	w       []float64 // weights of the columns as they are in the file, h each, those of the intercept last
}

// sum makes f.
func (m *model) sum() error {
	y, numbers := m.data.numbers()
	classes := m.data.classes()
	m.loss = cmp.Or(m.loss, map[bool]string{true: "squared", false: "logistic"}[numbers && len(classes) > 2])
	if m.loss != "logistic" && !numbers {
		return fmt.Errorf("%s: the target has words as %q, of which the %s loss can make nothing: --loss logistic, or "+
			"another --target", m.data.name, classes[0], m.loss)
	}
	if len(classes) < 2 {
		return fmt.Errorf("%s: the target is %s in all rows: want two values at least; is it the right --target?",
			m.data.name, classes[0])
	}
	_, columns := m.data.size()
	m.size = slices.Repeat([]float64{1}, columns)
	if m.scale == "std" {
		var err error
		if m.size, err = m.data.deviations(); err != nil {
			return err
		}
	}
	x := m.data.prepared(m.size, m.intercept)
	switch m.h = 1; m.loss {
	case "squared":
		m.f = fwsum.NewLeastSquares(x, y).RowSum
	case "huber":
		m.f = fwsum.NewHuber(x, y, m.delta)
	default:
		if n, _ := m.data.size(); len(classes) > 1000 || len(classes) > n/2 && len(classes) > 10 {
			return fmt.Errorf("%s: the target has %d classes in %d rows: is it a number to predict? --loss squared; or "+
				"an identifier? another --target", m.data.name, len(classes), n)
		}
		if m.classes = classes; m.rarest() == 0 {
			return fmt.Errorf("%s: all rows of a class have the weight 0: leave them out", m.data.name)
		}
		labels, err := m.data.labels(classes)
		if err != nil {
			return err
		}
		if len(classes) > 2 {
			m.h, m.f = len(classes), fwsum.NewLogistic(x, labels, len(classes)).RowSum
			break
		}
		share := make([]float64, len(labels))
		for i, l := range labels {
			share[i] = float64(l)
		}
		m.f = fwsum.NewBinaryLogistic(x, share)
	}
	if m.data.weight != nil {
		m.f = m.f.Weighted(m.data.weight)
	}
	return nil
}

// domain makes Ω: the set for the weights, and for the intercepts an interval that holds those of a minimiser.
func (m *model) domain() fwset.Domain {
	columns := len(m.size)
	d := columns * m.h
	lo, hi := make([]float64, d), make([]float64, d)
	floats.AddConst(-m.radius, lo)
	floats.AddConst(m.radius, hi)
	omega := map[string]fwset.Domain{
		"l1":      fwset.L1Ball{D: d, R: m.radius},
		"l2":      fwset.L2Ball{D: d, R: m.radius},
		"trace":   fwset.TraceNorm{H: m.h, M: columns, Tau: m.radius},
		"simplex": fwset.Simplex{D: d, R: m.radius},
		"box":     fwset.Box{Lo: lo, Hi: hi},
	}[m.set]
	if !m.intercept {
		return omega
	}
	// No score without the intercept is larger than reach.
	reach, sums := 0., make([]float64, len(m.data.target))
	m.data.rowSums(sums, func(j int, v float64) float64 {
		switch v = math.Abs(v / m.size[j]); m.set {
		case "l1", "simplex":
			reach = max(reach, m.radius*v)
		case "box":
			return m.radius * v
		default:
			return m.radius * m.radius * v * v
		}
		return 0
	})
	if most := floats.Max(sums); m.set == "box" {
		reach = most
	} else if most > 0 {
		reach = math.Sqrt(most)
	}
	high := reach - math.Log(m.rarest()) // beyond it p is further off than the share of a class can be
	low := -high
	if y, _ := m.data.numbers(); m.classes == nil {
		low, high = floats.Min(y)-reach, floats.Max(y)+reach
	}
	box := fwset.Box{Lo: slices.Repeat([]float64{low}, m.h), Hi: slices.Repeat([]float64{high}, m.h)}
	return fwset.Product{omega, box}
}

// rarest returns the least share of a class.
func (m *model) rarest() float64 {
	share, n := map[string]float64{}, float64(len(m.data.target))
	for i, t := range m.data.target {
		if m.data.weight == nil {
			share[t] += 1 / n
		} else {
			share[t] += m.data.weight[i] / n
		}
	}
	return slices.Min(slices.Collect(maps.Values(share)))
}

// choose returns the method that is named, or the one that the pages claims, benchmarks and untuned-data found the fastest: exact gradients
// with projections, but for very many rows, or where a projection is a large singular value decomposition.
func (m *model) choose(n int) (fwopt.Method, string) {
	why := ""
	if m.method == "" {
		m.method, why = "fista", ", as gradients and projections are cheap here"
		if m.set == "trace" && min(m.h, len(m.size)) > 200 {
			m.method, why = "storc", ", as projections are expensive here"
		} else if n > 100_000 {
			m.method, why = "storc", ", as gradients of so many rows are expensive"
		}
	}
	switch m.method {
	case "storc":
		return fwmore.NewAdaptiveSTORC(), "AdaptiveSTORC" + why
	case "blended":
		return &fwmore.BlendedPairwise{Rule: fwopt.LineSearch{}}, "BlendedPairwise"
	case "fw":
		return &fwopt.FW{Rule: fwopt.LineSearch{}}, "Frank-Wolfe with a line search"
	}
	return &fwmore.FISTA{L: 1e-3 * m.f.Smoothness()}, "FISTA" + why
}
