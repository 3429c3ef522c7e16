package fwtest

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// resume interrupts the run after each second step, those of even and those of odd
// number, and with ever more steps between.
func (c *methodCheck) resume() {
	var stops [3][]int
	for k := 2; k < methodSteps; k++ { // Keep saves no run before it has seen two steps of it
		stops[k%2] = append(stops[k%2], k)
	}
	for k, gap := 2, 3; k < methodSteps; k, gap = k+gap, gap+1 {
		stops[2] = append(stops[2], k)
	}
	for i := range stops {
		at := 0
		for _, stop := range append(stops[i], methodSteps) {
			tr, first, fault := c.keep(i, c.fresh(), stop)
			want(fault == "", "Keep, after step %d: %s", at, fault)
			want(first == at+1, "Keep does not find the run that it has saved after step %d; "+
				"two fresh methods must say the same in Identify", at)
			fault = otherRun(tr, &fwopt.Trace{Points: c.trace.Points[:stop+1], W: c.steps0[stop].x})
			want(fault == "", "Keep: saved after step %d, the run goes on to other bits: %s", at, fault)
			at = stop
		}
	}
	_, first, fault := c.keep(2, c.fresh(), 0)
	want(fault == "" && first == 0,
		"Keep does not find a finished run; two fresh methods must say the same in Identify %s", fault)
}

// keep runs m within a folder up to step stop. The first step that was made is first, 0 if none was.
func (c *methodCheck) keep(folder int, m fwopt.Method, stop int) (tr *fwopt.Trace, first int, fault string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := c.budget()
	b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if first == 0 {
			first = now.Step
		}
		if now.Step == stop {
			cancel()
		}
	}
	dir := filepath.Join(c.dir, fmt.Sprint(folder))
	tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(c.f, c.omega, methodSeed), m, b)
	if err != nil {
		return nil, first, err.Error()
	}
	return tr, first, strings.TrimSuffix(tr.Note, tr.Remarks())
}

// identity changes each exported number and schedule in turn, and looks whether Keep
// takes the run, where it is another one, for the one that resume has left.
func (c *methodCheck) identity() {
	t := reflect.TypeOf(c.fresh()).Elem() // Keep takes nothing but a pointer to a struct
	for i := range t.NumField() {
		at, last := "", "" // arguments of a schedule
		other := func() fwopt.Method {
			m := c.fresh()
			vary(reflect.ValueOf(m).Elem().Field(i), at, &last)
			return m
		}
		for range 2 { // all values of a schedule, then that of the last call alone
			run := c.try(other())
			used := last
			if run != nil && otherRun(run, c.trace) != "" {
				got, _, fault := c.keep(2, other(), 0)
				if fault == "" {
					fault = otherRun(got, run)
				}
				want(fault == "",
					"Identify does not say all of the field %s: with another value%s Keep finds the run "+
						"of the old one: %s", t.Field(i).Name, at, fault)
			}
			if at = used; at == "" {
				break
			}
		}
	}
}

// try is run; nil if m panics, as it may with a number that it cannot take.
func (c *methodCheck) try(m fwopt.Method) (tr *fwopt.Trace) {
	caught(func() { unbroken(func() { tr = c.run(m, nil, c.budget()) }) })
	return tr
}

// vary changes a number, or what a schedule returns for the arguments at, "" for
// all; last is set to the arguments of each call. What is zero is state, or not used.
func vary(field reflect.Value, at string, last *string) {
	if !field.CanSet() || field.IsZero() {
		return
	}
	if field.Kind() != reflect.Func {
		change(field)
		return
	}
	if t := field.Type(); t.NumOut() != 1 || t.IsVariadic() {
		return
	}
	old := reflect.ValueOf(field.Interface())
	field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
		out := old.Call(args)
		*last = " at"
		for _, x := range args {
			*last += fmt.Sprintf(" %v", x)
		}
		if at == "" || at == *last {
			v := reflect.New(out[0].Type()).Elem()
			v.Set(out[0])
			change(v)
			out[0] = v
		}
		return out
	}))
}

func change(v reflect.Value) {
	switch {
	case v.CanFloat():
		v.SetFloat(v.Float() / 2)
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	}
}
