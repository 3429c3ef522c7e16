module github.com/projection-free/fwlab/bench/netlib

go 1.24.4

require (
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/netlib v0.0.0-20190313105609-8cb42192e0e0
)

require golang.org/x/exp v0.0.0-20250106191152-7588d65b2ba8 // indirect
