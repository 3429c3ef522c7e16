// Command fwbeam runs the paper's methods over data that one machine does not hold, with
// one pass over its shards an epoch, on Apache Beam:
//
//	fwbeam shard --in news20.bz2 --out shards --rows 996
//	fwbeam run --shards shards --method svrf --steps 500
//	fwbeam sweep --shards shards --methods svrf,storc --scales 1,0.01 --seeds 5
//
// A pass brings back f and ∇f at the snapshot and the rows that the inner steps of the
// epoch will draw, for the draws do not depend on the iterate. See README.md for the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fwbeam:", err)
		stop()
		os.Exit(1)
	}
}

// command runs a command; flags alone are those of a worker that a runner starts.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		return work(args)
	}
	f := flag.CommandLine // for Beam's flags are there
	switch {
	case len(args) == 0:
	case args[0] == "shard":
		return cut(ctx, f, args[1:])
	case args[0] == "run":
		return runCommand(ctx, f, args[1:])
	case args[0] == "sweep":
		return sweepCommand(ctx, f, args[1:])
	case args[0] == "prism":
		return serve(ctx, f, args[1:])
	case args[0] == "pool":
		return pool(ctx, f, args[1:])
	}
	return errors.New("want a command: shard, run, sweep, prism or pool; --help after one lists its flags")
}
