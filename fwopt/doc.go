// Package fwopt holds the algorithms of "Variance-Reduced and Projection-Free
// Stochastic Optimization" (Elad Hazan and Haipeng Luo, ICML 2016). They solve
//
//	min_{w∈Ω} f(w) = (1/n) Σ f_i(w)
//
// over a compact convex set Ω on which linear functions are cheap to minimise. "The paper" is that paper.
//
//   - An [Oracle] gives a method access to f, a [FiniteSum], and to Ω, a [Domain]; it draws the samples and
//     counts the calls: exact and stochastic gradients, linear optimisations, projections ([Calls]).
//   - A [Method] is an algorithm of the paper, line by line, one in a file.
//   - [Run] runs a method within a [Budget] and returns a [Trace].
//
// The digits by Algorithm 1, until the duality gap is small:
//
//	f := digits.UnitRows().Logistic() // digits, err := fwdata.Load("digits")
//	omega := fwset.TraceNorm{H: digits.H(), M: digits.M(), Tau: 20}
//	o := fwopt.NewOracle(f, omega, 1)
//	b := fwopt.Budget{Seconds: 10, Tolerance: 0.01}
//	tr := fwopt.Run(ctx, o, fwopt.SVRFExperiments(), b)
//	fmt.Println(tr.Status, tr.Last().F, tr.Last().Calls) // converged 1.4708…
//
// The methods; fwmore has those of other papers:
//
//	FW     Section 2.2, Eq. (3)       with a Rule: OpenLoop, Short, LineSearch
//	SFW    Appendix B, Theorem 3      SFWTheorem3, SFWExperiments
//	SCGS   Section 2.2; Lan & Zhou    SCGSConvex, SCGSExperiments; SCGSStronglyConvex
//	SVRF   Algorithm 1, Theorem 1     SVRFTheorem1, SVRFExperiments
//	STORC  Algorithm 2, Theorem 2     STORCTheorem2a, 2b, 2c, STORCExperiments
//	       away steps in line 11      STORCAway
//	SGD    Section 5 (baseline)       SGDExperiments
//	SVRG   Section 5 (baseline)       SVRGExperiments
//
// Constructors named after a theorem take the parameters of its statement from [Constants]. Those named
// Experiments have the batches and epochs of Section 5, and otherwise what their comments state.
//
// Below are the sets (fwset); above, sums over data (fwsum), files (fwkeep) and conformance tests for
// parts of your own (fwtest). Nothing here draws, prints, reads a file, or needs a notebook.
package fwopt
