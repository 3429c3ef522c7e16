package fwopt_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestRooms: solving, drawing, notebook display and downloading are apart, because what a package imports,
// also through others, is linked into every cell that uses it (a plot costs a cell 0.1 s, net/http 0.35 s).
func TestRooms(t *testing.T) {
	const fwlab = "github.com/projection-free/fwlab/"
	// May a package, named from fwlab on, stand on this import? Those not named here may not.
	heavy := []struct {
		path string
		may  []string
	}{
		{"gonum.org/v1/plot", []string{"fwopt/fwplot", "fwopt/fwnb"}},
		{fwlab + "fwopt/fwplot", []string{"fwopt/fwnb"}},
		{fwlab + "fwopt/fwnb", nil},
		{"github.com/janpfeifer/gonb", []string{"fwopt/fwnb"}},
		{"net/http", []string{"fwopt/fwfetch"}},
		{fwlab + "fwopt/fwfetch", []string{"fwopt/fwfetch"}},
	}

	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, fwlab+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		deps := strings.Fields(line)
		pkg := strings.TrimPrefix(deps[0], fwlab)
		seen[pkg] = true
		for _, h := range heavy {
			for _, d := range deps[1:] {
				if within(d, h.path) && !slices.ContainsFunc(h.may, func(may string) bool { return within(pkg, may) }) {
					t.Errorf("%s stands on %s", pkg, d)
				}
			}
		}
	}
	for _, pkg := range []string{"fwopt", "fwopt/fwinst", "fwopt/fwrate", "fwopt/fwdata", "fwopt/fwfetch", "fwopt/fwplot", "fwopt/fwnb"} {
		if !seen[pkg] {
			t.Errorf("no package %s: this test must follow a new name", pkg)
		}
	}
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}
