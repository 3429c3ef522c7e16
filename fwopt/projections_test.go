package fwopt_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// TestProjections: the file that page 14 draws first has the table that a full run of the page printed, row by row.
func TestProjections(t *testing.T) {
	file, err := os.Open("../notebooks/projections.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want, err := csv.NewReader(file).ReadAll()
	if err != nil || len(want) < 10 {
		t.Fatalf("%d rows: %v", len(want), err)
	}
	for _, c := range readPage(t, "../notebooks/14-when-to-project.ipynb") {
		for _, o := range c.Outputs {
			text, _ := o.Data["text/markdown"].([]any)
			var table []string // without the rule below the head
			for i, l := range text {
				if row := strings.Join(strings.Fields(l.(string)), " "); i != 1 {
					table = append(table, row)
				}
			}
			if len(table) == 0 || !strings.HasPrefix(table[0], "| set | linear") {
				continue
			}
			if len(table) != len(want) {
				t.Errorf("the page has %d rows, projections.csv %d", len(table), len(want))
			}
			for i, row := range want[:min(len(table), len(want))] {
				if row := "| " + strings.Join(row, " | ") + " |"; row != table[i] {
					t.Errorf("projections.csv has %s, the page %s: put the numbers of its full run into the file, and draw the figure again", row, table[i])
				}
			}
			return
		}
	}
	t.Error("the page has no table of sets: this test must follow it")
}
