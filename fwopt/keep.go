package fwopt

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"
)

// fileFormat is the version of traces and checkpoints. It goes up when the
// layout of a file changes, or the course of a run by more than rounding.
const fileFormat = 1

// Keep is Run that leaves files in the folder dir, so that the next program,
// such as the next cell of a notebook, finds the run again:
//
//   - a finished run is read from its file, if all that decides it is the same:
//     data, domain, method and schedules, w0, seed and budget;
//   - an interrupted run goes on where it stopped, to the same bits as a run
//     that was not interrupted; it is saved when it is interrupted and every 20
//     seconds before that;
//   - any other run is run; if it reaches its budget it is kept.
//
// A file is written under another name and then renamed, so it is whole at any
// instant, and two programs may use one folder. Schedules are known by their
// values at many k, f by a fingerprint of its data. Nobody can tell whether the
// code of a method, an objective or a domain from outside this package has
// changed: such a run is always run anew, and not kept.
//
// An error in writing never costs a trace: it is returned beside it. A file of
// this name that is damaged or of another format, or a checkpoint of another run
// or kernel, is an error and is left as it is; the trace is then nil.
func Keep(ctx context.Context, dir string, o *Oracle, m Method, w0 []float64, b Budget) (*Trace, error) {
	f, ok := o.F.(summary)
	if !ok || !ours(f) || !ours(m) || !ours(o.Omega) {
		return Run(ctx, o, m, w0, b), nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Run(ctx, o, m, w0, b), fmt.Errorf("fwopt: the run is not kept: %w", err)
	}
	r := newRun(o, m, w0, b)
	r.tr.Spec = r.spec(f)
	base := filepath.Join(dir, slug(fmt.Sprintf("%s-%s-seed%d-%08x", r.tr.Data, r.tr.Method, o.seed, uint32(mixString(r.tr.Spec)))))
	memo, ckpt := base+".trace", base+".ckpt"
	sweep(base)
	switch tr, err := LoadTrace(memo); {
	case err == nil && tr.Spec == r.tr.Spec:
		return tr, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := r.resume(ckpt); err != nil {
		return nil, err
	}
	var failed error
	r.persist = func() { failed = r.checkpoint(ckpt) }
	r.loop(ctx)
	if r.tr.Status == Done || r.tr.Status == Converged {
		if failed = saveTrace(memo, r.tr); failed == nil {
			os.Remove(ckpt) // of no more use; there may be none
		}
	}
	if failed != nil {
		failed = fmt.Errorf("fwopt: the run is not kept: %w", failed)
	}
	return r.tr, failed
}

// SaveTrace writes a trace to a file, whole or not at all.
func SaveTrace(path string, tr *Trace) error {
	err := saveTrace(path, tr)
	if err != nil {
		err = fmt.Errorf("fwopt: the trace is not saved: %w", err)
	}
	return err
}

func saveTrace(path string, tr *Trace) error {
	return writeFile(path, func(e *gob.Encoder) error {
		return errors.Join(e.Encode(fileFormat), e.Encode(tr))
	})
}

// LoadTrace reads a trace that SaveTrace or Keep wrote. The error says which
// file is damaged or of another version, and what to do; it is fs.ErrNotExist
// if there is none.
func LoadTrace(path string) (*Trace, error) {
	tr := new(Trace)
	err := readFile(path, func(d *gob.Decoder) error { return d.Decode(tr) })
	if err != nil {
		return nil, err
	}
	return tr, nil
}

// checkpoint is what Keep writes of an unfinished run, before the method itself.
type checkpoint struct {
	Spec, Kernel string
	Points       []Point
	Monitor      Calls
	Now          Point
	X            []float64
	Next         int
	Mark         marker
	Eye          Warm
}

func (r *run) checkpoint(path string) error {
	c := &checkpoint{r.tr.Spec, r.tr.Kernel, r.tr.Points, r.tr.Monitor, r.now, r.x, r.next, r.mark, r.eye}
	return writeFile(path, func(e *gob.Encoder) error {
		return errors.Join(e.Encode(fileFormat), e.Encode(c), e.Encode(r.m))
	})
}

// resume takes r to where the checkpoint was written, if there is one.
func (r *run) resume(path string) error {
	c := new(checkpoint)
	err := readFile(path, func(d *gob.Decoder) error {
		if err := d.Decode(c); err != nil {
			return err
		}
		switch {
		case c.Spec != r.tr.Spec:
			return errors.New("it is of another run")
		case c.Kernel != r.tr.Kernel:
			return fmt.Errorf("it was computed on %s and cannot go on to the same bits on %s", c.Kernel, r.tr.Kernel)
		}
		return d.Decode(r.m)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.tr.Points, r.tr.Monitor, r.now, r.x, r.next, r.eye = c.Points, c.Monitor, c.Now, c.X, c.Next, c.Eye
	return c.Mark.restore(r.o)
}

// writeFile writes path under another name and renames it.
func writeFile(path string, encode func(*gob.Encoder) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = errors.Join(encode(gob.NewEncoder(w)), w.Flush(), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// sweep removes what killed programs have left half written.
func sweep(base string) {
	old, _ := filepath.Glob(base + ".*.tmp")
	for _, p := range old {
		if s, err := os.Stat(p); err == nil && time.Since(s.ModTime()) > time.Hour {
			os.Remove(p)
		}
	}
}

func readFile(path string, decode func(*gob.Decoder) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("fwopt: %w", err)
	}
	defer f.Close()
	d := gob.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	var format int
	if err = d.Decode(&format); err == nil {
		if format != fileFormat {
			err = fmt.Errorf("it has format %d, this program reads %d", format, fileFormat)
		} else {
			err = decode(d)
		}
	}
	if err != nil {
		return fmt.Errorf("fwopt: %s cannot be used: %w; remove it to run anew", path, err)
	}
	return nil
}

// A summary is a sum of this package. It knows the fingerprint of its data.
type summary interface{ fingerprint() uint64 }

func (f *LeastSquares) fingerprint() uint64 { return mix(f.x.fingerprint(), f.b...) }
func (f *Quadratic) fingerprint() uint64    { return mix(mix(uint64(f.n), f.h...), f.c...) }
func (f *Logistic) fingerprint() uint64 {
	h := mix(f.x.fingerprint(), float64(f.h))
	for _, y := range f.y {
		h = mix(h, float64(y))
	}
	return h
}

func (a *Sparse) fingerprint() uint64 {
	h := mix(0, float64(a.N), float64(a.M))
	for i := range a.N {
		col, val := a.Row(i)
		h = mix(h, float64(len(col)))
		for k, j := range col {
			h = mix(h, float64(j), val[k])
		}
	}
	return h
}

// ours reports whether the code of a method or domain is part of this package.
func ours(x any) bool {
	t := reflect.TypeOf(x)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[Trace]().PkgPath()
}

// spec writes out all that decides the run but the kernel.
func (r *run) spec(f summary) string {
	b := r.b
	b.Watch = nil
	r.mark.set(r.o)
	return fmt.Sprintf("f %T %s n %d d %d %016x; Ω %T %016x; method %T %s; w0 %016x; seed %d, calls %+v, random %x; budget %+v",
		f, r.tr.Data, r.o.F.Len(), r.o.F.Dim(), f.fingerprint(), r.o.Omega, mixString(fmt.Sprintf("%+v", r.o.Omega)),
		r.m, schedules(r.m), mix(0, r.w0...), r.o.seed, r.now.Calls, r.mark.RNG, b)
}

// schedules writes out the fields of a fresh method, functions by their values.
func schedules(m Method) string {
	var s []string
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch field.Kind() {
		case reflect.Func:
			s = append(s, fmt.Sprintf("%s %016x", name, values(name, field)))
		case reflect.Slice: // state, still empty
		default:
			s = append(s, fmt.Sprintf("%s %v", name, field.Interface()))
		}
	}
	return strings.Join(s, " ")
}

// checkFresh panics if a method of this package has run already or lacks a
// schedule.
func checkFresh(m Method) {
	if !ours(m) {
		return
	}
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer {
		return
	}
	v = v.Elem()
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch {
		case field.Kind() == reflect.Slice && field.Len() > 0:
			panic(fmt.Sprintf("fwopt: this %s has run already; make a new one for a new run", v.Type().Name()))
		case field.Kind() == reflect.Func && field.IsNil() && v.Type() != reflect.TypeFor[FW]():
			panic(fmt.Sprintf("fwopt: %s.%s is nil", v.Type().Name(), name))
		}
	}
}

// values fingerprints a schedule, a function of one or two ints.
func values(name string, f reflect.Value) (h uint64) {
	if f.IsNil() {
		return 0
	}
	call := func(args ...int) {
		defer func() {
			if recover() != nil { // out of its range: a value like any other
				h = mix(h, -1)
			}
		}()
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			in[i] = reflect.ValueOf(a)
		}
		switch y := f.Call(in)[0]; y.Kind() {
		case reflect.Int:
			h = mix(h, float64(y.Int()))
		default:
			h = mix(h, y.Float())
		}
	}
	ks := []int{100, 128, 256, 512, 1000, 1024, 2048, 4096}
	for k := 1; k <= 64; k++ {
		ks = append(ks, k)
	}
	switch {
	case name == "N": // of t, and may double with t
		for t := 1; t <= 16; t++ {
			call(t)
		}
	case f.Type().NumIn() == 1:
		for _, k := range ks {
			call(k)
		}
	default:
		for t := 1; t <= 8; t++ {
			for _, k := range ks {
				call(t, k)
			}
		}
	}
	return h
}

// mix adds the bits of xs to the hash h.
func mix(h uint64, xs ...float64) uint64 {
	for _, x := range xs {
		h = (h ^ math.Float64bits(x)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}

func mixString(s string) (h uint64) {
	for _, c := range s {
		h = mix(h, float64(c))
	}
	return h
}

// slug makes s fit for a file name.
func slug(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '_':
			return c
		}
		return '-'
	}, s)
}
