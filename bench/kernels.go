package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// A line of a kernel's own benchmark, as
// BenchmarkReads/MulVec/1000x20-2  100  9000 ns/op  17.8 GB/s
var benchLine = regexp.MustCompile(`^Benchmark(?:Products|Reads)/(\S+?)(?:-\d+)?\s.*?([\d.]+) ns/op.*?([\d.]+) (GFLOP/s|GB/s)`)

// ownKernels runs the benchmarks of the dense kernels, which only tests can reach, and
// holds them against the rate of FMA, or of reading a matrix of that size.
func (b *bench) ownKernels(peak float64) (all []mark, err error) {
	time := "20ms"
	if b.quick {
		time = "1x"
	}
	out, err := exec.Command("go", "test", "./fwopt/internal/kern", "-run", "^$", "-bench", "^Benchmark(Products|Reads)$", "-benchtime", time, "-cpu", "1").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("the kernels' benchmarks: %w\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		f := benchLine.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		ns, _ := strconv.ParseFloat(f[2], 64)
		rate, _ := strconv.ParseFloat(f[3], 64)
		if m := (mark{kind: "kernel", name: strings.Replace(f[1], "/", " ", 1), unit: "of bound", seconds: 1e-9 * ns}); f[4] == "GB/s" {
			var rows, cols int
			if _, err := fmt.Sscanf(f[1][strings.Index(f[1], "/")+1:], "%dx%d", &rows, &cols); err != nil {
				return nil, fmt.Errorf("a benchmark of no shape: %s", line)
			}
			m.size, m.bound = 8*rows*cols, "memory"
			m.rate = 1e9 * rate / b.readRate(m.size)
			all = append(all, m)
		} else {
			m.rate, m.bound = 1e9*rate/peak, "FMA"
			all = append(all, m)
		}
	}
	return all, nil
}
