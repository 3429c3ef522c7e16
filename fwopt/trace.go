package fwopt

// Calls counts what the paper counts.
type Calls struct {
	Exact       int // exact gradients ∇f(w)
	Stochastic  int // stochastic gradients ∇f_i(w); a variance-reduced sample costs two
	Linear      int // linear optimisations over Ω, those of inner loops included
	Projections int // projections onto Ω
}

// Point is what was recorded after a step. Seconds exclude the recording.
type Point struct {
	Step, T, K int     // steps since w_0; the method's own t and k
	Calls      Calls   // spent so far
	Seconds    float64 // inside the method so far
	F          float64 // f(x)
	Gap, Slack float64 // duality gap and by how much it may be off; NaN if not recorded
}

// Status says why a run ended.
type Status int

// Trace is the record of one run.
type Trace struct {
	Method  string // the method's name, as "SVRF"
	Data    string // the data's name, as "news20" or "news20 (generated)"
	Spec    string // all that decides the run, in words and fingerprints
	Kernel  string // the architecture and arithmetic that decide the bits
	Seed    uint64
	Status  Status
	Points  []Point   // the first is w_0
	Monitor Calls     // spent on recording, in no other account
	W       []float64 // the last iterate
}
