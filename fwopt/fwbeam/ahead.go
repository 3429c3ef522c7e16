package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
)

// ahead is what a method says of its batches before it draws them: the sizes m of step k of
// epoch t, and N_t. Without m it draws none, and without N it has one epoch without an end
// and no snapshot.
type ahead struct {
	m    func(t, k int) int
	n    func(t int) int
	next func() (t, k int) // the step that comes
	away bool              // it asks for ∇f elsewhere than at its iterates
}

// aheadOf returns what m, of those that a problem has, says: one short case for each, beside its box.
func aheadOf(m fwopt.Method) ahead {
	switch m := m.(type) {
	case *fwopt.FW:
		return ahead{next: func() (t, k int) { return 1, m.K + 1 }}
	case *fwmore.FISTA:
		return ahead{next: func() (t, k int) { return 1, m.K + 1 }, away: true}
	case *fwopt.SFW:
		return ahead{m: func(_, k int) int { return m.M(k) }, next: func() (t, k int) { return 1, m.K + 1 }}
	case *fwopt.SVRG:
		return ahead{m: func(_, k int) int { return m.M(k) }, n: m.N,
			next: func() (t, k int) { return following(m.T, m.K, m.N) }}
	case *fwopt.SVRF:
		return ahead{m: m.M, n: m.N, next: func() (t, k int) { return following(m.T, m.K, m.N) }}
	case *fwopt.STORC:
		return ahead{m: m.M, n: m.N, next: func() (t, k int) { return following(m.T, m.K, m.N) }}
	}
	panic(fmt.Sprintf("fwbeam: %T does not say the sizes of its batches ahead", m))
}

// done returns how many steps the method has made.
func (a *ahead) done() (steps int) {
	t, k := a.next()
	for ; t > 1; t-- {
		steps += a.n(t - 1)
	}
	return steps + k - 1
}

// following is the step after step K of epoch T.
func following(T, K int, N func(t int) int) (t, k int) {
	switch {
	case T == 0:
		return 1, 1
	case K == N(T):
		return T + 1, 1
	}
	return T, K + 1
}

// from returns the sizes of the batches from step k of epoch t on: to the end of the epoch,
// or, of a method without snapshots, as many as have at most so many draws together, but one.
func (a *ahead) from(t, k, most int) (sizes []int) {
	if a.n != nil {
		for ; k <= a.n(t); k++ {
			sizes = append(sizes, a.m(t, k))
		}
		return sizes
	}
	sum := 0
	for ; len(sizes) < window; k++ {
		m := a.m(t, k)
		if sum += m; sum > most && len(sizes) > 0 {
			break
		}
		sizes = append(sizes, m)
	}
	return sizes
}

// window is for how many steps a method without snapshots looks ahead at most.
const window = 100

// fits returns an error if the rows of some epoch up to the given steps may not fit in
// most, and which step of which epoch that is.
func (a *ahead) fits(steps, n, most int) error {
	if a.m == nil {
		return nil
	}
	for t, done := 1, 0; done < steps; t++ {
		draws := 0
		for k := 1; (a.n == nil || k <= a.n(t)) && done < steps; k++ {
			m := a.m(t, k)
			if draws += m; a.n == nil {
				draws = m // each window has at least one batch
			}
			if min(draws, n) > most {
				return fmt.Errorf("by step %d of epoch %d it draws %d rows", k, t, draws)
			}
			done++
		}
	}
	return nil
}

// vectors of length d that the driver holds beside the rows: w and ∇f of the pass and the
// file that w is written from, the iterates, snapshot, gradient and inner iterates of the
// method (STORC has most), and those of records.
const vectors = 14

// rowLimit returns how many rows a driver of so many bytes may hold beside vectors of
// length d: a nonzero takes 12 bytes twice, by rows and by columns, and 12 more while the
// file is read; a row 64.
func rowLimit(m *manifest, memory int) (rows int, err error) {
	base := 8*vectors*m.dim() + 64<<20 // the program itself
	each := 64 + 36*m.Nonzeros/m.Rows
	if rows = (memory - base) / each; rows < 1 {
		return 0, fmt.Errorf("the driver's %s are too few: it needs %s for its vectors of d = %d numbers: "+
			"raise --memory", size(memory), size(base), m.dim())
	}
	return rows, nil
}

// size writes a number of bytes as 1.5 GiB.
func size(b int) string { return humanize.IBytes(uint64(b)) }
