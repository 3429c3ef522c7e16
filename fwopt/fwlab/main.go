// Command fwlab fits the weights of a linear predictor over a convex set to a file of rows, with a proof of how
// near it is to the best ones:
//
//	go run github.com/projection-free/fwlab/fwopt/fwlab fit --radius 10 --target price --test new.csv houses.csv
//
// fwlab fit --help lists the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

const help = `fwlab fit finds weights of a linear predictor within a set, and proves how near they are to the best.

	fwlab fit --target price --radius 10 --test new.csv --weights w.csv --predictions p.csv houses.csv

Files: .csv and .tsv, with or without a heading, and .npy, a matrix of numbers; any other name is LIBSVM
text. All but .npy may be packed by gzip or bzip2. The exit status is 0 where the gap is reached, 1 for what
cannot be read, computed or written, 2 for wrong flags, and 3 where the time or an interrupt came first: what
there is by then is written, with its gap. go run turns all but 0 into 1:
"go build -o fwlab ./fwopt/fwlab" gives a command whose exit status tells failures apart.

`

// errEarly ends a fit that has not reached its gap.
var errEarly = errors.New("the gap is not reached: give more --seconds, or take a larger --gap")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var progress io.Writer
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 { // a terminal
		progress = os.Stderr
	}
	err := command(ctx, os.Args[1:], os.Stdout, progress)
	stop()
	if err != nil && err != flag.ErrHelp {
		fmt.Fprintln(os.Stderr, "fwlab:", err)
	}
	os.Exit(status(err))
}

func status(err error) int {
	var usage usageError
	switch {
	case err == nil || err == flag.ErrHelp:
		return 0
	case errors.As(err, &usage):
		return 2
	case errors.Is(err, errEarly):
		return 3
	}
	return 1
}

// usageError is a wrong command line.
type usageError struct{ error }

func usage(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// command runs a command. What the library panics with is an error here: it is about the data or a flag.
func command(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	if len(args) == 0 || args[0] != "fit" {
		if len(args) > 0 && (args[0] == "-h" || args[0] == "--help" || args[0] == "help") {
			fmt.Fprint(out, help)
			return flag.ErrHelp
		}
		return usage("want the command fit; fwlab fit --help has an example")
	}
	o, err := parse(args[1:], out)
	if err != nil {
		return err
	}
	if line := need.Caught(func() { err = o.fit(ctx, out, progress) }); line != "" {
		return errors.New(string(line))
	}
	return err
}
