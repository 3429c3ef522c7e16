// Package fwopt holds the algorithms of "Variance-Reduced and Projection-Free
// Stochastic Optimization" (Elad Hazan and Haipeng Luo, ICML 2016), which solve
//
//	min_{w∈Ω} f(w) = (1/n) Σ f_i(w)
//
// over a compact convex set Ω that is cheap to optimise a linear function over,
// with the methods that the paper compares them with. "The paper" is that paper.
//
// Four nouns make up the package:
//
//   - a [FiniteSum] is f and a [Domain] is Ω: one's own takes about ten lines;
//   - an [Oracle] gives a method access to both, draws its samples and counts
//     its calls: exact gradients, stochastic gradients, linear optimisations,
//     projections ([Calls]);
//   - a [Method] is an algorithm of the paper, line by line, one in a file;
//   - [Run] runs a method within a [Budget] and returns a [Trace]; [Keep] does so
//     across programs, with files, for parts that say what decides them
//     ([Identified]).
//
// The methods and where they stand:
//
//	FW     Section 2.2, Eq. (3)       FWOpenLoop, FWSafe, FWLineSearch
//	SFW    Appendix B, Theorem 3      SFWTheorem3, SFWExperiments
//	SCGS   Section 2.2; Lan & Zhou    SCGSConvex, SCGSExperiments
//	SVRF   Algorithm 1, Theorem 1     SVRFTheorem1, SVRFExperiments
//	STORC  Algorithm 2, Theorem 2     STORCTheorem2a, 2b, 2c, STORCExperiments
//	       a theorem beyond it        STORCBeyond, STORCBeyondStrong
//	SGD    Section 5 (baseline)       SGDExperiments
//	SVRG   Section 5 (baseline)       SVRGExperiments
//	FISTA  not in the paper
//	AwayFW not in the paper           AwayFWSafe, AwayFWLineSearch
//
// The other rows of Table 2, which Section 5 does not run:
//
//	GarberHazan     Garber & Hazan    GarberHazanStronglyConvex
//	OnlineFW        Hazan & Kale      OnlineFWSmooth
//	OnlineFWLinear  Hazan & Kale      OnlineFWLipschitz
//	SCGSStrong      Lan & Zhou        SCGSStronglyConvex
//
// The sums, over the rows of a [Sparse] matrix but for the last:
//
//	Logistic           several classes, Section 2.1
//	NewBinaryLogistic  two, with targets in [0, 1]
//	LeastSquares
//	NewHuber           least squares that outliers hardly move
//	NewSmoothHinge     a support vector machine's
//	NewRowSum          with a loss of one's own, a type of three methods
//	Quadratic          in closed form
//
// The constructors named after a theorem have the parameters of its statement.
// Those named Experiments have what Section 5 gives, the sizes of batches and
// epochs, and for the rest what their comments say.
//
// Vectors are flat and of length d. The weights w ∈ R^{h×m} of multiclass
// problems are stored feature by feature: w[j*h+l] belongs to class l and
// feature j, both from 0.
//
// Nothing here draws, prints, or needs a notebook: see the packages fwplot for
// figures, fwnb for notebooks, fwdata for data, fwinst for problems in closed form
// and fwtest for conformance tests of one's own parts.
package fwopt
