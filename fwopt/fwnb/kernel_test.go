//go:build unix

package fwnb

import (
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
)

// What arrives at the other end of GoNB's pipes: the test is the kernel, and
// the program of the cell is this test run again. Where there is no kernel it writes nothing.
func TestKernel(t *testing.T) {
	if os.Getenv("FWNB_CHILD") == "kernel" {
		p := newProgress("SVRF")
		now = func() time.Time { return time.Now().Add(time.Hour) }
		p.update(&fwopt.Trace{Points: []fwopt.Point{at(0), at(1)}}, at(1), 0.5)
		p.done()
		Figure{PNG: []byte{1, 2, 3}, SVG: []byte("<svg/>"), Width: 576, Height: 346, Alt: "alt"}.Show()
		Markdown("text")
		note("note")
		os.Exit(0) // at once: nothing may be lost
	}
	child := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKernel$")
		cmd.Env = append(os.Environ(), "FWNB_CHILD=kernel", protocol.GONB_PIPE_ENV+"=")
		return cmd
	}
	if out, err := child().CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("in a pipe: %v, %q", err, out)
	}
	got := displays(t, child(), 30*time.Second)
	if len(got) != 5 {
		t.Fatalf("%d displays", len(got))
	}
	id := got[0].DisplayID
	if id == "" || got[1].DisplayID != id || got[2].DisplayID != id || got[3].DisplayID != "" {
		t.Errorf("places %q, %q, %q, %q", id, got[1].DisplayID, got[2].DisplayID, got[3].DisplayID)
	}
	if w := got[2].Metadata["image/png"].(map[string]int)["width"]; w != 576 {
		t.Errorf("width %d", w)
	}
	if b := got[2].Data["image/png"].([]byte); len(b) != 3 {
		t.Errorf("PNG of %d bytes", len(b))
	}
}

// displays runs a cell's program with the test as its kernel, and returns what it shows.
func displays(t *testing.T, cmd *exec.Cmd, limit time.Duration) (got []*protocol.DisplayData) {
	t.Helper()
	dir := t.TempDir()
	there, back := filepath.Join(dir, "there"), filepath.Join(dir, "back")
	for _, f := range []string{there, back} {
		if err := syscall.Mkfifo(f, 0o600); err != nil {
			t.Skip(err)
		}
	}
	cmd.Env = append(cmd.Environ(), protocol.GONB_PIPE_ENV+"="+there, protocol.GONB_PIPE_BACK_ENV+"="+back)
	cmd.Stderr = os.Stderr
	ok(t, cmd.Start())
	stop := time.AfterFunc(limit, func() { cmd.Process.Kill() })
	defer stop.Stop()
	in := must(os.Open(there))
	defer in.Close()
	out := must(os.OpenFile(back, os.O_WRONLY, 0))
	defer out.Close()
	for dec, enc := gob.NewDecoder(in), gob.NewEncoder(out); ; {
		d := new(protocol.DisplayData)
		if dec.Decode(d) != nil {
			break // the program has ended
		}
		if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			if err := enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress,
				Value: v.Value}); err != nil {
				t.Error(err)
			}
			continue
		}
		got = append(got, d)
	}
	ok(t, cmd.Wait())
	return got
}

// TestPageWithoutData: a run of notebooks/roads on a machine without its networks shows what was committed above what
// is generated, in each cell that shows either. The program is made of the cells as GoNB makes it.
func TestPageWithoutData(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program, and races on three grids")
	}
	var top, runs strings.Builder
	var want []string
	cells := readPage(t, notebooks+"roads.ipynb")
	for _, c := range cells {
		source := strings.Join(c.Source, "")
		if c.Type != "code" {
			continue
		}
		decls, run, _ := strings.Cut("\n"+source, "\n%%\n")
		for _, l := range strings.SplitAfter(decls, "\n") {
			if !strings.HasPrefix(l, "%") {
				top.WriteString(l)
			}
		}
		if name := call.FindStringSubmatch(source); name != nil {
			want = append(want, name[1])
			fmt.Fprintf(&runs, "func() {\n%s\n}()\n", run)
		}
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "page")
	text := fmt.Sprintf("package main\n%s\nfunc main() {\n%s}\n", top.String(), runs.String())
	ok(t, os.WriteFile(bin+".go", []byte(text), 0o600))
	if out, err := exec.Command("go", "build", "-o", bin, bin+".go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin)
	cmd.Dir = notebooks
	cmd.Env = append(os.Environ(), "FWLAB_DATA=", "FWLAB_BUDGET=short", "HOME="+dir, "XDG_CACHE_HOME="+dir)
	var shown []string // of each cell in turn
	for _, d := range displays(t, cmd, 5*time.Minute) {
		text, _ := d.Data["text/markdown"].(string)
		svg, _ := d.Data["image/svg+xml"].(string)
		if text == "**As committed, with the data:**" {
			shown = append(shown, "")
		}
		if len(shown) == 0 {
			t.Fatalf("%.80q is above what was committed", text+svg)
		}
		shown[len(shown)-1] += text + svg + "\n"
	}
	if len(shown) != len(want) || len(want) < 8 {
		t.Fatalf("%d cells show what was committed, want %d", len(shown), len(want))
	}
	for i, name := range want {
		committed, generated, ok := strings.Cut(shown[i], "**Not on this machine: ")
		if !ok || !strings.Contains(generated, " All else in this cell is generated") {
			t.Errorf("%s: no word of what is generated", name)
		}
		for _, kind := range []string{".svg", ".md"} {
			if b, err := os.ReadFile(notebooks + "committed/" + name + kind); err == nil &&
				!strings.Contains(committed, string(b)) {
				t.Errorf("%s%s is not shown", name, kind)
			}
		}
		if name != "roads/sizes" && strings.Count(generated, "(generated)") == 0 { // that one prints
			t.Errorf("%s: nothing generated below: %.200q", name, generated)
		}
	}
}
