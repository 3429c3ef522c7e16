package fwnb_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwnb"
)

func ExampleRow() {
	fmt.Println(strings.Join(fwnb.Row(4, "SVRF", 5657, 0.0326341, 12847.0), " | "))
	// Output: SVRF | 5657 | 0.03263 | 1.285e+04
}

func TestRow(t *testing.T) {
	for _, c := range []struct {
		digits int
		cell   any
		want   string
	}{
		{5, 0.525374, "0.52537"},
		{1, 0.96, "1"},
		{4, 1e-300, "1e-300"},
		{4, 123456, "123456"}, // whole numbers are counts, and exact
		{4, "0.123456", "0.123456"},
		{4, float32(2), "2"},
	} {
		if got := fwnb.Row(c.digits, c.cell); !slices.Equal(got, []string{c.want}) {
			t.Errorf("Row(%d, %v) = %q, want %q", c.digits, c.cell, got, c.want)
		}
	}
	if got := fwnb.Row(1); got != nil {
		t.Errorf("no cells: %q", got)
	}
	defer func() {
		if e := fmt.Sprint(recover()); e != "fwnb: numbers of 0 digits" {
			t.Errorf("0 digits: %v", e)
		}
	}()
	fwnb.Row(0, 1.)
}

func ExampleColumns() {
	measured, allowed := []float64{0.496, 0.165}, []float64{1, 1}
	for _, row := range fwnb.Columns(2, []string{"", "FACE", "bound"}, []string{"Step 1", "Step 2"}, measured, allowed) {
		fmt.Println(strings.Join(row, " | "))
	}
	// Output:
	//  | FACE | bound
	// Step 1 | 0.5 | 1
	// Step 2 | 0.17 | 1
}

func TestColumns(t *testing.T) {
	head, names := []string{"", "a", "b"}, []string{"NaN", "y"}
	got := fwnb.Columns(3, head, names, []float64{math.NaN(), 0.00025549}, []float64{23.1667, math.Inf(1)})
	want := [][]string{head, {"NaN", "–", "23.2"}, {"y", "0.000255", "+Inf"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	defer func() {
		if e := fmt.Sprint(recover()); e != "fwnb: column 2 has 1 numbers for 2 names" {
			t.Errorf("a short column: %v", e)
		}
	}()
	fwnb.Columns(3, head, names, []float64{1, 2}, []float64{1})
}
