package fwdata

import "github.com/projection-free/fwlab/fwopt/fwsum"

// Logistic returns the multiclass logistic loss of Section 2.1 on s, under the
// name of s. It keeps X and Y, which must not change any more.
func (s *Set) Logistic() *fwsum.Logistic {
	f := fwsum.NewLogistic(s.X, s.Y, s.H())
	f.Name = s.Name
	return f
}
