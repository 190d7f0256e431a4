package rebalancer

import (
	"cmp"
	"slices"
)

// Observation is the measurement of one superstep, or of one that represents several similar
// supersteps.
type Observation struct {
	Step  int // number of the superstep
	Class int // index of the superstep in its stage, from 0
	Count int // supersteps that it stands for, itself included
	// Seconds is how long it took, to the end of its barrier; 0 if that is not known.
	Seconds float64
	// Overlap reports whether the processes of a rank compute concurrently: their spans begin
	// together.
	Overlap bool
	// Processes are all processes of the observer, by pid.
	Processes []Measure
}

// Measure is one process's part of a superstep.
type Measure struct {
	Pid      int
	Time     float64   // seconds of computing, on the rank where it ran
	Span     float64   // seconds that passed meanwhile, if others had the processor too; 0 means Time
	Wait     float64   // the part of Time spent waiting for operations that take as long on any rank
	Comm     float64   // seconds of communication
	Load     float64   // declared load of this stage, in the program's unit; 0 if not declared
	Received []Traffic // by sender; nil if the traffic of this superstep was not recorded
}

// History is the measured history of one process. It moves with the process.
type History struct {
	Regularity  float64        // Pcomp
	Sets        []SetTraffic   // Pcomm in Regularity; the other fields are reset after each call
	RecentWork  []float32      // work in the last supersteps, oldest first
	classes     []classHistory // by class of superstep
	sinceMove   int            // of RecentWork, how many were on the rank where it is
	withTraffic int            // supersteps since the last call whose traffic was recorded
	partners    []Traffic      // bytes in the supersteps that withTraffic counts; if it is 0, in an earlier superstep
	loads       []float32      // declared loads for the supersteps of RecentWork; nil if none was ever declared
}

// classHistory is the history of a process in the supersteps of one class: the papers' PI, CTP and
// BTP. Each class has its own, because a stage may consist of a superstep with work and one without,
// and a common prediction would be wrong for both.
type classHistory struct {
	work, time  float64 // PI and CTP
	inflow      inflow  // BTP
	seen        int     // supersteps since the last call
	withTraffic int     // of these, those whose traffic was recorded
}

// classTraffic is the traffic a process receives from a Set in supersteps of one class.
type classTraffic struct {
	set         int
	bytes, time float64 // aged
}

// mostClasses is the maximum number of classes. Later supersteps of a stage share the last class.
const mostClasses = 16

// class returns the entry for a class. It adds missing entries.
func (h *History) class(number int) *classHistory {
	number = min(max(0, number), mostClasses-1)
	for len(h.classes) <= number {
		h.classes = append(h.classes, classHistory{})
	}
	return &h.classes[number]
}

// mean returns the mean of a figure of the classes, weighted by their supersteps since the last
// call; if no superstep has followed the call, all classes have the same weight.
func (h *History) mean(of func(c *classHistory) float64) float64 {
	if len(h.classes) == 1 {
		return of(&h.classes[0])
	}
	sum, count := 0.0, 0
	for i := range h.classes {
		sum, count = sum+of(&h.classes[i])*float64(h.classes[i].seen), count+h.classes[i].seen
	}
	if count > 0 {
		return sum / float64(count)
	}
	for i := range h.classes {
		sum += of(&h.classes[i]) / float64(len(h.classes))
	}
	return sum
}

func (h *History) work() float64 { return h.mean(func(c *classHistory) float64 { return c.work }) }
func (h *History) time() float64 { return h.mean(func(c *classHistory) float64 { return c.time }) }

// per returns the number of classes per class for which has is true, at least 1.
func (h *History) per(has func(c *classHistory) bool) float64 {
	n := 0
	for i := range h.classes {
		if has(&h.classes[i]) {
			n++
		}
	}
	return float64(len(h.classes)) / float64(max(1, n))
}

// cycle returns the number of supersteps from one with work to the next.
func (h *History) cycle() float64 {
	return h.per(func(c *classHistory) bool { return c.work > 0 })
}

// mostRecentWork is how many supersteps' work is kept of each of n processes.
func mostRecentWork(n int) int { return min(32, max(4, (1<<20)/max(1, n))) }

// aged is the recurrence of MigBSP: the mean of the old and the new value. The first superstep after
// a call sets the value.
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

