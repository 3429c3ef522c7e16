package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

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
