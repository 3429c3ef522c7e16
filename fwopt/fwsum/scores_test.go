package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// predictor is what every RowSum is.
type predictor interface {
	Scores(w []float64, x fwsum.Features) []float64
	Predict(w []float64, x fwsum.Features) []int
	ErrorRate(w []float64, x fwsum.Features, y []int) float64
}

// The scores of rows that are not those of the sum, and may lack its last features; and the label predicted,
// which is the one with the least loss.
func TestPredict(t *testing.T) {
	for name, l := range losses() {
		if l.h > 100 {
			continue
		}
		rng := rand.New(rand.NewPCG(6, 1))
		f := l.of(sparseRows(rng, 40, 12, 4), make([]float64, 40)).(predictor)
		w := normals(rng, 12*l.h)
		for _, m := range []int{12, 9} {
			x, y, wrong := sparseRows(rng, 3000, m, 4), make([]int, 3000), 0
			want, classes := make([]float64, 0, 3000*l.h), []int(nil)
			for i := range y {
				col, val := x.Row(i)
				s, g, least := make([]float64, l.h), make([]float64, l.h), math.Inf(1)
				for k, j := range col {
					floats.AddScaled(s, val[k], w[int(j)*l.h:(int(j)+1)*l.h])
				}
				want, classes = append(want, s...), append(classes, 0)
				for c := range max(2, l.h) {
					if v := l.at(g, s, float64(c)); v < least {
						classes[i], least = c, v
					}
				}
				if y[i] = rng.IntN(max(2, l.h)); y[i] != classes[i] {
					wrong++
				}
			}
			for kind, x := range map[string]fwsum.Features{"sparse": x, "dense": x.Dense()} {
				at := fmt.Sprintf("%s, %s, %d features", name, kind, m)
				far := floats.Distance(f.Scores(w, x), want, math.Inf(1))
				if far > 1e-14*floats.Norm(want, math.Inf(1)) {
					t.Errorf("%s: the scores are off by %g", at, far)
				}
				switch name {
				case "squares", "Huber", "own hinge", "own, not convex":
					if got := small.Panics(func() { f.Predict(w, x) }); !strings.Contains(got, "no classes") {
						t.Errorf("%s: predicts classes; %q", at, got)
					}
					continue
				}
				if !slices.Equal(f.Predict(w, x), classes) {
					t.Errorf("%s: other classes than those of the least loss", at)
				}
				if got := f.ErrorRate(w, x, y); got != float64(wrong)/3000 {
					t.Errorf("%s: error rate %g, want %d/3000", at, got, wrong)
				}
			}
		}
	}
}
