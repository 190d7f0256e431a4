package second

import "github.com/migbsp/migbsp/sim"

// load implements sim.Workload.
type load struct {
	procs   int
	classes []class
	work    [][]float64 // operations by stage and process
	talk    [][]link    // by era of the run
	bytes   float64     // of a message of weight 1
	state   []float64
	growth  float64 // part by which state grows until the end
}

// class is one superstep of each stage.
type class struct {
	site   string
	part   float64 // of the stage's work
	talks  bool
	reduce bool // all processes send a word to process 0
}

// link is a message of each stage.
type link struct {
	from, to int32
	weight   float64
}

// Processes implements sim.Workload, as do the other exported methods.
func (l *load) Processes() int        { return l.procs }
func (l *load) Steps() int            { return len(l.work) * len(l.classes) }
func (l *load) State(pid int) float64 { return l.state[pid] }

func (l *load) Fill(step int, s *sim.Step) error {
	stage, c := step/len(l.classes), l.classes[step%len(l.classes)]
	s.Site = c.site
	for pid, w := range l.work[stage] {
		s.Work[pid] = c.part * w
	}
	if c.talks {
		for _, m := range l.talk[stage*len(l.talk)/len(l.work)] {
			s.Messages = append(s.Messages, sim.Message{From: m.from, To: m.to, Bytes: l.bytes * m.weight})
		}
	}
	if c.reduce {
		for pid := 1; pid < l.procs; pid++ {
			s.Messages = append(s.Messages, sim.Message{From: int32(pid), To: 0, Bytes: 8})
		}
	}
	if l.growth > 0 {
		part := 1 + l.growth*float64(stage)/float64(len(l.work))
		s.State = make([]float64, l.procs)
		for pid := range s.State {
			s.State[pid] = part * l.state[pid]
		}
	}
	return nil
}

// seconds returns the duration of the work if it were distributed evenly.
func (l *load) seconds(m *machine) float64 {
	sum := 0.0
	for _, row := range l.work {
		for _, w := range row {
			sum += w
		}
	}
	return sum / m.speed()
}
