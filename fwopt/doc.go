// Package fwopt holds the algorithms of "Variance-Reduced and Projection-Free
// Stochastic Optimization" (Elad Hazan and Haipeng Luo, ICML 2016), which solve
//
//	min_{w∈Ω} f(w) = (1/n) Σ f_i(w)
//
// over a compact convex set Ω that is cheap to optimise a linear function over. "The
// paper" is that paper. Three nouns make up the package:
//
//   - an [Oracle] gives a method access to f, a [FiniteSum], and to Ω, a [Domain]; it
//     draws the samples and counts the calls: exact gradients, stochastic gradients,
//     linear optimisations, projections ([Calls]);
//   - a [Method] is an algorithm of the paper, line by line, one in a file;
//   - [Run] runs a method within a [Budget] and returns a [Trace].
//
// The digits by Algorithm 1, until the duality gap is small:
//
//	s, err := fwdata.Load("digits")
//	if err != nil {
//		log.Fatal(err)
//	}
//	f := s.UnitRows().Logistic()
//	omega := fwset.TraceNorm{H: s.H(), M: s.M(), Tau: 20}
//	o := fwopt.NewOracle(f, omega, 1)
//	b := fwopt.Budget{Seconds: 10, Tolerance: 0.01}
//	tr := fwopt.Run(ctx, o, fwopt.SVRFExperiments(), b)
//	fmt.Println(tr.Status, tr.Last().F, tr.Last().Calls) // converged 1.4708…
//
// The methods and where they stand; [fwmore] has those of other papers:
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
// The constructors named after a theorem have the parameters of its statement.
// Those named Experiments have what Section 5 gives, the sizes of batches and
// epochs, and for the rest what their comments say.
//
// Below stand the sets ([fwset]); above, the sums over data ([fwsum]), what the theorems
// promise (Constants), files ([fwkeep]) and conformance tests for one's own parts
// ([fwtest]). Nothing here draws, prints, reads a file, or needs a notebook.
//
// [fwmore]: https://pkg.go.dev/github.com/projection-free/fwlab/fwopt/fwmore
// [fwset]: https://pkg.go.dev/github.com/projection-free/fwlab/fwopt/fwset
// [fwsum]: https://pkg.go.dev/github.com/projection-free/fwlab/fwopt/fwsum
// [fwkeep]: https://pkg.go.dev/github.com/projection-free/fwlab/fwopt/fwkeep
// [fwtest]: https://pkg.go.dev/github.com/projection-free/fwlab/fwopt/fwtest
package fwopt
