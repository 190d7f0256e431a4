// Package loads gathers, where a record is written, what processes do: work and traffic, added
// up over windows of supersteps by the site at which these end, and now and then the bytes of
// their states. Each rank's Recorder writes it down; rank 0 makes entries of what all ranks have
// written.
//
// All ranks have the same windows: rank 0 says with each shipment how wide the next ones are. A
// window goes to rank 0 with the shipment after its end.
package loads

import (
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/internal/wire"
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
	Clear          *laps.Clear   // Work while nothing disturbed it, so far; nil before any was measured
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
	end      int        // the superstep after this window; 0 before its first
	procs    []*Sample  // whose loads sites have
	sites    []siteLoad // of this window
	filled   int        // supersteps of this window
	waits    Shipment
	survey   int           // superstep after which the bytes of states are looked at next
	took     time.Duration // by looking at them last
	surveyed time.Duration // when that was over
}

// siteLoad is what the processes did in the window's supersteps that ended at a
// site.
type siteLoad struct {
	site            int64
	work            []time.Duration    // by process
	traffic         [][]ledger.Message // to each
	count, recorded int                // supersteps, and those of recorded traffic
}

// Shipment is what a Recorder has written down since the last one, and not yet entered.
type Shipment struct {
	Parts    wire.Raw[part]
	Work     wire.Raw[work]
	Messages wire.Raw[ledger.Message]
	States   wire.Raw[state]
	Ends     wire.Raw[int64] // the superstep after each window that has ended
}

// part is the head of the next entries of a Shipment: of what was done at a site in a window that
// was to end before a superstep, or of states as they were then.
type part struct {
	end, site               int64
	count, recorded         int64 // supersteps, and those of recorded traffic
	procs, messages, states int64
}

type work struct {
	pid     int64
	seconds float64 // at speed 1
}

type state struct{ pid, bytes int64 }

// Fill enters parts of windows up to the given end, and the states in them, into the open window. siteName
// names a site that a Recorder was told.
func (s *Shipment) Fill(w *ledger.LoadWindow, end int, siteName func(site int64) string) {
	for len(s.Parts) > 0 && int(s.Parts[0].end) <= end {
		p, site := s.Parts[0], siteName(s.Parts[0].site)
		for _, x := range s.Work[:p.procs] {
			w.Work(site, int(x.pid), x.seconds)
		}
		for _, m := range s.Messages[:p.messages] {
			w.Send(site, m)
		}
		for _, x := range s.States[:p.states] {
			w.State(int(x.pid), x.bytes)
		}
		s.Parts, s.Work, s.Messages, s.States = s.Parts[1:], s.Work[p.procs:], s.Messages[p.messages:], s.States[p.states:]
	}
}

// NewRecorder begins the first window: at the same superstep on all ranks.
func NewRecorder(s Settings, c clock.Clock, step int) *Recorder {
	return &Recorder{settings: s, clock: c, Width: max(1, s.Least), survey: step}
}

// Heavy reports whether more than a megabyte waits for a shipment, in words.
func (l *Recorder) Heavy() bool {
	return l != nil && 2*len(l.waits.Work)+3*len(l.waits.Messages)+2*len(l.waits.States) > 1<<17
}

// recordedSteps is how many supersteps of each window have their traffic recorded
// at least; that of the others is taken to be like it.
const recordedSteps = 32

// NeedsTraffic reports whether the coming superstep's traffic is to be recorded.
func (l *Recorder) NeedsTraffic() bool {
	return l != nil && (l.end == 0 || l.filled < recordedSteps || slices.ContainsFunc(l.sites, func(at siteLoad) bool { return at.recorded == 0 }))
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
	if step >= l.survey {
		l.survey = 2 * step
		l.surveyStates(step + 1)
	}
	if step+1 == l.end {
		l.Close(l.end)
	}
}

