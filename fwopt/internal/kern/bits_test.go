package kern

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"
)

// allBits is what TestBits finds on every processor. A new kernel among the tasks makes it
// another one: the test says which.
const allBits = "e47095e94ae323c76edc3d92002db7e6aab0c0b47a6f5610a2f88f2d3f9add6e"

// The kernels have the same bits on every processor: those that are written here. `make
// emulate` runs this test on others.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	hash := sha256.New()
	write := func(x []float64) {
		for _, y := range x {
			b := math.Float64bits(y)
			if math.IsNaN(y) {
				b = 0
			}
			hash.Write(binary.LittleEndian.AppendUint64(nil, b))
		}
	}
	for _, h := range []int{1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 20, 33, 50, 70} {
		for _, n := range []int{1, 4, 7, 18, 39} {
			for _, k := range tasks(rng, h, n, 30*(n%2)) {
				if k.name == "LogLoss" { // for math.Log1p has others elsewhere
					continue
				}
				same := func(x []float64) { // a normal draw may end in other bits elsewhere
					for i, y := range x {
						x[i] = float64(float32(y)) * (1 + float64(i*40503%65536)/98304)
					}
				}
				same(k.out)
				for _, x := range k.in {
					same(x)
				}
				k.run(k)
				write(k.out)
			}
		}
	}
	t.Logf("vectors = %t, wide = %t", vectors, vectors && wide)
	if got := hex.EncodeToString(hash.Sum(nil)); got != allBits {
		t.Errorf("bits %s, want %s", got, allBits)
	}
}
