package fwinst

import (
	"context"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	mistakes "github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	p := Simplex(8, 4, 1)
	at := fwopt.Geometric(2, 4)
	for name, c := range map[string][]any{
		"Face":         {Face, 8, 4, 1.0, 1},
		"IllBox":       {IllBox, 8, 4, 4.0, 1},
		"IllSimplex":   {IllSimplex, 8, 4, 4.0, 1},
		"MSC":          {MSC, 4, 0.5},
		"MSL":          {MSL, 4, 4, 1.0, 1},
		"NoisyBox":     {NoisyBox, 8, 4, 1},
		"NoisySimplex": {NoisySimplex, 8, 4, 0.1, 1},
		"Product":      {Product, p, MSC(4, 0.5)},
		"Simplex":      {Simplex, 8, 4, 1},
		"Excess":       {(*Instance).Excess, p, p.WStar},
		"Run, m":       {func(m fwopt.Method) { p.Run(context.Background(), m, 1, at) }, &fwopt.FW{}},
		"Run": {func(p *Instance, ctx context.Context, at func(fwopt.Step) (bool, bool)) {
			p.Run(ctx, &fwopt.FW{}, 1, at)
		}, p, context.Background(), at},
		"Variance":        {(*Instance).Variance, p, p.WStar, nil},
		"WithoutSnapshot": {(*Instance).WithoutSnapshot, p},
		"Argmin":          {Polygon.Argmin, Zigzag().Omega, []float64{0, 0}, []float64{1, 0}},
		"Diameter":        {Polygon.Diameter, Zigzag().Omega},
		"Dim":             {Polygon.Dim, Zigzag().Omega},
		"Gauge":           {Polygon.Gauge, Zigzag().Omega, []float64{0, 0}},
		"Project":         {Polygon.Project, Zigzag().Omega, []float64{0, 0}, []float64{3, 0}},
	} {
		for _, bad := range mistakes.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}
