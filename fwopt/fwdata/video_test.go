package fwdata

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/mat"
)

// The video that comes with the module, and a text whose numbers of b and A are seen.
func TestReadVideo(t *testing.T) {
	file, err := os.Open("../../datasets/video/aeroplane.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	v, err := ReadVideo(file, "aeroplane.csv.gz")
	if err != nil || !slices.Equal(v.Frames, slices.Repeat([]int{20}, 33)) || v.Dim() != 660 {
		t.Fatalf("%d boxes: %v", v.Dim(), err)
	}
	// Frames of different sizes, in videos with frames of the same name; a byte order mark is not
	// of the first one's name.
	text := "\ufeffa,1,1,5\na,1,-2,6,7\na,2,3e0,8,9,10\nb,2,4,11,12,13,14\n"
	A := mat.NewDense(4, 4, []float64{5, 6, 8, 11, 6, 7, 9, 12, 8, 9, 10, 13, 11, 12, 13, 14})
	v, err = ReadVideo(strings.NewReader(text), "own")
	if err != nil || !mat.Equal(v.A, A) ||
		fmt.Sprint(v.Frames, v.First(), v.B.RawVector().Data) != "[2 1 1] [1 0 1 1] [1 -2 3 4]" {
		t.Errorf("%+v, %v", v, err)
	}
}

// f keeps the contract of a sum, with its line search, and is ½wᵀAw + bᵀw as three loops say it.
func TestVideoSum(t *testing.T) {
	text := "a,1,1,2\na,1,-2,-1,3\na,2,0.5,0.25,0,1\nb,2,4,1,0.5,0,2\n"
	v, err := ReadVideo(strings.NewReader(text), "own")
	if err != nil {
		t.Fatal(err)
	}
	fwtest.TestFiniteSum(t, v)
	w, want := []float64{1, -2, 0.5, 3}, 0.0
	for i := range w {
		for j := range w {
			want += w[i] * v.A.At(i, j) * w[j] / 2
		}
		want += v.B.AtVec(i) * w[i]
	}
	if got := v.Value(w); math.Abs(got-want) > 1e-14 {
		t.Errorf("f = %g, want %g", got, want)
	}
	line, _ := ReadVideo(strings.NewReader("a,1,1,0\na,1,0,0,0\n"), "own") // f(w) = w_1
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		if γ := line.SearchAt(nil, []float64{zero, zero}, []float64{1, -1}, 1); γ != 1 {
			t.Errorf("where f is a line γ = %g", γ)
		}
	}
	down, up := line.LineSearch(w[:2], []float64{0, 9}), line.LineSearch(w[:2], []float64{2, 9})
	if down != 1 || up != 0 {
		t.Errorf("γ = %g down a line, %g up", down, up)
	}
}
