package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// sum is the logistic loss of Section 2.1 over shards, as a FiniteSum for one run at a
// time. Grad of all terms and Value come from one pass over the shards, and the same pass
// brings the rows that the next epoch draws, so that batches need none.
type sum struct {
	m      *manifest
	dir    string // of the shards
	work   string // a folder of this run alone, for the passes
	engine func(ctx context.Context, p *pass, ts []task) error
	ctx    context.Context
	limit  int          // rows that the driver may hold
	passed func(report) // if set, called after each pass

	// the run that it serves: what is set once there is one
	oracle *fwopt.Oracle
	ahead  ahead

	passes int
	w      []float64 // of the last pass with a gradient, then f(w) and ∇f(w)
	f      float64
	grad   []float64

	// the rows of the batches to come: index is their numbers, ascending; left batches of
	// them are not drawn yet; after them the stream stands at stream and the method at step
	// (t, k)
	rows   *fwsum.Logistic
	index  []int
	left   int
	stream rand.PCG
	t, k   int
	at     []int // scratch: where a batch is in index
	look   int   // the step after which f is looked at next

	over   bool  // no more batches come
	failed error // once it is set no pass is made
}

// report is what one pass has done.
type report struct {
	Pass    int
	Grad    bool    // f and ∇f were computed
	Draws   int     // of the batches to come
	Rows    int     // different ones that were brought
	Bytes   int     // that the driver read and wrote
	Seconds float64 // by the clock
	F       float64
}

// broken is the panic of a pass that failed within a step, where no error can be returned.
type broken struct{ error }

func (s *sum) Dim() int          { return s.m.dim() }
func (s *sum) Len() int          { return s.m.Rows }
func (s *sum) Shape() (h, m int) { return len(s.m.Labels), s.m.Features }
func (s *sum) String() string    { return s.m.Name }

// Smoothness returns L = max_i ‖e_i‖²/2, as fwsum.Logistic does.
func (s *sum) Smoothness() float64 { return s.m.Norm2 / 2 }

// Identify writes the manifest, which has a digest of each shard.
func (s *sum) Identify(id *fwopt.Identity) { id.Of(s).Text(s.m.Digest) }

// Tested spares a run the checks of its start: rows that no pass has brought are not here.
func (s *sum) Tested() any { return s }

// serve makes the sum that of a run.
func (s *sum) serve(o *fwopt.Oracle, a ahead) {
	s.oracle, s.ahead = o, a
	s.stream, s.t, s.k = o.RNG, 1, 1
}

// Value returns f(w), of the last pass if w is its.
func (s *sum) Value(w []float64) float64 {
	if s.failed != nil {
		return math.NaN()
	}
	s.mustPass(w)
	return s.f
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w), of rows that a pass has brought, or
// ∇f(w), of the last pass if w is its.
func (s *sum) Grad(dst, w []float64, batch fwopt.Batch) {
	switch {
	case batch.Index != nil:
		s.rows.Grad(dst, w, s.local(batch))
	case s.failed != nil:
		dst[0] = math.NaN()
	default:
		s.mustPass(w)
		copy(dst, s.grad)
	}
}

// AddGradDiff does dst += Σ_j Weight[j] (∇f_{Index[j]}(w) − ∇f_{Index[j]}(w0)).
func (s *sum) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	s.rows.AddGradDiff(dst, w, w0, s.local(batch))
}

// SampleBatch draws as an Oracle draws, after a pass for the rows if they are not here, as
// where a run goes on within an epoch.
func (s *sum) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	before := s.oracle.RNG
	b.Index, b.Weight = sample.Uniform(b.Index[:0], b.Weight[:0], rng, m, s.m.Rows)
	if !s.here(b.Index) {
		s.stream = before
		s.t, s.k = s.ahead.next()
		s.left = 0
		if err := s.pass(nil); err != nil {
			panic(broken{err})
		}
		if !s.here(b.Index) {
			panic(fmt.Sprintf("fwbeam: step %d of epoch %d draws other rows than its method said", s.k, s.t))
		}
	}
	s.left = max(0, s.left-1)
}

// here reports whether the rows of a batch are, among more than twice as many.
func (s *sum) here(index []int) bool {
	for _, i := range index {
		if _, ok := slices.BinarySearch(s.index, i); !ok {
			return false
		}
	}
	return s.rows != nil && 2*len(index) < s.rows.Len()
}

