package fwdata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwtest"
)

// The video that comes with the module, against its text taken apart by hand: each number of b,
// and of A on both sides of the diagonal.
func TestReadVideo(t *testing.T) {
	packed, err := os.ReadFile("../../datasets/video/aeroplane.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ReadVideo(bytes.NewReader(packed), "aeroplane.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Frames, slices.Repeat([]int{20}, 33)) {
		t.Errorf("frames of %d boxes", v.Frames)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for j, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		for i, cell := range strings.Split(strings.TrimSpace(line), ",")[2:] {
			x, err := strconv.ParseFloat(cell, 64)
			if seen++; err != nil || i == 0 && v.B.AtVec(j) != x ||
				i > 0 && (v.A.At(j, i-1) != x || v.A.At(i-1, j) != x) {
				t.Fatalf("box %d, column %d: %s", j+1, i+3, cell)
			}
		}
	}
	if r, c := v.A.Dims(); r != 660 || c != 660 || v.B.Len() != 660 || seen != 660+660*661/2 {
		t.Errorf("%d × %d, %d numbers", r, c, seen)
	}
	// Frames of different sizes, in videos with frames of the same name; a byte order mark is not
	// of the first one's name.
	v, err = ReadVideo(strings.NewReader("\ufeffa,1,1,1\na,1,2,0,1\na,2,3,0,0,1\nb,2,4,0,0,0,1\n"), "own")
	if err != nil || fmt.Sprint(v.Frames, v.First()) != "[2 1 1] [1 0 1 1]" {
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
}
