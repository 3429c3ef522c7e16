//go:build !js

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const module = "github.com/projection-free/fwlab"

func goTool() string { return cmp.Or(os.Getenv("GO"), "go") }

// studentBuilder has the module that the sheet's first cell names.
func studentBuilder(ctx context.Context) (*builder, error) {
	out, err := exec.CommandContext(ctx, goTool(), "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("where %s is, is not known here: run the first cell of the sheet: %w", module, err)
	}
	return newBuilder(strings.TrimSpace(string(out)))
}

// compile makes a program of the module in dir, and returns what the compiler says.
func compile(ctx context.Context, dir, bin string) (said string, err error) {
	cmd := exec.CommandContext(ctx, goTool(), "build", "-o", bin, "-ldflags=-s -w", "-gcflags=-e -C", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false -mod=mod", "GOPROXY=off",
		"GOTOOLCHAIN=local", "GOTMPDIR="+filepath.Dir(dir), "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	alone(cmd)
	cmd.WaitDelay = time.Second
	if err = cmd.Start(); err == nil {
		limitBuild(cmd.Process.Pid)
		err = cmd.Wait()
	}
	return text.String(), err
}
