package fwtest

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// reporter is what the checks need of a *testing.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// A fault is what a check panics with where it finds one.
type fault string

// want ends the check with a fault, unless ok.
func want(ok bool, format string, args ...any) {
	if !ok {
		panic(fault(fmt.Sprintf(format, args...)))
	}
}

// caught returns the fault that the check finds, "" if none. Any other panic goes on.
func caught(check func()) (found string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			found = string(r)
		default:
			panic(r)
		}
	}()
	check()
	return ""
}

// report reports what each of the checks finds of x, and returns whether all find nothing.
func report(t reporter, x any, checks ...func()) (sound bool) {
	t.Helper()
	sound = true
	for _, check := range checks {
		if found := caught(check); found != "" {
			t.Errorf("%T: %s", x, found)
			sound = false
		}
	}
	return sound
}

// together calls check from four goroutines at once, 50 times each and for a while, so that
// short calls meet.
func together(check func(p, turn int)) {
	var wg sync.WaitGroup
	faults := make([]string, 4)
	began := time.Now()
	for p := range faults {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for turn := 0; faults[p] == "" && (turn < 50 || time.Since(began) < 30*time.Millisecond); turn++ {
				faults[p] = caught(func() { check(p, turn) })
			}
		}()
	}
	wg.Wait()
	for _, found := range faults {
		want(found == "", "%s", found)
	}
}

// nans returns d numbers that a method must overwrite.
func nans(d int) []float64 { return slices.Repeat([]float64{math.NaN()}, d) }

// whole wants that x, which was full of NaN, has finite numbers only.
func whole(x []float64, what, writer string) {
	j := slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if j >= 0 {
		want(false,
			"%s: coordinate %d is %g; dst was full of NaN, which %s must overwrite", what, j, x[j], writer)
	}
}

// kept returns a check that none of these vectors is written to from here on.
func kept(vectors ...[]float64) func(format string, args ...any) {
	var before [][]float64
	for _, x := range vectors {
		before = append(before, slices.Clone(x))
	}
	return func(format string, args ...any) {
		for i, x := range vectors {
			want(same(x, before[i]), format, args...)
		}
	}
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// show prints the beginning of a vector.
func show(x []float64) string {
	if len(x) > 6 {
		s := fmt.Sprintf("%.6g", x[:6])
		return s[:len(s)-1] + " …]"
	}
	return fmt.Sprintf("%.6g", x)
}
