package main

func readSum(x *float64, n int) float64
func scale(x *float64, n int, c float64)
func fmas(n int)
func fmasWide(n int)
func rowSum(w *float64, h int, idx *int32, n int)

const roofs = true
