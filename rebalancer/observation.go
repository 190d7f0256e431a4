package rebalancer

// Observation is what was measured of one superstep, or of one that stands for
// several like it.
type Observation struct {
	Step  int // number of the superstep
	Class int // the how-manieth superstep of its stage it is, from 0
	Count int // supersteps that it stands for, itself included
	// Processes are those that the observer answers for, all of them, by pid.
	Processes []Measure
}

// Measure is one process's part of a superstep.
type Measure struct {
	Pid      int
	Time     float64   // seconds of computing, on the rank where it ran
	Span     float64   // seconds that passed meanwhile, if others had the processor too; 0 means Time
	Comm     float64   // seconds of communication
	Received []Traffic // by sender; nil if this superstep was not listened to
}

// Traffic is what came from one process.
type Traffic struct {
	Pid   int
	Bytes int64
}

// Extent sums up how long the processes took that computed in a superstep.
type Extent struct {
	Steps    int // supersteps that it stands for
	Count    int // processes that computed
	Sum      float64
	Min, Max float64
}
