package fwdata

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"
)

// A cache on a disk that is really full: a file system of 16 KiB. It needs root.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("fwdata", disk, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("cannot mount: ", err)
	}
	defer syscall.Unmount(disk, 0)
	// The binary file of this set is about 60 KB.
	s := TwinN("digits", 100, 1)
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	e, data, _ := tiny(t)
	e.Name, e.File, e.SHA256, e.MaxBytes = "full", "full.svm", sum(b.Bytes()), 1<<20
	write(t, filepath.Join(data, e.File), b.Bytes())
	got, err := load(e, data, disk)
	if err != nil || !same(got, s) {
		t.Fatalf("a full disk keeps the data from loading: %v", err)
	}
	if left := files(disk); left != "" {
		t.Errorf("left %s", left)
	}
	// With room there, it works: the disk was what failed.
	if err := syscall.Mount("fwdata", disk, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	if _, err := load(e, data, disk); err != nil {
		t.Fatal(err)
	}
	if left := files(disk); left != "full.bin" {
		t.Errorf("with room: %s", left)
	}
}
