package fwopt_test

import (
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Every built-in method keeps the contract that fwtest.TestMethod holds a reader's own methods
// against, and spends what it is registered with.
func TestMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("TestMomentum is enough")
	}
	for name, m := range small.Methods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, omega := small.Problem()
			fwtest.TestMethod(t, func() fwopt.Method { return small.Methods()[name] }, f, omega, small.Calls(m))
		})
	}
}

// So does a method of one's own.
func TestMomentum(t *testing.T) {
	fwtest.TestMethod(t, func() fwopt.Method { return newMomentum() }, nil, nil,
		func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 1, Linear: 1} })
}
