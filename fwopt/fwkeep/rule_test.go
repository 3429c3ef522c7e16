package fwkeep_test

import (
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// adaptive is a step rule of one's own with a state: the short step with an L that it
// finds by itself (Pedregosa, Negiar, Askari & Jaggi, AISTATS 2020).
type adaptive struct {
	Up float64 // by what L grows where it was too small

	L float64 // the last one, the state
}

func (r *adaptive) Step(o *fwopt.Oracle, _ int, seg fwopt.Segment) float64 {
	if r.L == 0 {
		r.L = 1e-3
	}
	f, x := o.Value(seg.X), make([]float64, len(seg.X))
	for r.L *= 0.9; ; r.L *= r.Up {
		bend := r.L * floats.Dot(seg.D, seg.D)
		gamma := min(seg.Most, max(0, seg.Slope)/bend)
		floats.AddScaledTo(x, seg.X, -gamma, seg.D)
		if o.Value(x) <= f-gamma*seg.Slope+gamma*gamma*bend/2+1e-14*math.Abs(f) {
			return min(1, gamma)
		}
	}
}

func (r *adaptive) Identify(id *fwopt.Identity) { id.Of(r).Float(r.Up) }

// A rule with a state, scores that are kept up, and parts that are all one's own are kept, and go on like ours
// wherever they were interrupted.
func TestKeepRules(t *testing.T) {
	f, omega := small.Problem()
	mine, ring := own(t)
	video, tracks := small.Video()
	b := fwopt.Budget{Steps: 60, DualityGap: true}
	for name, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		m     func(up float64) fwopt.Method // with a parameter
	}{
		"FW": {f, omega, func(up float64) fwopt.Method { return &fwopt.FW{Rule: &adaptive{Up: up}} }},
		"AwayFW": {f, omega,
			func(up float64) fwopt.Method { return &fwmore.AwayFW{Rule: &adaptive{Up: up}} }},
		"scores": {video, tracks, func(up float64) fwopt.Method {
			if up == 2 {
				return &fwmore.PairwiseFW{Rule: fwopt.LineSearch{}}
			}
			return &fwmore.PairwiseFW{Rule: fwopt.Short{L: 0.1}}
		}},
		"own": {mine, ring, func(up float64) fwopt.Method {
			m := newAveraged()
			m.Rho = 1 / up
			return m
		}},
	} {
		whole, dir, made := run(c.f, c.omega, c.m(2), b), t.TempDir(), 0
		for _, stop := range []int{2, 3, 10, 41, 59, 60, 61} { // the last reads the file
			ctx, stopping := small.StopAfter(stop, b)
			watch := stopping.Watch
			stopping.Watch = func(tr *fwopt.Trace, now fwopt.Point) { made++; watch(tr, now) }
			tr := keep(t, ctx, dir, c.f, c.omega, c.m(2), stopping)
			if tr.Last().Step != min(stop, 60) || made != min(stop, 60) || tr.Note != "" ||
				len(files(dir, "*")) != 1 {
				t.Fatalf("%s, stopped at %d: %d, %d made, %q", name, stop, tr.Last().Step, made, tr.Note)
			}
			if stop >= 60 && small.Bits(tr) != small.Bits(whole) {
				t.Errorf("%s: interrupted, the run is not the same", name)
			}
		}
		if tr := keep(t, bg, dir, c.f, c.omega, c.m(3), b); slices.Equal(tr.W, whole.W) {
			t.Errorf("%s: another parameter had the first one's run", name)
		}
	}
}