// add adds the processes' work, and their traffic if it was recorded.
func (l *Recorder) add(at *siteLoad, recorded bool) {
	for i, p := range l.procs {
		at.work[i] += p.Work
	}
	if at.count++; !recorded {
		return
	}
	at.recorded++
	for i, p := range l.procs {
		next := 0
		for _, t := range p.Traffic {
			at.traffic[i], next = added(at.traffic[i], next, ledger.Message{From: t.Pid, To: p.Pid, Bytes: float64(t.Bytes)})
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
	l.waits.Ends = append(l.waits.Ends, int64(end))
	l.end = 0
}

// at is the load of a site in this window, new if there is none.
func (l *Recorder) at(site int64) *siteLoad {
	for i := range l.sites {
		if l.sites[i].site == site {
			return &l.sites[i]
		}
	}
	n := len(l.sites)
	l.sites = slices.Grow(l.sites, 1)[:n+1]
	at := &l.sites[n]
	at.site, at.count, at.recorded = site, 0, 0
	at.work = slices.Grow(at.work[:0], len(l.procs))[:len(l.procs)]
	clear(at.work)
	at.traffic = slices.Grow(at.traffic[:0], len(l.procs))[:len(l.procs)]
	for i := range at.traffic {
		at.traffic[i] = at.traffic[i][:0]
	}
	return at
}

// fewSenders is how many senders are looked through for one.
const fewSenders = 32

// added adds a message to those of a process, and returns where the next sender may be: most supersteps
// bring the same in the same order.
func added(all []ledger.Message, next int, m ledger.Message) ([]ledger.Message, int) {
	if next >= len(all) || all[next].From != m.From {
		next = slices.IndexFunc(all[:min(fewSenders, len(all))], func(has ledger.Message) bool { return has.From == m.From })
	}
	if next >= 0 {
		all[next].Bytes += m.Bytes
		return all, next + 1
	}
	if len(all) == cap(all) && len(all) >= fewSenders {
		all = ledger.Join(all)
		all = slices.Grow(all, len(all)+1)
	}
	return append(all, m), len(all) + 1
}

// encode writes down what there is of the window.
func (l *Recorder) encode() {
	if len(l.sites) == 0 {
		return
	}
	l.clock.Interrupt()
	w := &l.waits
	for i := range l.sites {
		at, before := &l.sites[i], len(w.Messages)
		scale := float64(at.count) / float64(max(1, at.recorded))
		for k, p := range l.procs {
			w.Work = append(w.Work, work{int64(p.Pid), at.work[k].Seconds() * l.settings.Speed})
			if len(at.traffic[k]) > ledger.Senders(l.settings.Procs) {
				at.traffic[k] = ledger.Thin(ledger.Join(at.traffic[k]), l.settings.Procs)
			}
			for _, m := range at.traffic[k] {
				m.Bytes *= scale
				w.Messages = append(w.Messages, m)
			}
		}
		w.Parts = append(w.Parts, part{
			end: int64(l.end), site: at.site, count: int64(at.count), recorded: int64(at.recorded),
			procs: int64(len(l.procs)), messages: int64(len(w.Messages) - before),
		})
	}
	l.sites = l.sites[:0]
}

// stateShare bounds the looking at states to one part in so many of the time.
const stateShare = 1000

// surveyStates writes down how large the states are before a superstep.
func (l *Recorder) surveyStates(step int) {
	l.clock.Interrupt()
	begun, before := l.clock.Wall(), len(l.waits.States)
	for _, p := range l.procs {
		if bytes := l.settings.StateBytes(p.Pid); bytes >= 0 {
			l.waits.States = append(l.waits.States, state{int64(p.Pid), bytes})
		}
	}
	l.waits.Parts = append(l.waits.Parts, part{end: int64(step), states: int64(len(l.waits.States) - before)})
	l.surveyed = l.clock.Wall()
	l.took = l.surveyed - begun
}

// Whole reports whether no window is open.
func (l *Recorder) Whole() bool { return l.end == 0 }

// Ship returns what was written down since the last shipment, of windows before a superstep. It is valid
// until Shipped.
func (l *Recorder) Ship(step int) (s Shipment) {
	if l == nil {
		return s
	}
	if l.clock.Wall()-l.surveyed > stateShare*l.took {
		l.surveyStates(step)
	}
	return l.waits
}

// Shipped ends the shipment; the next windows have that width.
func (l *Recorder) Shipped(width int) {
	if l != nil {
		w := &l.waits
		l.Width, *w = width, Shipment{w.Parts[:0], w.Work[:0], w.Messages[:0], w.States[:0], w.Ends[:0]}
	}
}
