package fwdata

import (
	"os"
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
	data := t.TempDir()
	path := filepath.Join(data, "full.svm")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	e := tiny()
	e.Name, e.File, e.SHA256, e.MaxBytes = "full", "full.svm", sum(b), 1<<20
	got, err := load(e, data, disk)
	if err != nil || !same(got, s) {
		t.Fatalf("a full disk keeps the data from loading: %v", err)
	}
	if files, _ := os.ReadDir(disk); len(files) > 0 {
		t.Errorf("left %v", files)
	}
	// With room there, it works: the disk was what failed.
	if err := syscall.Mount("fwdata", disk, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	if _, err := load(e, data, disk); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(disk); len(files) != 1 {
		t.Errorf("with room: %v", files)
	}
}
