// Package fwmore holds methods that the paper does not run: the other rows of its
// Table 2, what one would use today where exact gradients are cheap or samples are noisy,
// and STORC with other parameters than the paper's, or with none. They are made of the
// exported parts of package fwopt alone, as a reader's are. Each type names its source;
// Backtracking is a step without L for those that take a Rule, and for fwopt.FW.
package fwmore
