//go:build !amd64 || !(noasm || safe)

package fwopt

const assembler = "" // gonum's, as it comes; it has some for amd64 only
