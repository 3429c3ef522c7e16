package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
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
		start := cpu()
		for b.Loop() {
			if _, err := fwdata.Decode(bytes.NewReader(file.Bytes()), int64(file.Len()), ""); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(g.n*b.N)/(cpu()-start), "rows/cpu-s")
	})
	b.Run("part", func(b *testing.B) {
		start := cpu()
		for b.Loop() {
			partOf(s, truth, g.n)
		}
		b.ReportMetric(float64(g.n*b.N)/(cpu()-start), "rows/cpu-s")
	})
	b.Run("memory", func(b *testing.B) {
		start := cpu()
		f := s.Logistic()
		dst := make([]float64, f.Dim())
		start = cpu()
		for b.Loop() {
			f.Value(truth)
			f.Grad(dst, truth, fwopt.Batch{})
		}
		b.ReportMetric(float64(g.n*b.N)/(cpu()-start), "rows/cpu-s")
	})
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
			start := cpu()
			for b.Loop() {
				w[0]++
				if err := s.pass(w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpu()-start)/float64(b.N), "cpu-s/pass")
		})
	}
}

// cpu is the seconds that this process has computed for.
func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
