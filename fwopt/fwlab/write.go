package main

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// writeWeights writes the weights: a line for each column of the data and one for the intercept, a number for each
// score.
func (m *model) writeWeights() error {
	if m.weights == "" {
		return nil
	}
	names, scores := make([]string, len(m.size), len(m.size)+1), []string{"weight"}
	for j := range names {
		names[j] = m.data.column(j)
	}
	if len(m.w) > len(names)*m.h {
		names = append(names, "(intercept)")
	}
	if m.h > 1 {
		scores = m.classes
	}
	return fwdata.WriteWeights(m.weights, m.w, names, scores)
}

// writePredictions writes what is predicted for each row; in a .npy file a label is its place among the labels.
func (m *model) writePredictions(predicted []string, numbers []float64) error {
	switch {
	case m.predictions == "":
		return nil
	case strings.HasSuffix(m.predictions, ".npy"):
		return file.Write(m.predictions, func(w io.Writer) error {
			return fwdata.WriteNPY(w,
				&fwsum.Dense{N: len(numbers), M: 1, Val: numbers})
		})
	}
	return table(m.predictions, []string{"row", "prediction"}, len(predicted), func(i int) []string {
		return []string{strconv.Itoa(i + 1), predicted[i]}
	})
}

func table(name string, head []string, lines int, line func(i int) []string) error {
	return file.Write(name, func(w io.Writer) error {
		t := csv.NewWriter(w)
		t.Write(head)
		for i := range lines {
			t.Write(line(i))
		}
		t.Flush()
		return t.Error()
	})
}
