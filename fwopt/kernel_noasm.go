//go:build amd64 && (noasm || safe)

package fwopt

const assembler = "+noasm" // gonum adds up in another order
