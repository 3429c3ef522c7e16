//go:build unix

package fwnb

import (
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/fwopt"
)

// What arrives at the other end of GoNB's pipes: the test is the kernel, and
// the program of the cell is this test run again.
func TestKernel(t *testing.T) {
	if os.Getenv("FWNB_CHILD") == "kernel" {
		p := NewProgress("SVRF")
		now = func() time.Time { return time.Now().Add(time.Hour) }
		p.Update(&fwopt.Trace{Points: []fwopt.Point{at(0), at(1)}}, at(1), 0.5)
		p.Done()
		Show(Figure{PNG: []byte{1, 2, 3}, SVG: []byte("<svg/>"), Width: 576, Height: 346, Alt: "alt"})
		Markdown("text")
		os.Exit(0) // at once: nothing may be lost
	}
	dir := t.TempDir()
	there, back := filepath.Join(dir, "there"), filepath.Join(dir, "back")
	for _, f := range []string{there, back} {
		if err := syscall.Mkfifo(f, 0o600); err != nil {
			t.Skip(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKernel$")
	cmd.Env = append(os.Environ(), "FWNB_CHILD=kernel", protocol.GONB_PIPE_ENV+"="+there, protocol.GONB_PIPE_BACK_ENV+"="+back)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer stop.Stop()
	in, err := os.Open(there)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(back, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var got []*protocol.DisplayData
	for dec, enc := gob.NewDecoder(in), gob.NewEncoder(out); ; {
		d := new(protocol.DisplayData)
		if dec.Decode(d) != nil {
			break // the program has ended
		}
		if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			if err := enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}); err != nil {
				t.Error(err)
			}
			continue
		}
		got = append(got, d)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 {
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
