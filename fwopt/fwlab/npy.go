package main

import (
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// npy reads a matrix, whose target is a column of it, the last one if not given, or a file of its own.
func (r *rows) npy(name, target string, leave []string) error {
	x, err := readNPY(name)
	if err != nil {
		return err
	}
	var y []float64
	out := map[int]bool{}
	if strings.HasSuffix(target, ".npy") {
		t, err := readNPY(target)
		if err != nil {
			return err
		}
		if y = t.Val; len(y) != x.N {
			return usage("%s has %d numbers for the %d rows of %s", target, len(y), x.N, name)
		}
	} else {
		at, err := column(target, x.M)
		if err != nil {
			return err
		}
		out[at] = true
		for i := range x.N {
			y = append(y, x.Row(i)[at])
		}
	}
	for _, c := range leave {
		if j, err := column(c, x.M); err == nil {
			out[j] = true
		} else {
			r.lacks[c] = err
		}
	}
	d := &fwsum.Dense{N: x.N, M: x.M - len(out)}
	for k, v := range x.Val {
		if !out[k%x.M] {
			d.Val = append(d.Val, v)
		}
	}
	for j := range x.M {
		if !out[j] {
			r.columns = append(r.columns, strconv.Itoa(j+1))
		}
	}
	if d.M == 0 {
		return usage("%s has no column to predict from", name)
	}
	r.x, r.target = d, texts(y)
	return nil
}

func readNPY(name string) (*fwsum.Dense, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fwdata.ReadNPY(f, name)
}

// column returns the place of a column that is called by its number from 1, of the last one for "".
func column(name string, m int) (int, error) {
	j, err := strconv.Atoi(name)
	if name == "" {
		j, err = m, nil
	}
	if err != nil || j < 1 || j > m {
		return 0, usage("no column %q: a .npy file calls them 1 to %d", name, m)
	}
	return j - 1, nil
}
