package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// cut is the command shard.
func cut(ctx context.Context, f *flag.FlagSet, args []string) error {
	in := f.String("in", "", "a LIBSVM file, plain or packed by gzip or bzip2; without it data is generated")
	out := f.String("out", "", "the folder of the shards")
	rows := f.Int("rows", 100_000, "rows of a shard")
	features := f.Int("features", 0,
		"the number of features, if more than occur; of generated data 100,000 unless it is given")
	unit := f.Bool("unit", true, "scale rows to unit length")
	var g generated
	f.IntVar(&g.n, "n", 1_000_000, "generated data: rows")
	f.IntVar(&g.classes, "classes", 2, "generated data: classes")
	f.IntVar(&g.nonzeros, "nonzeros", 50, "generated data: nonzeros of a row")
	f.Uint64Var(&g.seed, "seed", 1, "generated data: the seed")
	f.Parse(args)
	if *out == "" || *rows < 1 || f.NArg() > 0 {
		return fmt.Errorf("fwbeam shard needs --out, a folder, and --rows of at least 1; %q is left over",
			f.Args())
	}
	w := &writer{ctx: ctx, dir: *out}
	if _, err := sizeOf(ctx, join(*out, manifestFile)); err == nil {
		return fmt.Errorf("%s has shards already: remove it, or take another folder", *out)
	}
	var err error
	if *in == "" {
		g.m = max(*features, g.nonzeros)
		if *features == 0 {
			g.m = 100_000
		}
		err = g.write(w, *rows)
	} else {
		err = cutFile(w, *in, *rows, *features, *unit)
	}
	if err == nil {
		bytes := 0
		for _, s := range w.m.Shards {
			bytes += int(s.Bytes)
		}
		fmt.Printf("%s: %d rows with %d nonzeros, %d features, %d classes, in %d shards of together %s in %s\n",
			w.m.Name, w.m.Rows, w.m.Nonzeros, w.m.Features, len(w.m.Labels), len(w.m.Shards), size(bytes),
			*out)
	}
	return err
}

// cutFile cuts a LIBSVM file in two readings, for a shard has the labels of all rows. It
// holds one shard.
func cutFile(w *writer, path string, rows, features int, unit bool) error {
	w.m.Name = filepath.Base(path)
	for _, end := range []string{".bz2", ".gz", ".txt", ".libsvm", ".svm"} {
		w.m.Name = strings.TrimSuffix(w.m.Name, end)
	}
	n, classes, m := 0, map[int]bool{}, features
	err := scan(path, 10_000, func(p fwdata.Piece) error {
		for _, l := range p.Labels {
			classes[l] = true
		}
		n, m = n+p.X.N, max(m, p.X.M)
		return nil
	})
	if err != nil {
		return err
	}
	labels := slices.Sorted(maps.Keys(classes))
	if len(labels) < 2 {
		return fmt.Errorf("%s: all %d rows have the label %d: at least two classes are needed", path, n,
			labels[0])
	}
	err = scan(path, rows, func(p fwdata.Piece) error {
		s := &fwdata.Set{Name: w.m.Name, X: p.X, Labels: labels, Y: make([]int, p.X.N)}
		s.X.M = m
		for i, l := range p.Labels {
			y, ok := slices.BinarySearch(labels, l)
			if !ok {
				return fmt.Errorf("%s was changed while it was cut", path)
			}
			s.Y[i] = y
		}
		if unit {
			s = s.UnitRows()
			s.Digest = "" // that of the numbers
		}
		return w.add(s)
	})
	if err != nil {
		return err
	}
	if w.m.Rows != n || w.m.Features != m {
		return fmt.Errorf("%s was changed while it was cut", path)
	}
	return w.finish()
}

// scan reads a file in pieces.
func scan(path string, rows int, do func(fwdata.Piece) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for p, err := range fwdata.Scan(f, path, rows) {
		if err == nil {
			err = do(p)
		}
		if err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, f)
	return err
}

// generated is data of any size: feature ⌊m u²⌋, u uniform, so that some are frequent; each
// row has so many different ones of one value, and unit length; each feature has a normal
// weight for each class, and the row is of the class whose weights add up to most, but for
// one row in ten, whose class is drawn. A shard is drawn by itself.
type generated struct {
	n, m, classes, nonzeros int
	seed                    uint64
}

func (g *generated) write(w *writer, rows int) error {
	if g.n < 1 || g.classes < 2 || g.nonzeros < 1 || g.nonzeros > g.m/2 {
		return fmt.Errorf("generated data of %d rows, %d features, %d nonzeros a row and %d classes: "+
			"want a row, two classes, and at most half of the features in a row", g.n, g.m, g.nonzeros,
			g.classes)
	}
	w.m.Name, w.m.Generated = fmt.Sprintf("planted-%d-%d-%d-%d (generated)", g.n, g.m, g.classes, g.seed),
		true
	draw := rand.New(rand.NewPCG(g.seed, 0))
	truth := make([]float64, g.m*g.classes)
	for j := range truth {
		truth[j] = draw.NormFloat64()
	}
	for lo := 0; lo < g.n; lo += rows {
		if err := w.add(g.shard(min(rows, g.n-lo), uint64(len(w.m.Shards)+1), truth)); err != nil {
			return err
		}
	}
	return w.finish()
}

// shard draws the rows of a shard from a stream of its own.
func (g *generated) shard(rows int, stream uint64, truth []float64) *fwdata.Set {
	draw := rand.New(rand.NewPCG(g.seed, stream))
	s := &fwdata.Set{Generated: true, Y: make([]int, rows), Labels: make([]int, g.classes),
		X: &fwsum.Sparse{N: rows, M: g.m, Ptr: make([]int, 1, rows+1),
			Col: make([]int32, 0, rows*g.nonzeros), Val: make([]float64, rows*g.nonzeros)}}
	for c := range s.Labels {
		s.Labels[c] = c + 1
	}
	for k := range s.X.Val {
		s.X.Val[k] = 1 / math.Sqrt(float64(g.nonzeros))
	}
	last := make([]int, g.m) // the row, from 1, that has the feature
	scores := make([]float64, g.classes)
	for i := range rows {
		for at := len(s.X.Col); len(s.X.Col) < at+g.nonzeros; {
			u := draw.Float64()
			if j := int(float64(g.m) * u * u); last[j] != i+1 {
				last[j] = i + 1
				s.X.Col = append(s.X.Col, int32(j))
			}
		}
		row := s.X.Col[i*g.nonzeros:]
		slices.Sort(row)
		s.X.Ptr = append(s.X.Ptr, len(s.X.Col))
		clear(scores)
		for _, j := range row {
			for c := range scores {
				scores[c] += truth[int(j)*g.classes+c]
			}
		}
		for c, x := range scores {
			if x > scores[s.Y[i]] {
				s.Y[i] = c
			}
		}
		if draw.IntN(10) == 0 {
			s.Y[i] = draw.IntN(g.classes)
		}
	}
	return s
}
