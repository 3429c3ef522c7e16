package fwopt_test

import (
	"context"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	f, omega := small.Problem()
	n := f.Dim()
	w, v, dst := omega.(interface{ Dim() int }).Dim(), fwopt.Vertex{}, make([]float64, n)
	x := make([]float64, w)
	x[0] = 1
	b, batch := fwopt.Budget{Steps: 3}, fwopt.Batch{Index: []int{0, 1}, Weight: []float64{0.5, 0.5}}
	oracle := func() *fwopt.Oracle { return fwopt.NewOracle(f, omega, 1) }
	tr := fwopt.Run(context.Background(), oracle(), &fwopt.FW{}, b)
	o, one := oracle(), fwopt.Constants{L: 1, D: 1, G: 1, GF: 1, Alpha: 1, Sigma: 1, Rho: 1, Width: 1}
	for name, c := range map[string][]any{
		"Run": {func(ctx context.Context, w0 []float64, b fwopt.Budget) {
			fwopt.Run(ctx, oracle().From(w0), &fwopt.FW{}, b)
		}, context.Background(), x, b},
		"Run, o": {func(o *fwopt.Oracle) { fwopt.Run(context.Background(), o, &fwopt.FW{}, b) },
			oracle()},
		"Run, m": {func(m fwopt.Method) { fwopt.Run(context.Background(), oracle(), m, b) },
			&fwopt.FW{}},
		"NewOracle":       {fwopt.NewOracle, f, omega, 1},
		"DualityGap":      {fwopt.DualityGap, f, omega, x},
		"EpochEnds":       {fwopt.EpochEnds, func(t int) int { return 4 }, 3},
		"Geometric":       {fwopt.Geometric, 2.0, 8},
		"Lerp":            {fwopt.Lerp, dst, 0.5, x},
		"NewCondG":        {fwopt.NewCondG, n, &fwopt.Memory{}},
		"SCGSConvex":      {fwopt.SCGSConvex, one},
		"SCGSExperiments": {fwopt.SCGSExperiments, one},
		"SCGSStrongly":    {fwopt.SCGSStronglyConvex, one},
		"SFWTheorem3":     {fwopt.SFWTheorem3, one},
		"SGDExperiments":  {fwopt.SGDExperiments, 1.0},
		"SVRGExperiments": {fwopt.SVRGExperiments, 1.0},
		"STORCEx":         {fwopt.STORCExperiments, one},
		"STORC2a":         {fwopt.STORCTheorem2a, one},
		"STORC2b":         {fwopt.STORCTheorem2b, one},
		"STORC2c":         {fwopt.STORCTheorem2c, one},
		"Argmin":          {o.Argmin, &v, x},
		"ArgminTo":        {o.ArgminTo, &v, x, 0.1},
		"Grad":            {o.Grad, dst, x},
		"GradOf":          {o.GradOf, dst, x, batch, 2},
		"LineSearch":      {o.LineSearch, x, x},
		"Project":         {o.Project, dst, x},
		"Sample":          {o.Sample, 3},
		"StochasticGrad":  {o.StochasticGrad, dst, x, 3},
		"VRGrad":          {o.VRGrad, dst, x, x, x, 3},
		"Value":           {o.Value, x},
		"Complete":        {(*fwopt.Trace).Complete, tr},
		"Last":            {(*fwopt.Trace).Last, tr},
		"Share":           {fwopt.Budget.Share, b, tr.Last()},
		"Status":          {fwopt.Status.String, fwopt.Done},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}
