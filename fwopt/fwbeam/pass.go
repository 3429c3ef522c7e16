package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// pass is one pass over the shards, as each worker is told it. Beside the shards there is
// a folder of the pass: the driver writes w there, the worker that has shard k part-k and
// rows-k, and one that adds up a branch of parts sum-g.
type pass struct {
	Number int    // of a run's passes, from 1
	Commit string // of the driver's program
	Shards string // the folder of the shards
	Work   string // the folder of the pass
	N      int    // n, the rows of all shards
	Parts  int    // the shards
	M, H   int    // the features and the classes
	Grad   bool   // f(w) and ∇f(w) are wanted
	State  []byte // of the stream that the next batches are drawn from
	Sizes  []int  // m_k of those whose rows are wanted
}

// commit is what this program was made from, "" if Go did not write it down, as in tests.
var commit = sync.OnceValue(func() (of string) {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
			of += s.Value
		}
	}
	return of
})

const otherProgram = "build the driver and the workers from one commit"

// task is one shard in a pass.
type task struct {
	K, First int // its number and its first row
	shard
	Features int
	Labels   []int
}

func (m *manifest) tasks() []task {
	ts, first := make([]task, len(m.Shards)), 0
	for k, s := range m.Shards {
		ts[k] = task{k, first, s, m.Features, m.Labels}
		first += s.Rows
	}
	return ts
}

func (p *pass) wFile() string         { return join(p.Work, "w") }
func (p *pass) partFile(k int) string { return join(p.Work, fmt.Sprintf("part-%05d", k)) }
func (p *pass) rowsFile(k int) string { return join(p.Work, fmt.Sprintf("rows-%05d", k)) }
func (p *pass) sumFile(g int) string  { return join(p.Work, fmt.Sprintf("sum-%05d", g)) }

// fan is how many parts a branch has, which a worker adds up: the root of the number of shards; 0 where
// these are few, and the driver adds up the parts itself. It hangs on nothing else, and so do the bits.
func (p *pass) fan() int {
	if p.Parts <= 16 || !p.Grad {
		return 0
	}
	return int(math.Ceil(math.Sqrt(float64(p.Parts))))
}

// tops are the files that the driver adds up, in their order.
func (p *pass) tops() (files []string) {
	fan := p.fan()
	for k := range p.Parts {
		switch {
		case fan == 0:
			files = append(files, p.partFile(k))
		case k%fan == 0:
			files = append(files, p.sumFile(k/fan))
		}
	}
	return files
}

// branch adds up the parts of branch g. Like do it leaves the same file if it is made twice.
func (p *pass) branch(ctx context.Context, g int) error {
	a, fan := newAdder(p.M, zeros(p.M*p.H)), p.fan()
	for k := g * fan; k < min((g+1)*fan, p.Parts); k++ {
		if err := a.add(ctx, p.partFile(k)); err != nil {
			return err
		}
	}
	return writeSealed(ctx, p.sumFile(g), a.part())
}

// do is the work of one shard: made twice, or by two workers at once, it leaves the same
// files.
func (p *pass) do(ctx context.Context, t *task) error {
	if mine := commit(); mine != p.Commit {
		return fmt.Errorf("this worker's fwbeam is of commit %.12s, the driver's of %.12s: %s", mine, p.Commit,
			otherProgram)
	}
	s, err := load(ctx, p.Shards, t)
	if err != nil {
		return err
	}
	if p.Grad {
		w, err := readW(ctx, p.wFile(), t.Features*len(t.Labels))
		if err != nil {
			return err
		}
		if err := writeSealed(ctx, p.partFile(t.K), partOf(s, w, p.N)); err != nil {
			return err
		}
	}
	if len(p.Sizes) == 0 {
		return nil
	}
	index, _, err := p.drawn(t.First, t.First+t.Rows)
	if err != nil || len(index) == 0 {
		return err
	}
	for j := range index {
		index[j] -= t.First
	}
	return writeFile(ctx, p.rowsFile(t.K), s.Subset(index).Encode)
}