// local returns a batch with the numbers of its rows among those here.
func (s *sum) local(b fwopt.Batch) fwopt.Batch {
	s.at = s.at[:0]
	for _, i := range b.Index {
		k, ok := slices.BinarySearch(s.index, i)
		if !ok {
			panic(fmt.Sprintf("fwbeam: row %d is not here: batches come from the Oracle that the sum serves",
				i))
		}
		s.at = append(s.at, k)
	}
	return fwopt.Batch{Index: s.at, Weight: b.Weight}
}

// prepare makes the pass that the step after this one needs, where w is the iterate: here
// one that fails is an error after a whole step. Of a method without snapshots it looks at
// f after steps 1, 2, 3, 4, 5, 6, 8, …, each time a fifth more.
func (s *sum) prepare(step int, w []float64) error {
	if s.failed != nil {
		return s.failed
	}
	look := s.ahead.m == nil && !s.ahead.away
	switch {
	case s.ahead.n != nil:
		_, k := s.ahead.next()
		look = k == 1
	case s.ahead.m != nil && step >= s.look:
		look, s.look = true, max(step+1, step*6/5)
	}
	if look && !slices.Equal(s.w, w) {
		s.failed = s.pass(w)
	} else if s.ahead.m != nil && s.left == 0 {
		s.failed = s.pass(nil)
	}
	return s.failed
}

func (s *sum) mustPass(w []float64) {
	if slices.Equal(s.w, w) {
		return
	}
	if err := s.pass(w); err != nil {
		panic(broken{err})
	}
}

// pass makes a pass: for f(w) and ∇f(w) unless w is nil, and for the rows of the next
// batches unless there are some left.
func (s *sum) pass(w []float64) (err error) {
	start := time.Now()
	s.passes++
	p := &pass{Number: s.passes, Commit: commit(), Shards: s.dir, N: s.m.Rows, Grad: w != nil,
		Parts: len(s.m.Shards), M: s.m.Features, H: len(s.m.Labels),
		Work: join(s.work, fmt.Sprintf("pass-%06d", s.passes))}
	if s.left == 0 && s.ahead.m != nil && !s.over {
		s.rows, s.index = nil, nil // before others are held
		p.Sizes = s.ahead.from(s.t, s.k, s.limit)
		p.State, _ = s.stream.MarshalBinary() // never fails
	}
	r := report{Pass: s.passes, Grad: p.Grad, F: math.NaN()}
	for _, m := range p.Sizes {
		r.Draws += m
	}
	defer remove(context.WithoutCancel(s.ctx), append(p.files(), p.Work)...)
	if p.Grad {
		b := appendFloats(make([]byte, 0, 8*len(w)+4), w)
		if err := writeSealed(s.ctx, p.wFile(), b); err != nil {
			return fmt.Errorf("pass %d: %w", s.passes, err)
		}
		r.Bytes += len(b) + 4
	}
	if err := s.engine(s.ctx, p, s.m.tasks()); err != nil {
		return fmt.Errorf("pass %d failed: %w", s.passes, err)
	}
	if err := s.take(p, w, &r); err != nil {
		return fmt.Errorf("pass %d: %w", s.passes, err)
	}
	if r.Seconds = time.Since(start).Seconds(); s.passed != nil {
		s.passed(r)
	}
	return nil
}

const notNumber = "f is not a number"

// take reads what the workers have left.
func (s *sum) take(p *pass, w []float64, r *report) error {
	if p.Grad {
		if s.grad == nil {
			s.grad = make([]float64, len(w))
		}
		s.w = s.w[:0] // until it is that of grad
		f, read, err := p.gather(s.ctx, s.grad)
		if err != nil {
			return err
		}
		if math.IsNaN(f) {
			return errors.New(notNumber)
		}
		s.f, s.w = f, append(s.w, w...)
		r.F, r.Bytes = f, r.Bytes+read
	}
	if len(p.Sizes) == 0 {
		return nil
	}
	rows, index, after, read, err := p.fetch(s.ctx, s.m)
	if err != nil {
		return err
	}
	// RowSum takes a batch of half of its rows in another order: rows of zeros, so that the
	// bits of a batch do not depend on what else is here
	for range 2*min(slices.Max(p.Sizes), p.N) + 1 {
		rows.X.N++
		rows.X.Ptr, rows.Y = append(rows.X.Ptr, len(rows.X.Val)), append(rows.Y, 0)
	}
	s.rows, s.index = rows.Logistic(), index
	s.left, s.stream, s.k = len(p.Sizes), after, s.k+len(p.Sizes)
	if s.ahead.n != nil {
		s.t, s.k = s.t+1, 1
	}
	r.Rows, r.Bytes = len(index), r.Bytes+read
	return nil
}
