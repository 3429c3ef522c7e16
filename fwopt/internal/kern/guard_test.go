//go:build linux

package kern

import (
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"unsafe"
)

// between returns memory for n bytes between two pages that cannot be read, at the
// end of what lies between them or at its start.
func between(t *testing.T, n int, end bool) unsafe.Pointer {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if !end {
		return unsafe.Pointer(&mem[page])
	}
	return unsafe.Pointer(&mem[page+size-n])
}

// The kernels read and write nothing beyond the ends of their slices: what is there
// would end the program.
func TestGuardPages(t *testing.T) {
	needVectors(t)
	rng := rand.New(rand.NewPCG(17, 18))
	for _, end := range []bool{true, false} {
		for h := 1; h <= 70; h++ {
			for _, n := range []int{1, 2, 1 + rng.IntN(40)} {
				for _, k := range tasks(rng, h, n, 0) {
					t.Run(k.name, func(t *testing.T) {
						if len(k.ptr) > 0 {
							ptr := unsafe.Slice((*int)(between(t, len(k.ptr)*strconv.IntSize/8, end)),
								len(k.ptr))
							copy(ptr, k.ptr)
							k.ptr = ptr
						}
						k.sameBits(t, h, n, func(x []float64) []float64 {
							if len(x) == 0 {
								return x
							}
							y := unsafe.Slice((*float64)(between(t, 8*len(x), end)), len(x))
							copy(y, x)
							return y
						}, func(x []int32) []int32 {
							if len(x) == 0 {
								return x
							}
							y := unsafe.Slice((*int32)(between(t, 4*len(x), end)), len(x))
							copy(y, x)
							return y
						})
					})
				}
			}
		}
	}
}