// drawn returns the rows from lo to hi−1 that the batches have, ascending, and the stream
// after them. It draws as fwopt.Oracle does.
func (p *pass) drawn(lo, hi int) (index []int, after rand.PCG, err error) {
	if err := after.UnmarshalBinary(p.State); err != nil {
		return nil, after, err
	}
	draw := rand.New(&after)
	var batch []int
	var weight []float64
	for _, m := range p.Sizes {
		batch, weight = sample.Uniform(batch[:0], weight[:0], draw, m, p.N)
		for _, i := range batch {
			if lo <= i && i < hi {
				index = append(index, i)
			}
		}
		if len(index) > 2*(hi-lo) {
			slices.Sort(index)
			index = slices.Compact(index)
		}
	}
	slices.Sort(index)
	return slices.Compact(index), after, nil
}

// held is the w that this process has read last: all shards of a pass have the same.
var held struct {
	sync.Mutex
	file string
	w    []float64
}

func readW(ctx context.Context, file string, d int) ([]float64, error) {
	held.Lock()
	defer held.Unlock()
	if held.file == file {
		return held.w, nil
	}
	b, err := unseal(ctx, file)
	if err != nil {
		return nil, err
	}
	if len(b) != 8*d {
		return nil, fmt.Errorf("%s has %d numbers, want %d", file, len(b)/8, d)
	}
	w := make([]float64, d) // another one, for a bundle may be reading the last
	for j := range w {
		w[j] = floatAt(b, j)
	}
	held.file, held.w = file, w
	return w, nil
}

// gradients are the scratch of those that make parts, all 0.
var gradients sync.Pool

func zeros(d int) []float64 {
	if g, _ := gradients.Get().(*[]float64); g != nil && len(*g) == d {
		return *g
	}
	return make([]float64, d)
}

// adder is a sum of losses and gradients of rows.
type adder struct {
	f    float64   // n times the value
	grad []float64 // h numbers a feature
	has  []bool    // the features that the rows have
	read int       // bytes
}

func newAdder(m int, grad []float64) *adder { return &adder{grad: grad, has: make([]bool, m)} }

// partOf returns what the rows of a shard add to n·f(w) and to ∇f(w). The order of sums is that of the rows.
func partOf(s *fwdata.Set, w []float64, n int) []byte {
	a := newAdder(s.M(), zeros(len(w)))
	scores, c := make([]float64, s.H()), 1/float64(n)
	for i, y := range s.Y {
		clear(scores)
		col, val := s.X.Row(i)
		rest := s.X.Col[s.X.Ptr[i]:] // the rows of the next example, too, are asked for
		kern.Gather(scores, w, rest, val)
		a.f += kern.LogLoss(scores, y)
		kern.LogLossGrad(scores, y, c)
		kern.Scatter(a.grad, scores, rest, val)
		for _, j := range col {
			a.has[j] = true
		}
	}
	return a.part()
}

// part returns the sum as bytes, and ends it: n·f (8), the number c of features that the rows have (8), these
// (4 each), and the h numbers of the gradient for each (8).
func (a *adder) part() []byte {
	var cols []int
	h := len(a.grad) / len(a.has)
	for j, seen := range a.has {
		if seen {
			cols = append(cols, j)
		}
	}
	b := make([]byte, 0, 16+len(cols)*(4+8*h)+4)
	b = appendFloats(b, []float64{a.f})
	b = binary.LittleEndian.AppendUint64(b, uint64(len(cols)))
	for _, j := range cols {
		b = binary.LittleEndian.AppendUint32(b, uint32(j))
	}
	for _, j := range cols {
		b = appendFloats(b, a.grad[j*h:(j+1)*h])
		clear(a.grad[j*h : (j+1)*h])
	}
	gradients.Put(&a.grad)
	return b
}

