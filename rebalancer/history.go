package rebalancer

import (
	"cmp"
	"slices"
)

// Observation is what was measured of one superstep, or of one that stands for
// several like it.
type Observation struct {
	Step  int // number of the superstep
	Class int // the how-manieth superstep of its stage it is, from 0
	Count int // supersteps that it stands for, itself included
	// Overlap says that processes of a rank compute at the same time: their spans begin
	// together.
	Overlap bool
	// Processes are those that the observer answers for, all of them, by pid.
	Processes []Measure
}

// Measure is one process's part of a superstep.
type Measure struct {
	Pid      int
	Time     float64   // seconds of computing, on the rank where it ran
	Span     float64   // seconds that passed meanwhile, if others had the processor too; 0 means Time
	Comm     float64   // seconds of communication
	Load     float64   // what the program said of the load of this stage, in its own unit; 0 if nothing
	Received []Traffic // by sender; nil if the traffic of this superstep was not recorded
}

// Traffic is what came from one process.
type Traffic struct {
	Pid   int
	Bytes int64
}

// History is what is known of one process from what it has done. It moves with
// the process.
type History struct {
	Regularity  float64      // Pcomp
	Sets        []SetTraffic // Pcomm in Regularity; the rest starts anew after each call
	RecentWork  []float32    // work in the last supersteps, oldest first
	work        float64      // PI
	time        float64      // CTP
	sinceMove   int          // of RecentWork, how many were on the rank where it is
	seen        int          // supersteps since the last call
	withTraffic int          // of these, those whose traffic was recorded
	partners    []Traffic    // bytes since the last call
	loads       []float32    // told for the supersteps of RecentWork; nil if none ever was
}

// mostRecentWork is how many supersteps' work is kept of each of n processes.
func mostRecentWork(n int) int { return min(32, max(4, (1<<20)/max(1, n))) }

// aged is the recurrence of MigBSP: half of what was and half of what is, from
// the first superstep after a call on.
func aged(was, is float64, first bool) float64 {
	if first {
		return is
	}
	return was/2 + is/2
}

// regular moves a regularity by a step up if the value lies within the margin
// around the expected one, else down; it stays within 0 and 1.
func regular(regularity, value, expected, margin, step float64) float64 {
	if value >= expected*(1-margin) && value <= expected*(1+margin) {
		return min(1, regularity+step)
	}
	return max(0, regularity-step)
}

// compute takes in the work of a superstep.
func (h *History) compute(work, time float64, margin, step float64, phases int) {
	first := h.seen == 0
	h.work = aged(h.work, work, first)
	h.time = aged(h.time, time, first)
	h.Regularity = regular(h.Regularity, h.work, work, margin, step)
	h.seen++
	if len(h.RecentWork) >= phases {
		h.RecentWork = append(h.RecentWork[:0], h.RecentWork[len(h.RecentWork)-phases+1:]...)
	}
	h.RecentWork = append(h.RecentWork, float32(work))
	h.sinceMove = min(h.sinceMove+1, len(h.RecentWork))
}

// tell keeps the load that was told for the superstep whose work was taken in last. Of a
// program that says nothing there is nothing.
func (h *History) tell(load float64, phases int) {
	if h.loads == nil {
		if !(load > 0) {
			return
		}
		h.loads = make([]float32, len(h.RecentWork)-1, phases)
	}
	if len(h.loads) >= phases {
		h.loads = append(h.loads[:0], h.loads[len(h.loads)-phases+1:]...)
	}
	h.loads = append(h.loads, float32(load))
}

// rescaled multiplies the work that was measured on the present rank: the rank
// turned out to be so many times faster than was believed.
func rescaled(ring []float32, here int, factor float64) {
	for i := max(0, len(ring)-here); i < len(ring); i++ {
		ring[i] = float32(float64(ring[i]) * factor)
	}
}

// forget replaces the work measured on the present rank by the mean of what was
// measured before, if there is any: the rank was not what it was believed to be.
func (h *History) forget() {
	before := max(0, len(h.RecentWork)-h.sinceMove)
	if before == 0 {
		return
	}
	mean := 0.0
	for _, work := range h.RecentWork[:before] {
		mean += float64(work) / float64(before)
	}
	for i := before; i < len(h.RecentWork); i++ {
		h.RecentWork[i] = float32(mean)
	}
}

// set is the entry for a Set, made if there is none yet.
func (h *History) set(number int) *SetTraffic {
	for i := range h.Sets {
		if h.Sets[i].Set == number {
			return &h.Sets[i]
		}
	}
	h.Sets = append(h.Sets, SetTraffic{Set: number})
	return &h.Sets[len(h.Sets)-1]
}

// inflow is room for what came in a superstep, by Set. It is empty between uses.
type inflow struct {
	bytes, time []float64
	sets        []int // from which something came; one may be there again if that was nothing
}

func newInflow(sets int) inflow {
	return inflow{bytes: make([]float64, sets), time: make([]float64, sets)}
}

// communicate takes in what came in a superstep whose traffic was recorded. seconds
// and setOf give the time that a sender's bytes take and the Set it is in.
func (h *History) communicate(received []Traffic, in *inflow, setOf func(pid int) int, seconds func(t Traffic) float64, margin, step float64) {
	for _, t := range received {
		set := setOf(t.Pid)
		if in.bytes[set] == 0 && in.time[set] == 0 {
			in.sets = append(in.sets, set)
		}
		in.bytes[set] += float64(t.Bytes)
		in.time[set] += seconds(t)
		h.partner(t)
	}
	slices.Sort(in.sets)
	for _, set := range in.sets {
		if in.bytes[set] > 0 {
			h.set(set)
		}
	}
	first := h.withTraffic == 0
	for i := range h.Sets {
		s := &h.Sets[i]
		now := in.bytes[s.Set]
		s.Bytes = aged(s.Bytes, now, first)
		s.Time = aged(s.Time, in.time[s.Set], first)
		s.Regularity = regular(s.Regularity, s.Bytes, now, margin, step)
	}
	for _, set := range in.sets {
		in.bytes[set], in.time[set] = 0, 0
	}
	in.sets = in.sets[:0]
	h.withTraffic++
}

// mostPartners bounds the senders that are told apart.
const mostPartners = 64

func (h *History) partner(t Traffic) {
	least := 0
	for i := range h.partners {
		p := &h.partners[i]
		if p.Pid == t.Pid {
			p.Bytes += t.Bytes
			return
		}
		if p.Bytes < h.partners[least].Bytes {
			least = i
		}
	}
	switch {
	case len(h.partners) < mostPartners:
		h.partners = append(h.partners, t)
	case t.Bytes > h.partners[least].Bytes:
		h.partners[least] = t
	}
}

// Reports name the heaviest senders: fewPartners for each process, and as many more, up
// to all that are told apart, as make namedPartners of all processes. Where all talk to
// all, what is not named is missing from predictions.
const (
	fewPartners   = 8
	namedPartners = 4096
)

// heaviest are the senders of most bytes, per superstep, in a run of so many processes.
func (h *History) heaviest(procs int) []Traffic {
	sorted := slices.Clone(h.partners)
	slices.SortFunc(sorted, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Pid, b.Pid))
	})
	sorted = sorted[:min(len(sorted), max(fewPartners, namedPartners/procs))]
	for i := range sorted {
		sorted[i].Bytes /= int64(max(1, h.withTraffic))
	}
	return sorted
}

// restart begins the time after a call.
func (h *History) restart() {
	h.seen, h.withTraffic = 0, 0
	h.partners = h.partners[:0]
}
