package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options are the flags.
type options struct {
	file, target, leave, test, testTarget, rowWeights string
	weights, predictions                              string
	set, loss, scale, method                          string
	radius, delta, gap, seconds                       float64
	intercept                                         bool
	seed                                              uint64
}

// parse reads the flags, which may stand before and after the file.
func parse(args []string, out io.Writer) (*options, error) {
	o, f := &options{}, flag.NewFlagSet("fwlab fit", flag.ContinueOnError)
	f.StringVar(&o.target, "target", "",
		"the `column` to predict, by name or number from 1, the last one if not given; "+
			"or for a .npy file another one")
	f.StringVar(&o.leave, "leave", "", "columns to leave out, between commas, of the files that have them")
	f.StringVar(&o.rowWeights, "row-weights", "",
		"the `column` with how often a row counts in f, of a .csv by name")
	f.StringVar(&o.test, "test", "", "another `file` of the same columns, to count errors on")
	f.StringVar(&o.testTarget, "test-target", "",
		"the target of --test, where that is a .npy `file` of its own")
	f.StringVar(&o.weights, "weights", "", "write the weights to this .csv or .npy `file`")
	f.StringVar(&o.predictions, "predictions", "",
		"write what is predicted for the rows of --test, which may lack the target column, to this .csv or "+
			".npy `file`")
	f.StringVar(&o.set, "set", "l1",
		"where the weights lie: l1, l2, trace, balls of a norm; simplex; box; or completion, "+
			"matrices of a trace norm, for lines of a user, an item and a rating")
	f.Float64Var(&o.radius, "radius", 0, "of the ball; the sum on the simplex; the largest weight in the box")
	f.StringVar(&o.loss, "loss", "",
		"logistic, squared or huber; if not given, squared for a target of more than two "+
			"numbers")
	f.Float64Var(&o.delta, "delta", 1, "huber: the residual from which on it grows no faster")
	f.BoolVar(&o.intercept, "intercept", true,
		"a constant added to the weights, outside of the set; of ratings their mean")
	f.StringVar(&o.scale, "scale", "std",
		"the set holds weights of columns divided by their deviations: std; or as they "+
			"are: none")
	f.StringVar(&o.method, "method", "",
		"fista, storc (AdaptiveSTORC), blended (pairwise) or fw; if not given, by size "+
			"and set")
	f.Float64Var(&o.gap, "gap", 1e-4,
		"end where f is proven to be at most this share of the first f above the least")
	f.Float64Var(&o.seconds, "seconds", 600, "end after so many")
	f.Uint64Var(&o.seed, "seed", 1, "of all random numbers")
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	var files []string
	for len(args) > 0 || len(files) == 0 {
		err := f.Parse(args)
		if err == flag.ErrHelp {
			fmt.Fprint(out, help, "Flags:\n")
			f.SetOutput(out)
			f.PrintDefaults()
			return nil, err
		}
		if err != nil {
			return nil, usage("%v; fwlab fit --help has all flags", err)
		}
		if f.NArg() == 0 {
			break
		}
		files, args = append(files, f.Arg(0)), f.Args()[1:]
	}
	if len(files) != 1 {
		return nil, usage("%d files, want one to fit to; another one is for --test", len(files))
	}
	o.file = files[0]
	return o, o.check()
}

func (o *options) check() error {
	one := func(name, value string, of ...string) error {
		if slices.Contains(of, value) {
			return nil
		}
		return usage("--%s %q, want %s", name, value, strings.TrimSuffix(strings.Join(of, ", "), ", "))
	}
	for _, err := range []error{
		one("set", o.set, "l1", "l2", "trace", "simplex", "box", "completion"),
		one("loss", o.loss, "logistic", "squared", "huber", ""),
		one("scale", o.scale, "std", "none"),
		one("method", o.method, "fista", "storc", "blended", "fw", ""),
	} {
		if err != nil {
			return err
		}
	}
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	switch {
	case !positive(o.radius):
		return usage("--radius %g, want a positive number: how large the weights may be together; try 1, 10 and 100, "+
			"and take the one with the fewest errors on --test", o.radius)
	case !positive(o.delta) || !positive(o.gap) || !positive(o.seconds):
		return usage("--delta %g, --gap %g, --seconds %g, want positive numbers", o.delta, o.gap, o.seconds)
	case o.predictions != "" && o.test == "":
		return usage("--predictions without --test, whose rows would be predicted")
	}
	return o.outputs()
}

// outputs is an error unless the files to write are others than those to read, and can be written.
func (o *options) outputs() error {
	taken := [][2]string{{"the file to fit to", o.file}, {"the file of --test", o.test},
		{"the file of --target", o.target}, {"the file of --test-target", o.testTarget}}
	for _, out := range [][2]string{{"--weights", o.weights}, {"--predictions", o.predictions}} {
		flag, name := out[0], out[1]
		if name == "" {
			continue
		}
		if !strings.HasSuffix(name, ".csv") && !strings.HasSuffix(name, ".npy") {
			return usage("%q, want a name that ends in .csv or .npy", name)
		}
		for _, t := range taken {
			// Neither need be there yet.
			if same(name, t[1]) || filepath.Base(name) == filepath.Base(t[1]) &&
				same(filepath.Dir(name), filepath.Dir(t[1])) {
				return usage("%s %s is %s: give another name", flag, name, t[0])
			}
		}
		taken = append(taken, [2]string{"the file of " + flag, name})
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return fmt.Errorf("%s %s is a folder: name a file", flag, name)
		}
		dir := filepath.Dir(name)
		f, err := os.CreateTemp(dir, "fwlab")
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %s: no folder %s: make it", flag, name, dir)
		}
		if err != nil {
			return fmt.Errorf("%s %s: no file can be made in %s: %w", flag, name, dir, errors.Unwrap(err))
		}
		f.Close()
		os.Remove(f.Name())
	}
	return nil
}

// same tells whether two names are of one file or folder.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
