package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A run removes what a driver that was killed has left, and nothing else.
func TestClean(t *testing.T) {
	dir, _ := small(t, 3000)
	dead := exec.Command("true")
	ok(t, dead.Run())
	gone := func(name string) string { // the name that the dead process would have taken
		return strings.Replace(name, "-"+strconv.Itoa(os.Getpid())+"-", "-"+strconv.Itoa(dead.Process.Pid)+
			"-", 1)
	}
	j := newJob(t, dir, problem{"svrf", "experiments", 1, "l1", 5, 1, 2})
	host, _ := os.Hostname()
	left := gone(own("run"))
	stay := []string{own("run"), strings.Replace(gone(own("run")), host, host+"-2", 1),
		strings.Replace(gone(own("run")), host, "other", 1), gone(own("shards")), "run-" + host}
	for _, name := range append([]string{left}, stay...) {
		ok(t, os.MkdirAll(filepath.Join(j.work, name, "pass-000001"), 0o777))
	}
	j.mustRun(t)
	entries := must(os.ReadDir(j.work))
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if slices.Sort(stay); !slices.Equal(have, stay) {
		t.Errorf("there is %v, want %v", have, stay)
	}
}
