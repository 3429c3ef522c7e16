package fwmin

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Settings are where to begin, when to end and whom to tell. The zero value, and nil, will do.
type Settings struct {
	InitX           []float64             // where to begin, in the set; nil: at a vertex
	Gap             float64               // the run ends as Success where F − min f is proven to be at most this; 0: 1e-9·(1+|F|)
	MajorIterations int                   // linear optimisations; 0: no limit
	Runtime         time.Duration         // 0: no limit
	Record          func(r *Result) error // if set, called in each major iteration; an error ends the run
}

// Status is why a run ended.
type Status int

// The ends of a run.
const (
	NotTerminated  Status = iota
	Success               // the Gap of the Settings is reached
	IterationLimit        // or RuntimeLimit: the Gap tells how near it is
	RuntimeLimit
	Rounding // hides what is left of the Gap
	Failure  // see the error
)

func (s Status) String() string {
	return [...]string{"NotTerminated", "Success", "IterationLimit", "RuntimeLimit", "Rounding", "Failure"}[s]
}

// Result is the best point, and what is proven of it.
type Result struct {
	X        []float64
	F        float64   // f(X)
	Gradient []float64 // ∇f(X)
	Gap      float64   // F − min f ≤ Gap, for a convex f with the gradient grad
	Status   Status

	MajorIterations, FuncEvaluations, GradEvaluations int
	Runtime                                           time.Duration
}

// Minimize minimises f, which must be convex and smooth, over omega. It calls grad, which writes ∇f(x), where it
// goes, and f once in a major iteration, which is a linear optimisation over omega. It needs no constant of f and
// no projection. All points are in omega, so that f need not be defined elsewhere; where f or its gradient is
// infinite at the rim of omega, give an InitX inside.
//
// The method is simplicial decomposition (von Hohenbalken, Mathematical Programming 13, 1977), in the lazy form of
// blended pairwise conditional gradients (Tsuji, Tanaka & Pokutta, ICML 2022): x is a mean of vertices S, and moves
// within their hull as long as that promises half of the last gap.
//
//	Initialize S = {x}.
//	for k = 1, 2, … do
//	    Compute v = argmin_{v∈Ω} ∇f(x)ᵀv and the gap G = ∇f(x)ᵀ(x − v).
//	    Set B = max{B, f(x) − G}, so that B ≤ min f ≤ f(x). Stop if f(x) − B is at most Settings.Gap.
//	    Move x by γ(v − x), γ ∈ [0, 1], to the least f; v enters S.
//	    while ∇f(x)ᵀ(u − s) ≥ G/2, with u = argmax_{u∈S} ∇f(x)ᵀu and s = argmin_{s∈S} ∇f(x)ᵀs, do
//	        Compute d = argmin ∇f(x)ᵀd + ½dᵀHd among the directions in the hull of S, where H ≈ ∇²f by BFGS;
//	        d = s − u where x has more than 500 coordinates.
//	        Move x by γd to the least f, as long as no weight is negative; drop from S what has weight 0.
//	    end while
//	end for
//
// γ is where the slope is 0, by the secant, to a hundredth of the slope at 0.
//
// An error comes with the result so far: where f or its gradient is not finite, where a linear programme fails,
// where Record asks for it, or where f is seen not to be convex, or grad not to be its gradient: a slope falls, f
// rises, or B is above f(x). Not every f that is not convex is seen. Minimize panics if a function or omega is
// nil, or if InitX has another length or is outside of omega, as far as omega has a Gauge.
func Minimize(f func(x []float64) float64, grad func(grad, x []float64), omega fwset.Domain,
	settings *Settings) (*Result, error) {
	if f == nil || grad == nil || ident.IsNil(omega) {
		panic(need.Line("fwmin: Minimize needs f, its gradient and a set, and one is nil"))
	}
	m := &run{f: f, nabla: grad, omega: omega, lower: math.Inf(-1), began: time.Now()}
	if settings != nil {
		m.Settings = *settings
	}
	if !(m.Gap >= 0) || m.MajorIterations < 0 || m.Runtime < 0 {
		panic(need.Linef("fwmin: Settings with a Gap of %g, %d MajorIterations and a Runtime of %v, want 0 or more",
			m.Gap, m.MajorIterations, m.Runtime))
	}
	d := omega.Dim()
	for _, x := range []*[]float64{&m.r.X, &m.g, &m.d, &m.y, &m.h, &m.t} {
		*x = make([]float64, d)
	}
	err := m.begin()
	for err == nil && m.r.Status == NotTerminated {
		err = m.step()
	}
	if m.r.Runtime = time.Since(m.began); err != nil {
		m.r.Status = Failure
	}
	return &m.r, err
}

// square is up to how many coordinates a matrix of second derivatives is kept.
const square = 500

