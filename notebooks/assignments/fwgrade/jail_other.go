//go:build !linux

package main

import (
	"os"
	"os/exec"
)

// A wall is nothing here.
type wall struct{ note string }

func walls() []wall {
	return []wall{{"not isolated, and without a limit on memory: solutions run as you do, and can read " +
		"your files: grade on Linux"}}
}

func enterJail() {}

func startBehind(cmd *exec.Cmd, _ wall, binary string, in, out *os.File) error {
	return startParent(cmd, binary, in, out, nil)
}

func startParent(cmd *exec.Cmd, binary string, in, out, verdict *os.File) error {
	cmd.Path, cmd.Err = binary, nil
	cmd.ExtraFiles = []*os.File{in, out, verdict}
	return cmd.Start()
}

func alone(*exec.Cmd) {}

func limitBuild(int) {}

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
