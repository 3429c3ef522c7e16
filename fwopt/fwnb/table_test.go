package fwnb_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

func ExampleColumns() {
	measured, allowed := []float64{0.496, 0.165}, []float64{1, 1}
	for _, row := range fwnb.Columns(2, []string{"", "FACE", "bound"}, []string{"Step 1", "Step 2"}, measured,
		allowed) {
		fmt.Println(strings.Join(row, " | "))
	}
	// Output:
	//  | FACE | bound
	// Step 1 | 0.5 | 1
	// Step 2 | 0.17 | 1
}

func TestRow(t *testing.T) {
	got := fwnb.Row(4, "SVRF", 5657, 0.0326341, 12847.0, 1e-300, 123456, "0.123456", float32(2))
	if want := "SVRF 5657 0.03263 1.285e+04 1e-300 123456 0.123456 2"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	if got := slices.Concat(fwnb.Row(1), fwnb.Row(1, 0.96), fwnb.Row(5, 0.525374)); !slices.Equal(got,
		[]string{"1", "0.52537"}) {
		t.Errorf("%q", got)
	}
	head, names := []string{"", "a", "b"}, []string{"NaN", "y"}
	rows := fwnb.Columns(3, head, names, []float64{math.NaN(), 0.00025549}, []float64{23.1667, math.Inf(1)})
	if want := [][]string{head, {"NaN", "–", "23.2"}, {"y", "0.000255", "+Inf"}}; !reflect.DeepEqual(rows,
		want) {
		t.Errorf("%q, want %q", rows, want)
	}
	for want, call := range map[string]func(){
		"fwnb: numbers of 0 digits": func() { fwnb.Row(0, 1.) },
		"fwnb: column 2 has 1 numbers for 2 names": func() {
			fwnb.Columns(3, head, names, []float64{1, 2}, []float64{1})
		},
	} {
		if got := small.Panics(call); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func ExampleReadTable() {
	table := fwnb.ReadTable("../../bench/results/machine.csv")
	fmt.Println(table[0]["what"], table[1]["what"])
	// Output: processor processors
}

func TestReadTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	read := func(text string) (got []fwnb.Record, says string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return got, small.Panics(func() { got = fwnb.ReadTable(file) })
	}
	want := []fwnb.Record{{"item": "P1, dense", "seconds": "0.5"}, {"item": "P2", "seconds": ""}}
	for text, want := range map[string][]fwnb.Record{
		"item,seconds\n\"P1, dense\",0.5\nP2,\n":                 want,
		"\ufeff\"item\",seconds\r\n\"P1, dense\",0.5\r\nP2,\r\n": want, // as a spreadsheet writes it
		"\ufeff":         nil,
		"":               nil,
		"item,seconds\n": nil,
	} {
		if got, says := read(text); says != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %s, want %q", text, got, says, want)
		}
	}
	if _, says := read("item,seconds\nP1,1\nP2\n"); !strings.Contains(says, "a.csv") ||
		!strings.Contains(says, "line 3") {
		t.Errorf("a short line: %q", says)
	}
	says := small.Panics(func() { fwnb.ReadTable(file + ".not") })
	if !strings.HasPrefix(says, "fwnb: ") || !strings.Contains(says, "no such file") {
		t.Errorf("no file: %q", says)
	}
	if x, none := want[0].Num("seconds"), want[1].Num("seconds"); x != 0.5 || !math.IsNaN(none) {
		t.Errorf("%g and %g, want 0.5 and NaN", x, none)
	}
	for heading, says := range map[string]string{
		"second": `fwnb: no heading "second"`,
		"item":   `fwnb: under "item" is "P2" and no number`,
	} {
		if got := small.Panics(func() { want[1].Num(heading) }); got != says {
			t.Errorf("%s, want %s", got, says)
		}
	}
}
