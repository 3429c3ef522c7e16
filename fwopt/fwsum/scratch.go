package fwsum

// scratch is the memory of one call, at most O(d), 24 MB or a sixteenth of dense data: a sum serves many
// goroutines at once, and its calls do not allocate it anew.
type scratch struct {
	p, q, u []float64    // scores or derivatives of a block
	coef    []float64    // the weight of each row
	at      []int        // columns
	parts   []float64    // gradients of pieces of dense data
	sums    [][2]float64 // the partial sums, piece by piece
}

func (f *RowSum) borrow() (t *scratch) {
	f.mu.Lock()
	if last := len(f.idle) - 1; last >= 0 {
		t, f.idle = f.idle[last], f.idle[:last]
	} else {
		t = new(scratch)
	}
	f.mu.Unlock()
	return t
}

func (f *RowSum) giveBack(t *scratch) {
	f.mu.Lock()
	f.idle = append(f.idle, t)
	f.mu.Unlock()
}

// grow returns a slice of length n, x itself if it is long enough. It holds
// anything.
func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
