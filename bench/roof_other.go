//go:build !amd64

package main

// The roofs are measured in assembly, of one kind of processor.
const roofs = false

func readSum(*float64, int) float64     { panic("bench: no roofs here") }
func scale(*float64, int, float64)      { panic("bench: no roofs here") }
func fmas(int)                          { panic("bench: no roofs here") }
func fmasWide(int)                      { panic("bench: no roofs here") }
func rowSum(*float64, int, *int32, int) { panic("bench: no roofs here") }
