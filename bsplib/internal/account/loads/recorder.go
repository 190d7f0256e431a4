// Package loads collects the loads of processes for the record: work and traffic, summed over
// windows of supersteps by the site where these end, and occasionally the sizes of their
// states. Each rank's Recorder collects them; rank 0 converts all ranks' loads to entries.
//
// All ranks have the same windows. Rank 0 sends the width of the next windows with each
// shipment. A window is sent to rank 0 with the first shipment after its end.
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

// Sample is the measurement of a process in a superstep. The process's rank sets it and the
// account reads it.
type Sample struct {
	Pid            int
	Sent, Received int           // bytes since the last superstep, if an account is kept
	Work           time.Duration // in which it ran, or waited for anything but the rank
	Waited         time.Duration // the part of Work in which it waited
	Span           time.Duration // Work plus the time in which it was not granted a core
	Aside          time.Duration // the part of Span that does not predict later supersteps
	Clear          *laps.Clear   // undisturbed Work so far; nil before any was measured
	Load           float64       // declared by the program for this stage, 0 if not declared
	Traffic        []rebalancer.Traffic
}

// Record adds bytes received from process src, if traffic is recorded.
func (s *Sample) Record(src, bytes int) {
	if n := len(s.Traffic); n > 0 && s.Traffic[n-1].Pid == src {
		s.Traffic[n-1].Bytes += int64(bytes)
		return
	}
	s.Traffic = append(s.Traffic, rebalancer.Traffic{Pid: src, Bytes: int64(bytes)})
}

// Settings configures a Recorder.
type Settings struct {
	Procs int
	Speed float64 // of this rank, 1 if unknown
	// StateBytes returns the bytes that a move of a process would transfer now, -1 if it has
	// left this rank.
	StateBytes func(pid int) int64
	// Least is the least width of windows, for tests.
	Least int
}

// Recorder collects the loads of this rank's processes in each window.
type Recorder struct {
	// Width is the number of supersteps in each of the next windows.
	Width int

	settings Settings
	clock    clock.Clock
	end      int        // the superstep after this window; 0 before its first
	procs    []*Sample  // the processes whose loads are in sites
	sites    []siteLoad // of this window
	filled   int        // supersteps of this window
	waits    Shipment
	survey   int           // superstep after which the sizes of states are read next
	took     time.Duration // duration of the last survey
	surveyed time.Duration // end of the last survey
}

// siteLoad is the load of the processes in the window's supersteps that ended at a site.
type siteLoad struct {
	site            int64
	work            []time.Duration    // by process
	traffic         [][]ledger.Message // to each
	count, recorded int                // supersteps in all, and with recorded traffic
}

// Shipment holds the loads that a Recorder has collected since the last shipment.
type Shipment struct {
	Parts    wire.Raw[part]
	Work     wire.Raw[work]
	Messages wire.Raw[ledger.Message]
	States   wire.Raw[state]
	Ends     wire.Raw[int64] // the superstep after each window that has ended
}

// part heads the next elements of a Shipment: the loads at a site in a window that ends before
// superstep end, or the states before that superstep.
type part struct {
	end, site               int64
	count, recorded         int64 // supersteps in all, and with recorded traffic
	procs, messages, states int64
}

type work struct {
	pid     int64
	seconds float64 // at speed 1
}

type state struct{ pid, bytes int64 }

// Fill moves the parts of windows up to the given end into w. siteName returns the name of a
// site passed to Recorder.Take.
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

// NewRecorder returns a Recorder. All ranks call it at the same superstep, where their first
// window begins.
func NewRecorder(s Settings, c clock.Clock, step int) *Recorder {
	return &Recorder{settings: s, clock: c, Width: max(1, s.Least), survey: step}
}

// Heavy reports whether the next shipment holds more than a megabyte, counted in words.
func (l *Recorder) Heavy() bool {
	return l != nil && 2*len(l.waits.Work)+3*len(l.waits.Messages)+2*len(l.waits.States) > 1<<17
}

// recordedSteps is the minimum number of supersteps per window whose traffic is recorded. The
// traffic of the other supersteps is extrapolated.
const recordedSteps = 32

// NeedsTraffic reports whether the coming superstep's traffic must be recorded.
func (l *Recorder) NeedsTraffic() bool {
	return l != nil && (l.end == 0 || l.filled < recordedSteps || slices.ContainsFunc(l.sites, func(at siteLoad) bool { return at.recorded == 0 }))
}

// Take adds a superstep that ended at a site. recorded reports whether samples include traffic.
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

// at returns the load of a site in this window, adding an element if necessary.
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

// fewSenders is the maximum number of senders searched for a match.
const fewSenders = 32

// added adds a message to a process's messages and returns the likely index of the next sender,
// because most supersteps repeat the same messages in the same order.
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

// encode moves the loads of the open window to the next shipment.
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

// stateShare limits the time for reading state sizes to 1/stateShare of the run.
const stateShare = 1000

// surveyStates records the sizes of the states before a superstep.
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

// Ship returns the loads collected since the last shipment, before superstep step. They are
// valid until Shipped is called.
func (l *Recorder) Ship(step int) (s Shipment) {
	if l == nil {
		return s
	}
	if l.clock.Wall()-l.surveyed > stateShare*l.took {
		l.surveyStates(step)
	}
	return l.waits
}

// Shipped discards the shipment and sets the width of the next windows.
func (l *Recorder) Shipped(width int) {
	if l != nil {
		w := &l.waits
		l.Width, *w = width, Shipment{w.Parts[:0], w.Work[:0], w.Messages[:0], w.States[:0], w.Ends[:0]}
	}
}
