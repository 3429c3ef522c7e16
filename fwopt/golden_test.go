package fwopt_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

var updateGolden = flag.Bool("golden", false, "write testdata/golden.json anew")

// golden is what a run of 60 steps ends with.
type golden struct {
	Calls fwopt.Calls
	F     float64
	W     string // the SHA-256 of the bits of the last iterate
}

// goldenProblems are the logistic loss of the digits over a trace-norm ball, least
// squares over a simplex, a quadratic over a box and, for PathGP alone, a road network.
func goldenProblems(t *testing.T) map[string]func() (fwopt.FiniteSum, fwopt.Domain) {
	return map[string]func() (fwopt.FiniteSum, fwopt.Domain){
		"digits": func() (fwopt.FiniteSum, fwopt.Domain) {
			s, err := fwdata.Load("digits")
			if err != nil {
				t.Fatal(err)
			}
			s = s.UnitRows()
			return fwsum.NewLogistic(s.X, s.Y, s.H()), fwset.TraceNorm{H: s.H(), M: s.M(), Tau: 20}
		},
		"simplex": func() (fwopt.FiniteSum, fwopt.Domain) { return small.Problem() },
		"network": small.Network,
		"box": func() (fwopt.FiniteSum, fwopt.Domain) {
			const d, n = 6, 40
			h, c := make([]float64, n*d), make([]float64, n*d)
			for i := range h {
				h[i] = 1 + math.Mod(float64(i)*0.6180339887, 1)
				c[i] = 3*math.Mod(float64(i)*0.7548776662, 1) - 1
			}
			return fwsum.NewQuadratic(d, h, c), fwset.Box{Lo: slices.Repeat([]float64{-0.5}, d),
				Hi: slices.Repeat([]float64{0.4}, d)}
		},
	}
}

// Every built-in method ends at the bits that it ended at when the file was
// written: a change of the code that changes a run shows here.
func TestGolden(t *testing.T) {
	const path = "testdata/golden.json"
	want := map[string]map[string]golden{}
	if text, err := os.ReadFile(path); err != nil && !*updateGolden {
		t.Fatal(err)
	} else if err == nil {
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
	}
	if fwopt.Kernel() != "amd64" {
		t.Skipf("the bits are those of amd64, here is %s", fwopt.Kernel())
	}
	got := map[string]map[string]golden{}
	for name, problem := range goldenProblems(t) {
		if name == "digits" && testing.Short() && !*updateGolden {
			continue // as long as the others together, times ten
		}
		got[name] = map[string]golden{}
		f, omega := problem()
		methods := small.Methods()
		if name == "network" {
			methods = map[string]fwopt.Method{"PathGP": &fwroad.PathGP{}}
		} else {
			methods["Muon"] = fwmore.NewMuon(10)
		}
		for method, m := range methods {
			_, local := omega.(fwset.LocalLinear)
			_, rows := f.(fwopt.Scorer)
			if method == "Garber-Hazan" && !local || method == "SAG-FW" && !rows {
				continue
			}
			tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 11), m,
				fwopt.Budget{Steps: 60, Linear: 20000})
			var bits []byte
			for _, x := range tr.W {
				bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x))
			}
			sum := sha256.Sum256(bits)
			got[name][method] = golden{tr.Last().Calls, tr.Last().F, hex.EncodeToString(sum[:])}
		}
	}
	if *updateGolden {
		text, _ := json.MarshalIndent(got, "", "\t")
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, ms := range got {
		if len(ms) != len(want[name]) {
			t.Errorf("%s: %d methods, the file has %d: go test ./fwopt -run TestGolden -golden adds a new one", name, len(ms), len(want[name]))
		}
		for _, method := range slices.Sorted(maps.Keys(ms)) {
			if ms[method] != want[name][method] {
				t.Errorf("%s, %s:\n got %+v\nwant %+v", name, method, ms[method], want[name][method])
			}
		}
	}
}
