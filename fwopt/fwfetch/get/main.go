// Command get downloads sets of the registry into the user's cache, unless they
// are there, and prints their sizes, digests and files, or the terms of a network:
//
//	go run github.com/projection-free/fwlab/fwopt/fwfetch/get news20
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/fwfetch"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, "usage: get NAME…, where NAME is one of")
		for _, e := range datasets.Entries() {
			fmt.Fprint(os.Stderr, " ", e.Name)
		}
		for _, e := range datasets.Networks() {
			fmt.Fprint(os.Stderr, " ", e.Name)
		}
		fmt.Fprintln(os.Stderr)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed := false
	for _, name := range os.Args[1:] {
		if e, network := datasets.LookupNetwork(name); network {
			n, err := fwfetch.LoadNetwork(ctx, name)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				failed = true
				continue
			}
			fmt.Printf("%v\n  %s\n  %s\n", n, n.Source, e.Licence)
			continue
		}
		s, err := fwfetch.Load(ctx, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
			continue
		}
		fmt.Printf("%v\n  SHA-256 %s\n", s, s.Digest)
		if s.Source != "" {
			fmt.Printf("  %s\n", s.Source)
		}
		if e, _ := datasets.Lookup(name); e.SHA256 == "" {
			fmt.Println("  The registry has no digest of this file. This one is pinned: later loads must match it.")
		}
	}
	if failed {
		os.Exit(1)
	}
}