// add adds a file of part or branch.
func (a *adder) add(ctx context.Context, file string) error {
	b, err := unseal(ctx, file)
	if err != nil {
		return fmt.Errorf("a part of the pass is missing: %w", err)
	}
	a.read += len(b) + 4
	cols, h := -1, len(a.grad)/len(a.has)
	if len(b) >= 16 {
		cols = int(binary.LittleEndian.Uint64(b[8:]))
	}
	if cols < 0 || cols > len(a.has) || len(b) != 16+cols*(4+8*h) {
		return fmt.Errorf("%s is damaged", file)
	}
	a.f += floatAt(b, 0)
	id, val := b[16:], b[16+4*cols:]
	for r := range cols {
		j := int(binary.LittleEndian.Uint32(id[4*r:]))
		a.has[j] = true
		for l := range h {
			a.grad[j*h+l] += floatAt(val, r*h+l)
		}
	}
	return nil
}

// gather adds up the parts, or the branches, in the order of the shards, so that the bits are those of one
// worker. It sets grad to ∇f(w) and returns f(w) and the bytes read.
func (p *pass) gather(ctx context.Context, grad []float64) (f float64, read int, err error) {
	clear(grad)
	a := newAdder(p.M, grad)
	for _, file := range p.tops() {
		if err := a.add(ctx, file); err != nil {
			return 0, 0, err
		}
	}
	return a.f / float64(p.N), a.read, nil
}

// fetch returns the rows that the workers have brought, as one set, with their numbers in
// the whole, the stream after the draws, and the bytes read.
func (p *pass) fetch(ctx context.Context, m *manifest) (
	s *fwdata.Set, index []int, after rand.PCG, read int, err error) {
	index, after, err = p.drawn(0, p.N)
	if err != nil {
		return nil, nil, after, 0, err
	}
	var parts []*fwdata.Set
	rest := index
	for _, t := range m.tasks() {
		here, _ := slices.BinarySearch(rest, t.First+t.Rows)
		if rest = rest[here:]; here == 0 {
			continue
		}
		b, err := readFile(ctx, p.rowsFile(t.K))
		if err != nil {
			return nil, nil, after, 0, fmt.Errorf("rows of the pass are missing: %w", err)
		}
		part, err := fwdata.Decode(bytes.NewReader(b), int64(len(b)), p.rowsFile(t.K))
		if err != nil {
			return nil, nil, after, 0, err
		}
		if part.N() != here {
			return nil, nil, after, 0, fmt.Errorf("%s has %d rows, want %d", p.rowsFile(t.K), part.N(), here)
		}
		read += len(b)
		parts = append(parts, part)
	}
	return together(parts), index, after, read, nil
}

// together returns the rows of some sets, one after the other, which have the features and
// labels of the first.
func together(parts []*fwdata.Set) *fwdata.Set {
	n, nz := 0, 0
	for _, p := range parts {
		n, nz = n+p.N(), nz+len(p.X.Val)
	}
	s := *parts[0]
	x := *s.X
	x.N, x.Ptr, x.Col, x.Val = n, make([]int, 1, n+1), make([]int32, 0, nz), make([]float64, 0, nz)
	s.X, s.Y = &x, make([]int, 0, n)
	for _, p := range parts {
		for i := range p.N() {
			col, val := p.X.Row(i)
			x.Col, x.Val = append(x.Col, col...), append(x.Val, val...)
			x.Ptr = append(x.Ptr, len(x.Val))
		}
		s.Y = append(s.Y, p.Y...)
	}
	return &s
}

// files are all that a pass may have left.
func (p *pass) files() []string {
	paths := []string{p.wFile()}
	if p.fan() > 0 {
		paths = append(paths, p.tops()...)
	}
	for k := range p.Parts {
		paths = append(paths, p.partFile(k), p.rowsFile(k))
	}
	return paths
}
