package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
func size(b int) string {
	x, unit := float64(b), 0
	for x >= 1024 && unit < 4 {
		x, unit = x/1024, unit+1
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + [...]string{" B", " KiB", " MiB", " GiB", " TiB"}[unit]
}

// parseSize is the opposite: 512MiB, 1GiB, 100MB, 2e9.
func parseSize(s string) (int, error) {
	text, factor := strings.TrimSpace(s), 1.
	for k, unit := range []string{"K", "M", "G", "T"} {
		if t, ok := strings.CutSuffix(text, unit+"iB"); ok {
			text, factor = strings.TrimSpace(t), math.Pow(1024, float64(k+1))
		} else if t, ok := strings.CutSuffix(text, unit+"B"); ok {
			text, factor = strings.TrimSpace(t), math.Pow(1000, float64(k+1))
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x*factor >= 1 && x*factor < 1<<60) {
		return 0, fmt.Errorf("%q is no number of bytes such as 512MiB, 1GiB or 100MB", s)
	}
	return int(x * factor), nil
}
