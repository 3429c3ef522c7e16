// Package fwmore holds methods that the paper does not run: the other rows of its
// Table 2, what one would use today where exact gradients are cheap, and STORC with
// other parameters than the paper's, or with none. They are made of the exported parts
// of package fwopt alone, as one's own are.
//
//	GarberHazan     Garber & Hazan 2013         GarberHazanStronglyConvex
//	OnlineFW        Hazan & Kale 2012           OnlineFWSmooth
//	OnlineFWLinear  Hazan & Kale 2012           OnlineFWLipschitz
//	AwayFW          Lacoste-Julien & Jaggi 2015 with a Rule, as fwopt.LineSearch
//	PairwiseFW      the same                    with a Rule
//	BlendedPairwise Tsuji, Tanaka, Pokutta 2022 with a Rule
//	ConjugateFW     Mitradjieva & Lindberg 2013, with second derivatives
//	BiconjugateFW   the same
//	FISTA           Beck & Teboulle 2009, with projections
//	AdaptiveSTORC   without constants           NewAdaptiveSTORC
//	fwopt.STORC     a theorem beyond the paper  STORCBeyond, STORCBeyondStrong
//
// Backtracking is a step without L for those of them that take a rule, and for fwopt.FW.
package fwmore
