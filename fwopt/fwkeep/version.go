package fwkeep

import "github.com/projection-free/fwlab/fwopt"

// codeVersion is a variable for the tests.
var codeVersion = fwopt.Version
