package fwnb_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// FuzzReadTable: no file panics, and of what is accepted each record has the headings, and a
// number under each, or a panic of this package.
func FuzzReadTable(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n3,\n", "a\n\"x\ny\"\n", "a,a\n1,2\n", "", "a,b\n1\n", "a\n\"1", "a,b\r\n1e400,0x1p-2\r\n", ",\n,\n", "\ufeffa,b\n1,2\n"} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "table.csv")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		var table []fwnb.Record
		if says := small.Panics(func() { table = fwnb.ReadTable(path) }); says != "" {
			if !strings.HasPrefix(says, "fwnb: ") || !strings.Contains(says, path) {
				t.Fatalf("%q does not name the file", says)
			}
			return
		}
		lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff")))).ReadAll()
		if err != nil || len(table) != max(len(lines), 1)-1 {
			t.Fatalf("%d records of %q, %v", len(table), lines, err)
		}
		for i, r := range table {
			for j, heading := range lines[0] {
				if r[heading] != lines[i+1][j] && !slices.Contains(lines[0][j+1:], heading) {
					t.Fatalf("record %d has %q under %q, want %q", i, r[heading], heading, lines[i+1][j])
				}
				num(t, r, heading)
			}
		}
	})
}

func num(t *testing.T, r fwnb.Record, heading string) {
	defer func() {
		if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "fwnb: under ") {
			t.Fatal(p)
		}
	}()
	r.Num(heading)
}
