package fwkeep_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours, or by an error.
func TestMistakes(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 3}
	t.Chdir(t.TempDir())
	for name, c := range map[string][]any{
		"Keep": {func(ctx context.Context, dir string, w0 []float64, b fwopt.Budget) {
			fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1).From(w0), &fwopt.FW{}, b)
		}, bg, dir, nil, b},
		"Keep, o": {func(o *fwopt.Oracle) { fwkeep.Keep(bg, dir, o, &fwopt.FW{}, b) },
			fwopt.NewOracle(f, omega, 1)},
		"Keep, m": {func(m fwopt.Method) {
			fwkeep.Keep(bg, dir, fwopt.NewOracle(f, omega, 1), m, b)
		}, &fwopt.FW{}},
		"LoadTrace": {fwkeep.LoadTrace, filepath.Join(dir, "none")},
		"ReadCSV":   {func(r io.Reader) { fwkeep.ReadCSV(r) }, strings.NewReader("")},
		"SaveTrace": {fwkeep.SaveTrace, filepath.Join(dir, "a"), &fwopt.Trace{}},
		"WriteCSV": {func(w io.Writer, tr *fwopt.Trace) { fwkeep.WriteCSV(w, tr) }, &bytes.Buffer{},
			&fwopt.Trace{}},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}
