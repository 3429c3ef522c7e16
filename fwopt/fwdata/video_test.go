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

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/floats"
)

// The video that comes with the module, against its text taken apart by hand: f's gradient and
// each number of A on both sides of the diagonal.
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
			if seen++; err != nil || i == 0 && v.B.AtVec(j) != x || i > 0 && (v.A.At(j, i-1) != x || v.A.At(i-1, j) != x) {
				t.Fatalf("box %d, column %d: %s", j+1, i+3, cell)
			}
		}
	}
	if r, c := v.A.Dims(); r != 660 || c != 660 || v.B.Len() != 660 || seen != 660+660*661/2 {
		t.Errorf("%d × %d, %d numbers", r, c, seen)
	}
	w := v.First()
	if len(w) != 660 || floats.Sum(w) != 33 {
		t.Errorf("a track of %g boxes", floats.Sum(w))
	}
	for j, x := range w {
		if (x == 1) != (j%20 == 0) {
			t.Errorf("box %d is %g of the first track", j+1, x)
		}
	}
}

// Frames of different sizes, in videos with frames of the same name.
func TestReadVideoFrames(t *testing.T) {
	v, err := ReadVideo(strings.NewReader("a,1,1,1\na,1,2,0,1\na,2,3,0,0,1\nb,2,4,0,0,0,1\n"), "own")
	if err != nil || !slices.Equal(v.Frames, []int{2, 1, 1}) || !slices.Equal(v.First(), []float64{1, 0, 1, 1}) {
		t.Errorf("%+v, %v", v, err)
	}
}

// f keeps the contract of a sum, with its line search, and is ½wᵀAw + bᵀw as three loops say it.
func TestVideoSum(t *testing.T) {
	v, err := ReadVideo(strings.NewReader("a,1,1,2\na,1,-2,-1,3\na,2,0.5,0.25,0,1\nb,2,4,1,0.5,0,2\n"), "own")
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
	for _, call := range []func(){
		func() { v.Value(w[1:]) },
		func() { v.Grad(w, w[1:], fwopt.Batch{}) },
		func() { v.LineSearch(w, w[1:]) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != "fwdata: a vector of 3 numbers for a video of 4 boxes" {
					t.Error(got)
				}
			}()
			call()
		}()
	}
}

func TestReadVideoErrors(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for j := range 100 {
		fmt.Fprintf(z, "a,%d,%d", j/20, j)
		for i := range j + 1 {
			fmt.Fprintf(z, ",%d", i*7919%10007)
		}
		fmt.Fprintln(z)
	}
	z.Close()
	for text, want := range map[string]string{
		"":                               "fwdata: own: line 1: the file ends without a box: is it empty",
		"a,1,1\n":                        "fwdata: own: line 1: columns: 3, want 4 of box 1: its video, its frame, b_j and A_j1 to A_jj",
		"a,1,1,1\na,1,1,1\n":             "fwdata: own: line 2: columns: 4, want 5 of box 2",
		"a,1,1,1\n\na,1,1,1,2,3\n":       "fwdata: own: line 3: columns: 6, want 5 of box 2",
		"a,1,x,1\n":                      `fwdata: own: line 1: column 3: "x" is not a finite number: replace it`,
		"a,1,1,1\na,1,1,NaN,1\n":         `fwdata: own: line 2: column 4: "NaN" is not a finite number`,
		"a,1,1,1\na,1,1,1,1e999\n":       `fwdata: own: line 2: column 5: "1e999" is not a finite number`,
		"a,1,\"1,1\na,1,1\n":             "fwdata: own: line ",
		packed.String()[:packed.Len()/2]: "the gzip file is cut off",
	} {
		v, err := ReadVideo(strings.NewReader(text), "own")
		if err == nil || !strings.Contains(err.Error(), want) || v != nil {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
