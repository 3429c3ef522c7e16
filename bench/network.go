package main

import (
	"fmt"
	"path/filepath"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// networkItems are P10: 60 steps of Muon, of a batch of 512 through a network with two hidden layers, on random rows.
// Both sides take the exact polar factor, with our draws, from the same start.
func (b *bench) networkItems() (all []item) {
	const n, m, h, batch = 2000, 64, 10, 512
	x := &fwsum.Dense{N: n, M: m, Val: normals(10, n*m, 1)}
	y := make([]int, n)
	for i := range y { // of 10 directions the nearest
		y[i] = floats.MaxIdx(x.Row(i)[:h])
	}
	for _, width := range []int{64, 128, 256} {
		name := fmt.Sprintf("P10 Muon, width %d", width)
		if !b.wanted(name) || b.quick && width > 64 {
			continue
		}
		f := fwsum.NewNetwork(x, []int{m, width, width, h}, false, fwsum.CrossEntropy(y))
		omega := f.Scion(1, 16)
		start := fwset.RandomVertex(f.Scion(1, 1), 1)
		path := filepath.Join(dir, fmt.Sprintf("network-%d", width))
		writeNumbers(path+".x", x.Val)
		labels := make([]int32, n)
		for i, v := range y {
			labels[i] = int32(v)
		}
		writeNumbers(path+".y", labels)
		writeNumbers(path+".w0", start)
		saveDraws(path, fwopt.NewOracle(f, omega, 1), func(int) int { return batch })
		muon := func() fwopt.Method { return fwmore.NewMuon(batch) }
		// the smallest singular values are rounding, to each form its own, and 60 steps later the losses differ by 1 %
		proven := item{name: name, peer: "muon", tol: 0.05,
			args: map[string]any{"path": path, "widths": []int{m, width, width, h}, "last": 16.,
				"steps": checked},
			start: func() side { return startRun(f, omega, muon, start, 1, checked) }}
		other := proven // the Gram matrix squares what rounding does to small singular values
		other.name, other.peer = name+", theirs uncertified", "muon, uncertified"
		all = append(all, proven, other)
	}
	return all
}
