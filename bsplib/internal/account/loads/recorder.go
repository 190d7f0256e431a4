package loads

import (
	"math"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// Sample is what a process did in a superstep. The process's rank fills it in and the
// account reads it.
type Sample struct {
	Pid            int
	Sent, Received int           // bytes since the last superstep, where an account is kept
	Work           time.Duration // in which it ran or waited for what is not the rank
	Waited         time.Duration // the part of Work in which it waited
	Span           time.Duration // Work with the time in which it was not granted a core
	Aside          time.Duration // the part of Span that says nothing of what comes
	Load           float64       // what the program has said of the load of this stage, 0 if nothing
	Traffic        []rebalancer.Traffic
}

// Record notes bytes that came from process src, where traffic is recorded.
func (s *Sample) Record(src, bytes int) {
	if n := len(s.Traffic); n > 0 && s.Traffic[n-1].Pid == src {
		s.Traffic[n-1].Bytes += int64(bytes)
		return
	}
	s.Traffic = append(s.Traffic, rebalancer.Traffic{Pid: src, Bytes: int64(bytes)})
}

// Settings are what a Recorder works with.
type Settings struct {
	Procs int
	Speed float64 // of this rank, 1 where it is not known
	// StateBytes is what a move of a process would transfer now, -1 if it has left this
	// rank.
	StateBytes func(pid int) int64
	// Least is the least width of windows, for tests.
	Least int
}

// Recorder writes down what this rank's processes do in each window.
type Recorder struct {
	// Width is how many supersteps the next windows have.
	Width int

	settings Settings
	clock    clock.Clock
	end      int         // the superstep after this window; 0 before its first
	procs    []*Sample   // whose loads sites have
	sites    []siteLoad  // of this window
	filled   int         // supersteps of this window
	untold   int         // sites of this window without recorded traffic so far
	encoded  []uint64    // windows that are not shipped yet
	ends     []int64     // of windows that have ended since the last shipment
	states   stateSurvey // of the bytes of states
}

// siteLoad is what the processes did in the window's supersteps that ended at a
// site.
type siteLoad struct {
	site            int64
	procs           []procLoad
	count, recorded int // supersteps, and those of recorded traffic
}

// procLoad is what one process did.
type procLoad struct {
	work    time.Duration
	traffic []ledger.Message
	next    int // where in traffic the next sender may be
	most    int // length of traffic at which equal senders are joined
}

// Windows are encoded in words:
//
//	aWindow, end of the window, site, number of processes, and for each its
//	    pid, seconds at speed 1, number of senders, and for each pid and bytes
//	someStates, the superstep before which they were looked at, 0, number of
//	    processes, and for each pid and bytes
const (
	aWindow = iota
	someStates
)

// heavyWords is how many words may wait for a shipment.
const heavyWords = 1 << 17

// NewRecorder begins the first window: at the same superstep on all ranks.
func NewRecorder(s Settings, c clock.Clock, step int) *Recorder {
	return &Recorder{settings: s, clock: c, Width: max(1, s.Least), states: stateSurvey{step: step}}
}

// Heavy reports whether much waits for a shipment.
func (l *Recorder) Heavy() bool { return l != nil && len(l.encoded) > heavyWords }

// recordedSteps is how many supersteps of each window have their traffic recorded
// at least; that of the others is taken to be like it.
const recordedSteps = 32

// NeedsTraffic reports whether the coming superstep's traffic is to be recorded.
func (l *Recorder) NeedsTraffic() bool {
	return l != nil && (l.end == 0 || l.filled < recordedSteps || l.untold > 0)
}

// Take adds the superstep that has ended at a site; recorded says whether samples have traffic.
func (l *Recorder) Take(step int, site int64, samples []*Sample, recorded bool) {
	if len(l.procs) != len(samples) || unsafe.SliceData(l.procs) != unsafe.SliceData(samples) {
		l.encode()
		l.procs = samples
	}
	if l.end == 0 {
		l.end, l.filled = step+l.Width, 0
	}
	l.filled++
	if len(samples) > 0 {
		l.add(l.at(site), recorded)
	}
	if step >= l.states.step {
		l.states.step = 2 * step
		l.surveyStates(step + 1)
	}
	if step+1 == l.end {
		l.Close(l.end)
	}
}

// add adds the processes' work, and their traffic if it was recorded.
func (l *Recorder) add(at *siteLoad, recorded bool) {
	for i, p := range l.procs {
		at.procs[i].work += p.Work
	}
	if at.count++; !recorded {
		return
	}
	if at.recorded++; at.recorded == 1 {
		l.untold--
	}
	for i, p := range l.procs {
		w := &at.procs[i]
		w.next = 0
		for _, t := range p.Traffic {
			w.add(ledger.Message{From: t.Pid, To: p.Pid, Bytes: float64(t.Bytes)})
		}
	}
}

// Close ends the window before a superstep.
func (l *Recorder) Close(end int) {
	if l == nil || l.end == 0 {
		return
	}
	l.end = end
	l.encode()
	l.ends = append(l.ends, int64(end))
	l.end = 0
}

// at is the load of a site in this window, new if there is none.
func (l *Recorder) at(site int64) *siteLoad {
	for i := range l.sites {
		if l.sites[i].site == site {
			return &l.sites[i]
		}
	}
	l.untold++
	if n := len(l.sites); n < cap(l.sites) {
		l.sites = l.sites[:n+1]
	} else {
		l.sites = append(l.sites, siteLoad{})
	}
	at := &l.sites[len(l.sites)-1]
	at.site, at.count, at.recorded = site, 0, 0
	for len(at.procs) < len(l.procs) {
		at.procs = append(at.procs, procLoad{})
	}
	at.procs = at.procs[:len(l.procs)]
	for i := range at.procs {
		at.procs[i] = procLoad{traffic: at.procs[i].traffic[:0], most: fewSenders}
	}
	return at
}

// fewSenders is how many senders are looked through for one.
const fewSenders = 32

// add adds a message. Most supersteps bring the same in the same order.
func (w *procLoad) add(m ledger.Message) {
	if w.next < len(w.traffic) && w.traffic[w.next].From == m.From {
		w.traffic[w.next].Bytes += m.Bytes
		w.next++
		return
	}
	for i := range w.traffic[:min(fewSenders, len(w.traffic))] {
		if w.traffic[i].From == m.From {
			w.traffic[i].Bytes += m.Bytes
			w.next = i + 1
			return
		}
	}
	if len(w.traffic) >= w.most {
		w.traffic = ledger.Join(w.traffic)
		w.most = max(w.most, 2*len(w.traffic))
	}
	w.traffic = append(w.traffic, m)
	w.next = len(w.traffic)
}

// encode writes down what there is of the window.
func (l *Recorder) encode() {
	if len(l.sites) == 0 {
		return
	}
	l.clock.Interrupt()
	procs := l.settings.Procs
	for i := range l.sites {
		at := &l.sites[i]
		scale := float64(at.count) / float64(max(1, at.recorded))
		l.encoded = append(l.encoded, aWindow, uint64(l.end), uint64(at.site), uint64(len(at.procs)))
		for k := range at.procs {
			w := &at.procs[k]
			if len(w.traffic) > ledger.Senders(procs) {
				w.traffic = ledger.Thin(ledger.Join(w.traffic), procs)
			}
			l.encoded = append(l.encoded, uint64(l.procs[k].Pid), math.Float64bits(w.work.Seconds()*l.settings.Speed), uint64(len(w.traffic)))
			for _, m := range w.traffic {
				l.encoded = append(l.encoded, uint64(m.From), math.Float64bits(scale*m.Bytes))
			}
		}
	}
	l.sites, l.untold = l.sites[:0], 0
}

// stateSurvey is when the bytes of states are looked at.
type stateSurvey struct {
	step int           // superstep after which they are next
	took time.Duration // last
	at   time.Duration // when that was over
}

// stateShare bounds the looking at states to one part in so many of the time.
const stateShare = 1000

// surveyStates writes down how large the states are before a superstep.
func (l *Recorder) surveyStates(step int) {
	l.clock.Interrupt()
	begun := l.clock.Wall()
	l.encoded = append(l.encoded, someStates, uint64(step), 0, 0)
	count := len(l.encoded) - 1
	for _, p := range l.procs {
		if bytes := l.settings.StateBytes(p.Pid); bytes >= 0 {
			l.encoded[count]++
			l.encoded = append(l.encoded, uint64(p.Pid), uint64(bytes))
		}
	}
	l.states.at = l.clock.Wall()
	l.states.took = l.states.at - begun
}

// Whole reports whether no window is open.
func (l *Recorder) Whole() bool { return l.end == 0 }

// Ship returns the encoded windows before a superstep, and the superstep after each that has
// ended, since the last shipment. They are valid until Shipped.
func (l *Recorder) Ship(step int) (encoded []uint64, ends []int64) {
	if l == nil {
		return nil, nil
	}
	if l.clock.Wall()-l.states.at > stateShare*l.states.took {
		l.surveyStates(step)
	}
	return l.encoded, l.ends
}

// Shipped ends the shipment.
func (l *Recorder) Shipped() {
	if l != nil {
		l.encoded, l.ends = l.encoded[:0], l.ends[:0]
	}
}
