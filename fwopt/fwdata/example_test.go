package fwdata_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/mat"
)

func ExampleLoad() {
	s, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	train, test := s.UnitRows().Split(0.75, 1)
	fmt.Println(train.N(), test.N())
	// Output:
	// digits: n = 1,797, m = 64, h = 10, 58,736 nonzeros (32.7 a row), 174 to 183 examples a class
	// 1348 449
}

// Two boxes in one frame and one in the next: which box of the first frame goes with the other?
func ExampleReadVideo() {
	text := "own,1,-0.25,2\nown,1,0,0.5,2\nown,2,-2,-1,0,2\n" // or a file that os.Open has opened
	v, err := fwdata.ReadVideo(strings.NewReader(text), "own")
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Frames, v.First(), v.Value(v.First()))

	omega := fwset.Product{fwset.Simplex{D: 2, R: 1}, fwset.Simplex{D: 1, R: 1}}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(v, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Steps: 100})
	fmt.Printf("f(w) = %.3f at w = %.3f\n", tr.Last().F, tr.W)
	// Output:
	// [2 1] [1 0 1] -1.25
	// f(w) = -1.260 at w = [0.917 0.083 1.000]
}

// Three columns of numbers, of which the last is predicted within an ℓ1 ball.
func ExampleReadTable() {
	text := "size,age,price\n1,30,1.0\n2,10,2.1\n3,20,2.9\n4,5,4.2\n" // or a file that os.Open has opened
	t, err := fwdata.ReadTable(strings.NewReader(text), "houses", "price")
	if err != nil {
		panic(err)
	}
	prices := make([]float64, len(t.Target))
	for i, price := range t.Target {
		prices[i], _ = strconv.ParseFloat(price, 64)
	}
	o := fwopt.NewOracle(fwsum.NewLeastSquares(t.X, prices), fwset.L1Ball{D: t.X.M, R: 1}, 1)
	tr := fwopt.Run(context.Background(), o, &fwmore.FISTA{L: 1e-3}, fwopt.Budget{Tolerance: 1e-6})
	p := tr.Last()
	fmt.Printf("%s: %.3f, f = %.4f, proven within 1e-6: %v\n", t.Columns, tr.W, p.F, p.DualityGap <= 1e-6)
	// Output:
	// [size age]: [1.000 0.000], f = 0.0075, proven within 1e-6: true
}

// The weights of two columns for three classes, for a spreadsheet; to w.npy for numpy.
func ExampleWriteWeights() {
	path := filepath.Join(os.TempDir(), "w.csv")
	err := fwdata.WriteWeights(path, []float64{1, 0, -1, 0.5, 2, 0}, []string{"age", "height"},
		[]string{"child", "adult", "giant"})
	text, _ := os.ReadFile(path)
	fmt.Printf("%v\n%s", err, text)
	// Output:
	// <nil>
	// column,child,adult,giant
	// age,1,0,-1
	// height,0.5,2,0
}

func ExampleRead() {
	s, err := fwdata.Read(strings.NewReader("+1 1:0.5 3:2\n-1 2:1\n"), "own")
	if err != nil {
		panic(err)
	}
	fmt.Println(s.X.Val, s.Y, s.Labels)

	_, err = fwdata.Read(strings.NewReader("+1 1:0.5 3:2\n-1 2:1 1:4\n"), "own")
	fmt.Println(err)
	// Output:
	// [0.5 2 1] [1 0] [-1 1]
	// fwdata: own: line 2: feature index 1 after 2: sort each line by index
}

// Regression: real targets in place of labels, for least squares on an l1 ball.
func ExampleReadTargets() {
	text := "1.5 1:1 2:1\n-0.5 2:-1\n2 1:2\n0.5 1:1 2:-1\n" // or a file that os.Open has opened
	x, b, err := fwdata.ReadTargets(strings.NewReader(text), "own")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d x %d, targets %v\n", x.N, x.M, b)

	f, omega := fwsum.NewLeastSquares(x, b), fwset.L1Ball{D: x.M, R: 1}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Steps: 100})
	fmt.Printf("f(w) = %.4f at w = %.3f\n", tr.Last().F, tr.W)

	_, err = fwdata.Read(strings.NewReader(text), "own")
	fmt.Println(err)
	// Output:
	// 4 x 2, targets [1.5 -0.5 2 0.5]
	// f(w) = 0.0625 at w = [0.833 0.167]
	// fwdata: own: line 1: label "1.5" is not an integer of at most 9 digits: number the classes, or read it by ReadTargets if it is a number to predict
}

func ExampleFromMatrix() {
	x := mat.NewDense(2, 3, []float64{0.5, 0, 2, 0, 1, 0})
	s, err := fwdata.FromMatrix("own", x, []int{7, 3})
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		panic(err)
	}
	fmt.Print(b.String())
	// Output:
	// 7 1:0.5 3:2
	// 3 2:1
}

// From a file of ratings to a prediction of one that is not there.
func ExampleReadRatings() {
	text := "user,item,rating\nann,jaws,5\nann,alien,5\nann,heidi,1\nbob,jaws,1\nbob,alien,1\n" +
		"bob,heidi,5\ncem,jaws,5\ncem,heidi,1\n"
	s, err := fwdata.ReadRatings(strings.NewReader(text), "own") // or a file that os.Open has opened
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	for k := range s.Value {
		s.Value[k] -= 3 // the middle
	}
	n := len(s.Value)
	asked, err := s.Entry("cem", "alien") // what would cem say of alien?
	if err != nil {
		panic(err)
	}
	omega := fwset.NewCompletion(s.Users, s.Items, append(s.At, asked), 6)
	f := s.LeastSquares(omega.Dim())
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Steps: 200})
	fmt.Printf("RMSE %.2f, %s on %s: %.1f\n",
		s.RMSE(tr.W[:n]), s.UserID[asked.Row], s.ItemID[asked.Col], 3+tr.W[n])
	// Output:
	// own: 8 ratings by 3 users of 3 items
	// RMSE 0.00, cem on alien: 5.0
}
