package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// The work of a shard of 20,000 rows, 50 nonzeros each, d = 200,000, on one processor, beside
// the same in memory: f and ∇f.
func BenchmarkShard(b *testing.B) {
	g := &generated{n: 20_000, m: 100_000, classes: 2, nonzeros: 50, seed: 1}
	truth := make([]float64, g.m*g.classes)
	draw := rand.New(rand.NewPCG(1, 1))
	for j := range truth {
		truth[j] = draw.NormFloat64()
	}
	s := g.shard(g.n, 1, truth)
	var file bytes.Buffer
	if err := s.Encode(&file); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		start := fwrate.CPU()
		for b.Loop() {
			if _, err := fwdata.Decode(bytes.NewReader(file.Bytes()), int64(file.Len()), ""); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(g.n*b.N)/(fwrate.CPU()-start).Seconds(), "rows/cpu-s")
	})
	b.Run("part", func(b *testing.B) {
		start := fwrate.CPU()
		for b.Loop() {
			partOf(s, truth, g.n)
		}
		b.ReportMetric(float64(g.n*b.N)/(fwrate.CPU()-start).Seconds(), "rows/cpu-s")
	})
	b.Run("memory", func(b *testing.B) {
		f := s.Logistic()
		dst := make([]float64, f.Dim())
		start := fwrate.CPU()
		for b.Loop() {
			f.Value(truth)
			f.Grad(dst, truth, fwopt.Batch{})
		}
		b.ReportMetric(float64(g.n*b.N)/(fwrate.CPU()-start).Seconds(), "rows/cpu-s")
	})
}

// idle is an element's work that waits.
type idle struct{}

func init() { register.DoFn2x2[context.Context, string, string, error](&idle{}) }

func (*idle) ProcessElement(context.Context, string) (string, error) {
	time.Sleep(2 * time.Second)
	return "", nil
}

// While workers wait nothing computes: not Prism either, which would take two seconds and more. A
// tenth of a second is for the start; a slow machine takes a few.
func TestNoBusyLoop(t *testing.T) {
	e := *embedded()
	jobs := 2
	e.jobs = &jobs
	start := fwrate.CPU()
	if err := e.each(context.Background(), &idle{}, []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if spent := (fwrate.CPU() - start).Seconds(); spent > 1 {
		t.Errorf("%.2f s of the processor in two seconds of waiting", spent)
	}
}

// What a pass costs beside its arithmetic: 16 shards of one row, in one process.
func BenchmarkOverhead(b *testing.B) {
	for name, g := range map[string]*generated{
		"d=200000":  {n: 16, m: 100_000, classes: 2, nonzeros: 50, seed: 1},
		"d=1241220": {n: 16, m: 62_061, classes: 20, nonzeros: 80, seed: 1},
	} {
		b.Run(name, func(b *testing.B) {
			ctx, dir := context.Background(), b.TempDir()
			if err := g.write(&writer{ctx: ctx, dir: dir}, 1); err != nil {
				b.Fatal(err)
			}
			m, err := open(ctx, dir)
			if err != nil {
				b.Fatal(err)
			}
			s := &sum{m: m, dir: dir, work: b.TempDir(), engine: on(2), ctx: ctx, limit: 1000}
			w := make([]float64, m.dim())
			start := fwrate.CPU()
			for b.Loop() {
				w[0]++
				if err := s.pass(w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((fwrate.CPU()-start).Seconds()/float64(b.N), "cpu-s/pass")
		})
	}
}
