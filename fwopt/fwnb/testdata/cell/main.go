// The program of a cell that dies, for TestStack.
package main

import (
	"fmt"
	"os"

	"github.com/projection-free/fwlab/fwopt/fwrate"
)

func run(i int) float64 {
	fwrate.Above(1, 0) // ours
	return []float64{1, 2}[i]
}

func mine(i int) float64 { return []float64{1, 2}[i] } // the reader's

func main() {
	defer fmt.Println("deferred")
	two := 2
	switch os.Args[1] {
	case "ours":
		fmt.Println(run(two)) // ours, called
	case "goroutine":
		done := make(chan bool)
		go func() { run(two); done <- true }() // ours, called
		<-done
	case "seeds":
		fwrate.Seeds(3, func(seed uint64) float64 { return run(two) }) // ours, called
	case "mine":
		fmt.Println(mine(two)) // the reader's, called
	case "mine in seeds":
		fwrate.Seeds(3, func(seed uint64) float64 { return mine(two) }) // the reader's, called
	case "recovered":
		func() {
			defer func() { fmt.Println(recover()) }()
			run(two)
		}()
		fmt.Println(mine(two)) // the reader's, called
	case "on the way":
		defer run(two)
		fmt.Println(mine(two)) // the reader's, called
	case "again":
		defer func() { panic(recover()) }()
		run(two)
	}
}
