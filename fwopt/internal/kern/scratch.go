package kern

import (
	"math/bits"
	"sync"
)

// scratch holds vectors that are free, by the logarithm of their capacity.
var scratch [64]sync.Pool

// Borrow lends a vector of n numbers, which hold rubbish. Give it back with
// Return, so that a kernel that is called again and again allocates nothing.
func Borrow(n int) *[]float64 {
	k := bits.Len(uint(max(n, 1) - 1))
	p, _ := scratch[k].Get().(*[]float64)
	if p == nil {
		v := make([]float64, 1<<k)
		p = &v
	}
	*p = (*p)[:n]
	return p
}

// Return takes back what Borrow lent; nil is nothing.
func Return(p *[]float64) {
	if p == nil {
		return
	}
	scratch[bits.Len(uint(cap(*p)-1))].Put(p)
}
