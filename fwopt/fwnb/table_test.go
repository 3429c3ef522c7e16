package fwnb_test

import (
	"errors"
	"fmt"
	"io/fs"
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
	table, err := fwnb.ReadTable("../../bench/results/machine.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(table[0]["what"], table[1]["what"])
	// Output: processor processors
}

func TestReadTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	read := func(text string) ([]fwnb.Record, error) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return fwnb.ReadTable(file)
	}
	got, err := read("item,seconds\n\"P1, dense\",0.5\nP2,\n")
	want := []fwnb.Record{{"item": "P1, dense", "seconds": "0.5"}, {"item": "P2", "seconds": ""}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err = read("\ufeff\"item\",seconds\r\n\"P1, dense\",0.5\r\nP2,\r\n"); err != nil || !reflect.DeepEqual(got, want) { // as a spreadsheet writes it
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err = read("\ufeff"); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "item,seconds\n"} {
		if got, err := read(text); err != nil || got != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := read("item,seconds\nP1,1\nP2\n"); err == nil || !strings.Contains(err.Error(), "a.csv") || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a short line: %v", err)
	}
	if _, err := fwnb.ReadTable(file + ".not"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "fwnb: ") {
		t.Errorf("no file: %v", err)
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
