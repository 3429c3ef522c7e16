// Netlib is what gonum gives on OpenBLAS, through gonum.org/v1/netlib and cgo: the
// linear optimisation and the projection on a trace-norm ball by the Gram matrix, as
// bench/forms_spectral.py has them. LAPACK is gonum's own, in Go, for netlib's has fallen
// behind gonum's interface and does not compile. It takes turns with the others: see bench/peer.py.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/netlib/blas/netlib"
)

type matrix struct {
	Path string  `json:"path"`
	H    int     `json:"h"`
	M    int     `json:"m"`
	Tau  float64 `json:"tau"`

	a blas64.General
}

func main() {
	blas64.Use(netlib.Implementation{})
	var work func() []float64
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r struct {
			Op, Item string
			Args     matrix
			Reps     int
		}
		answer := map[string]any{}
		switch err := json.Unmarshal(in.Bytes(), &r); {
		case r.Op == "prepare" && err == nil:
			m := r.Args
			m.read()
			work = map[string]func() []float64{"argmin": m.argmin, "project": m.project}[r.Item]
			x := work()
			if r.Item == "project" {
				x = probe(x)
			}
			answer["form"], answer["value"] = "Gram, gonum's Dsyev", x
		case r.Op == "time":
			if r.Reps > 1 {
				work()
			}
			began := processorTime()
			for range r.Reps {
				work()
			}
			answer["seconds"] = (processorTime() - began).Seconds() / float64(r.Reps)
		case r.Op == "versions":
			info, _ := debug.ReadBuildInfo()
			for _, d := range info.Deps {
				if d.Path == "gonum.org/v1/netlib" {
					answer["versions"] = map[string]string{d.Path: d.Version}
				}
			}
		default:
			answer["error"] = fmt.Sprintf("%q: %v", r.Op, err)
		}
		if out.Encode(answer) != nil {
			return
		}
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (m *matrix) read() {
	m.a = blas64.General{Rows: m.M, Cols: m.H, Stride: m.H, Data: make([]float64, m.H*m.M)}
	data, err := os.ReadFile(m.Path)
	if err == nil {
		_, err = binary.Decode(data, binary.LittleEndian, m.a.Data)
	}
	if err != nil {
		panic(err)
	}
}

// eigen returns the eigenvalues of AᵀA, rising, and the vectors in its columns.
func (m *matrix) eigen() ([]float64, blas64.General) {
	n := m.H
	g := blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
	blas64.Syrk(blas.Trans, 1, m.a, 0, g)
	w, size := make([]float64, n), make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, g, w, size, -1)
	if !lapack64.Syev(lapack.EVCompute, g, w, make([]float64, int(size[0])), int(size[0])) {
		panic("no convergence")
	}
	return w, blas64.General{Rows: n, Cols: n, Stride: n, Data: g.Data}
}

func (m *matrix) argmin() []float64 {
	_, q := m.eigen()
	u := blas64.Vector{N: m.H, Inc: m.H, Data: q.Data[m.H-1:]}
	v := blas64.Vector{N: m.M, Inc: 1, Data: make([]float64, m.M)}
	blas64.Gemv(blas.NoTrans, 1, m.a, u, 0, v)
	return []float64{blas64.Nrm2(v)}
}

func (m *matrix) project() []float64 {
	w, q := m.eigen()
	slices.Reverse(w)
	theta, sum := 0.0, 0.0
	for i := range w {
		w[i] = math.Sqrt(max(w[i], 0))
		sum += w[i]
		if t := (sum - m.Tau) / float64(i+1); w[i] > t {
			theta = max(theta, t)
		}
	}
	r := 0
	for r < len(w) && w[r] > theta {
		r++
	}
	q.Cols, q.Data = r, q.Data[m.H-r:] // the last columns
	t := blas64.General{Rows: m.M, Cols: r, Stride: r, Data: make([]float64, m.M*r)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, m.a, q, 0, t)
	for i := range m.M {
		for j := range r {
			t.Data[i*r+j] *= 1 - theta/w[r-1-j]
		}
	}
	x := blas64.General{Rows: m.M, Cols: m.H, Stride: m.H, Data: make([]float64, m.M*m.H)}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, t, q, 0, x)
	return x.Data
}

// probe is that of bench/forms_spectral.py.
func probe(x []float64) []float64 {
	s, c := 0.0, 0.0
	for i, x := range x {
		s += x * x
		c += x * math.Cos(float64(i))
	}
	return []float64{math.Sqrt(s), c}
}
