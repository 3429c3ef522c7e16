package fwnb_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

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
	if _, says := read("item,seconds\nP1,1\nP2\n"); !strings.Contains(says, "a.csv") || !strings.Contains(says, "line 3") {
		t.Errorf("a short line: %q", says)
	}
	if says := small.Panics(func() { fwnb.ReadTable(file + ".not") }); !strings.HasPrefix(says, "fwnb: ") || !strings.Contains(says, "no such file") {
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