// compute records the work of a superstep. If other classes exist, a class without work does not
// affect the regularity, and each class with work counts for the idle classes too.
func (h *History) compute(class int, work, time float64, margin, step float64, phases int) {
	c := h.class(class)
	first := c.seen == 0
	c.work = aged(c.work, work, first)
	c.time = aged(c.time, time, first)
	if len(h.classes) == 1 || work > 0 || c.work > 0 {
		h.Regularity = regular(h.Regularity, c.work, work, margin, step*h.cycle())
	}
	c.seen++
	h.RecentWork = pushed(h.RecentWork, float32(work), phases)
	h.sinceMove = min(h.sinceMove+1, len(h.RecentWork))
}

// tell records the declared load of the superstep whose work was recorded last. It allocates nothing
// for a program that declares no loads.
func (h *History) tell(load float64, phases int) {
	if h.loads == nil {
		if !(load > 0) {
			return
		}
		h.loads = make([]float32, len(h.RecentWork)-1, phases)
	}
	h.loads = pushed(h.loads, float32(load), phases)
}

// pushed appends x to the list and returns the last n elements.
func pushed[T any](list []T, x T, n int) []T {
	if len(list) >= n {
		list = append(list[:0], list[len(list)-n+1:]...)
	}
	return append(list, x)
}

type inflow []classTraffic

func (in inflow) from(set int) classTraffic {
	for _, t := range in {
		if t.set == set {
			return t
		}
	}
	return classTraffic{set: set}
}

// at returns the entry of a Set. It adds a missing entry.
func (in *inflow) at(set int) *classTraffic {
	for i := range *in {
		if (*in)[i].set == set {
			return &(*in)[i]
		}
	}
	*in = append(*in, classTraffic{set: set})
	return &(*in)[len(*in)-1]
}

// communicate records the traffic received in a superstep, by sender and by Set. It sorts came.
func (h *History) communicate(class int, received []Traffic, came inflow, margin, step float64) {
	if h.withTraffic == 0 {
		h.partners = h.partners[:0]
	}
	for _, t := range received {
		h.partner(t)
	}
	slices.SortFunc(came, func(a, b classTraffic) int { return a.set - b.set })
	for _, t := range came {
		if t.bytes > 0 && !slices.ContainsFunc(h.Sets, func(s SetTraffic) bool { return s.Set == t.set }) {
			h.Sets = append(h.Sets, SetTraffic{Set: t.set})
		}
	}
	c := h.class(class)
	for i := range h.Sets {
		s := &h.Sets[i]
		now, t := came.from(s.Set), c.inflow.at(s.Set)
		t.bytes = aged(t.bytes, now.bytes, c.withTraffic == 0)
		t.time = aged(t.time, now.time, c.withTraffic == 0)
		if len(h.classes) == 1 || now.bytes > 0 || t.bytes > 0 {
			cycle := h.per(func(c *classHistory) bool { return c.inflow.from(s.Set).bytes > 0 })
			s.Regularity = regular(s.Regularity, t.bytes, now.bytes, margin, step*cycle)
		}
		s.Bytes = h.mean(func(c *classHistory) float64 { return c.inflow.from(s.Set).bytes })
		s.Time = h.mean(func(c *classHistory) float64 { return c.inflow.from(s.Set).time })
	}
	c.withTraffic++
	h.withTraffic++
}

// mostPartners is the maximum number of senders recorded per process.
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

// heaviest returns the heaviest senders, in bytes per superstep, in a run of procs processes:
// eight per process, and more, up to all recorded senders, while all processes together report no
// more than 4096. In all-to-all communication, predictions miss the traffic of the other senders.
func (h *History) heaviest(procs int) []Traffic {
	sorted := slices.Clone(h.partners)
	slices.SortFunc(sorted, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Pid, b.Pid))
	})
	sorted = sorted[:min(len(sorted), max(8, 4096/procs))]
	for i := range sorted {
		sorted[i].Bytes /= int64(max(1, h.withTraffic))
	}
	return sorted
}

func (h *History) restart() {
	for i := range h.classes {
		h.classes[i].seen, h.classes[i].withTraffic = 0, 0
	}
	for i := range h.partners {
		h.partners[i].Bytes /= int64(max(1, h.withTraffic))
	}
	h.withTraffic = 0
}
