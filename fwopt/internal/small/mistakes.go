package small

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
)

// Mistakes calls a function or a method expression with each of its arguments in turn as a
// mistake would have it: nil, empty, of nils, the zero value, NaN, an infinity, 0, −1. It
// returns the calls that are answered otherwise than by a result or by a panic that begins
// with the name of a package of ours, as in the words of the runtime.
func Mistakes(f any, args ...any) (bad []string) {
	fn := reflect.ValueOf(f)
	good := make([]reflect.Value, len(args))
	for i, a := range args {
		good[i] = reflect.ValueOf(a)
		if t := parameter(fn.Type(), i); a == nil {
			good[i] = reflect.Zero(t)
		} else {
			good[i] = good[i].Convert(t)
		}
	}
	if said := Panics(func() { fn.Call(good) }); said != "" {
		bad = append(bad, "as it should be: "+said)
	}
	for i := range good {
		for _, m := range mistakes(parameter(fn.Type(), i), good[i]) {
			call := append([]reflect.Value{}, good...)
			call[i] = m
			if said := Panics(func() { fn.Call(call) }); said != "" &&
				(!ours.MatchString(said) || strings.Contains(said, "runtime error")) {
				bad = append(bad, fmt.Sprintf("argument %d = %#v: %.200s", i+1, m, said))
			}
		}
	}
	return bad
}

var ours = regexp.MustCompile(`^fw[a-z]+: `)

func parameter(t reflect.Type, i int) reflect.Type {
	if n := t.NumIn(); t.IsVariadic() && i >= n-1 {
		return t.In(n - 1).Elem()
	}
	return t.In(i)
}

func mistakes(t reflect.Type, good reflect.Value) (all []reflect.Value) {
	all = append(all, reflect.Zero(t))
	add := func(x any) { all = append(all, reflect.ValueOf(x).Convert(t)) }
	switch t.Kind() {
	case reflect.Float64:
		for _, x := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
			add(x)
		}
	case reflect.Int:
		add(-1)
	case reflect.Slice:
		all = append(all, reflect.MakeSlice(t, 0, 0), reflect.MakeSlice(t, 1, 1))
		if good.Len() > 1 {
			all = append(all, good.Slice(0, good.Len()-1))
		}
		if good.Len() > 0 { // the first by itself
			for _, m := range mistakes(t.Elem(), good.Index(0)) {
				x := reflect.MakeSlice(t, good.Len(), good.Len())
				reflect.Copy(x, good)
				x.Index(0).Set(m)
				all = append(all, x)
			}
		}
	case reflect.Interface:
		if good.IsValid() && good.Elem().Kind() == reflect.Pointer { // a nil pointer in it
			all = append(all, reflect.Zero(good.Elem().Type()))
		}
	case reflect.Pointer:
		if strings.Contains(t.Elem().PkgPath(), "/fwopt") {
			all = append(all, reflect.New(t.Elem()))
		}
	case reflect.Struct: // each field by itself
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			for _, m := range mistakes(t.Field(i).Type, good.Field(i)) {
				x := reflect.New(t).Elem()
				x.Set(good)
				x.Field(i).Set(m)
				all = append(all, x)
			}
		}
	}
	return all
}