// run is a run at work.
type run struct {
	Settings
	f     func(x []float64) float64
	nabla func(grad, x []float64)
	omega fwset.Domain
	r     Result
	began time.Time

	set   fwset.ActiveSet // x = Σ α_v v
	lower float64         // B
	size  float64         // of f and of gaps so far, which its rounding depends on
	least float64         // f(x) − B when it last fell by a hundredth
	at    int             // the major iteration of then
	v     fwset.Vertex
	warm  fwset.Warm
	g     []float64 // ∇f(x)
	d     []float64 // the direction
	y, h  []float64 // a point on the way, and ∇f there
	t     []float64
	bend  *mat.SymDense // H, like ∇²f; nil before the first step, and where there are more coordinates than square
}

// begin makes InitX the start, or a vertex.
func (m *run) begin() error {
	if m.InitX == nil {
		err := caught(func() { m.omega.Argmin(m.r.X, m.g) }) // some point of Ω
		if err == nil {
			m.grad(m.g, m.r.X)
			_, err = m.argmin()
		}
		if err == nil {
			m.v.Dense(m.r.X)
			m.set.Start(&m.v)
		}
		return err
	}
	need.Len("fwmin", len(m.r.X), m.InitX)
	if s, ok := m.omega.(fwset.Gauged); ok && !(s.Gauge(m.InitX) <= 1+1e-9) {
		panic(need.Linef("fwmin: InitX is outside of the set, by a gauge of %.3g; give nil, or a point of the set",
			s.Gauge(m.InitX)))
	}
	copy(m.r.X, m.InitX)
	m.v.Pack(m.InitX)
	m.set.Start(&m.v)
	return nil
}

// caught returns as an error what a set panics with: a linear programme has failed.
func caught(call func()) error {
	if line := need.Caught(call); line != "" {
		return errors.New(string(line))
	}
	return nil
}

func (m *run) argmin() (slack float64, err error) {
	err = caught(func() { slack = fwset.Argmin(m.omega, &m.v, m.g, 0, &m.warm) })
	return slack, err
}

func (m *run) grad(dst, x []float64) {
	m.nabla(dst, x)
	m.r.GradEvaluations++
}

// step is a major iteration.
func (m *run) step() error {
	gap, err := m.certify()
	if err != nil {
		return err
	}
	tol := m.Settings.Gap
	if tol == 0 {
		tol = 1e-9 * (1 + math.Abs(m.r.F))
	}
	m.r.Gap, m.r.Gradient = m.r.F-m.lower, m.g
	if m.at == 0 || m.r.Gap < 0.99*m.least {
		m.least, m.at = m.r.Gap, m.r.MajorIterations
	}
	switch {
	case m.r.Gap <= tol:
		m.r.Status = Success
	case m.MajorIterations > 0 && m.r.MajorIterations >= m.MajorIterations:
		m.r.Status = IterationLimit
	case m.late():
		m.r.Status = RuntimeLimit
	case m.r.MajorIterations > m.at+200:
		m.r.Status = Rounding
	}
	if m.Record != nil {
		m.r.Runtime = time.Since(m.began)
		err = m.Record(&m.r)
	}
	if err != nil || m.r.Status != NotTerminated {
		return err
	}
	m.v.From(m.d, m.r.X)
	floats.Scale(-1, m.d) // v − x
	γ, err := m.search(1, 1)
	if err != nil {
		return err
	}
	m.set.Toward(m.r.X, &m.v, γ)
	m.moved(γ)
	moves, err := m.correct(gap / 2)
	if γ == 0 && moves == 0 {
		m.r.Status = Rounding
	}
	return err
}

func (m *run) late() bool { return m.Runtime > 0 && time.Since(m.began) >= m.Runtime }

// certify computes f(x), ∇f(x), v and the gap, and raises B.
func (m *run) certify() (gap float64, err error) {
	last := m.r.F
	f := m.f(m.r.X)
	m.grad(m.g, m.r.X)
	m.r.F, m.r.FuncEvaluations, m.r.MajorIterations = f, m.r.FuncEvaluations+1, m.r.MajorIterations+1
	if size := floats.Norm(m.g, 1); f-f != 0 || size-size != 0 {
		return 0,
			fmt.Errorf("fwmin: f is %g at %.4g, and its gradient %.4g: neither may be infinite or NaN; begin "+
				"at an InitX inside of the set, or take a smaller set", f, m.r.X, m.g)
	}
	slack, err := m.argmin()
	if err != nil {
		return 0, err
	}
	gap, far2 := m.v.Gap(m.g, m.r.X) // ∇f(x)ᵀ(x − v)
	far := math.Sqrt(far2*float64(len(m.g))) + 2*floats.Norm(m.r.X, 2)
	noise := 0x1p-52 * (floats.Norm(m.g, 2)*far + 4*math.Abs(f))
	m.lower = max(m.lower, f-gap-slack-noise)
	m.size = max(m.size, math.Abs(f), math.Abs(gap))
	if m.r.MajorIterations > 1 && max(m.lower, f-last+f) > f+1e-9*m.size {
		return 0,
			fmt.Errorf("fwmin: f(x) = %.10g, after %.10g, and min f is at least %.10g by a gradient: f is not "+
				"convex, or grad not its gradient; hold grad against gonum's fd.Gradient", f, last, m.lower)
	}
	return gap, nil
}
