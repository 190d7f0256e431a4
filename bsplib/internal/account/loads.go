package account

import (
	"math"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
)

// loadRecorder gathers, where a record is written, what this rank's processes do:
// work and traffic, added up over a window of supersteps by the site at which
// these end, and now and then the bytes of their states. All ranks have the same
// windows: rank 0 says with each shipment how wide the next ones are. A window
// goes to rank 0, encoded, with the shipment after its end.
type loadRecorder struct {
	on      bool
	width   int         // supersteps of a window
	end     int         // the superstep after this window; 0 before its first
	procs   []*Sample   // whose loads sites have
	sites   []siteLoad  // of this window
	filled  int         // supersteps of this window
	untold  int         // sites of this window without recorded traffic so far
	encoded []uint64    // windows that are not shipped yet
	states  stateSurvey // of the bytes of states
	ends    []int64     // of windows that have ended since the last shipment: on rank 0, or its stand-in

	// on rank 0
	window  *ledger.LoadWindow
	arrived [][]uint64 // encoded windows not yet entered, by rank
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
//	someStates, the superstep before which they were looked at, number of
//	    processes, and for each pid and bytes
const (
	aWindow = iota
	someStates
)

// heavyWords is how many words may wait for a shipment.
const heavyWords = 1 << 17

func (l *loadRecorder) heavy() bool { return len(l.encoded) > heavyWords }

// open begins the first window, at the same superstep on all ranks.
func (l *loadRecorder) open(a *Account, step int) {
	l.on, l.width, l.states.step = true, max(1, a.settings.LeastWindow), step
	if a.settings.Book != nil {
		l.window = ledger.NewLoadWindow(a.settings.Procs)
	}
}

// orders are what rank 0 tells the others in an exchange: how wide windows are.
type orders struct{ Width int }

// tell has rank 0 tell the others if that has changed; all is true if some may not know it.
func (l *loadRecorder) tell(a *Account, all bool) error {
	book := a.settings.Book
	if book == nil || !l.on {
		return nil
	}
	width := max(a.settings.LeastWindow, book.Recorder.LoadWidth())
	if width == l.width && !all {
		return nil
	}
	l.width = width
	for to := 1; to < len(a.lead.speeds); to++ {
		if !a.present(to) {
			continue
		}
		if err := control.Send(a.settings.Control, to, &orders{width}); err != nil {
			return err
		}
	}
	return nil
}

// hear takes what rank 0 tells.
func (l *loadRecorder) hear(a *Account) error {
	return control.Each(a.settings.Control, func(_ int, o *orders) error {
		l.width = o.Width
		return nil
	})
}

// recordedSteps is how many supersteps of each window have their traffic recorded
// at least; that of the others is taken to be like it.
const recordedSteps = 32

func (l *loadRecorder) needsTraffic() bool {
	return l.on && (l.end == 0 || l.filled < recordedSteps || l.untold > 0)
}

// take adds the superstep that has ended at a site.
func (l *loadRecorder) take(a *Account, step int, site int64, samples []*Sample, recorded bool) {
	if len(l.procs) != len(samples) || unsafe.SliceData(l.procs) != unsafe.SliceData(samples) {
		l.encode(a)
		l.procs = samples
	}
	if l.end == 0 {
		l.end, l.filled = step+l.width, 0
	}
	l.filled++
	if len(samples) > 0 {
		l.add(l.at(site), recorded)
	}
	if step >= l.states.step {
		l.states.step = 2 * step
		l.surveyStates(a, step+1)
	}
	if step+1 == l.end {
		l.close(a, l.end)
	}
}

// add adds the processes' work, and their traffic if it was recorded.
func (l *loadRecorder) add(at *siteLoad, recorded bool) {
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

// close ends the window before a superstep.
func (l *loadRecorder) close(a *Account, end int) {
	if l.end == 0 {
		return
	}
	l.end = end
	l.encode(a)
	if l.window != nil || a.standIn {
		l.ends = append(l.ends, int64(end))
	}
	l.end = 0
}

// at is the load of a site in this window, new if there is none.
func (l *loadRecorder) at(site int64) *siteLoad {
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
func (l *loadRecorder) encode(a *Account) {
	if len(l.sites) == 0 {
		return
	}
	a.settings.Clock.Interrupt()
	procs := a.settings.Procs
	for i := range l.sites {
		at := &l.sites[i]
		scale := float64(at.count) / float64(max(1, at.recorded))
		l.encoded = append(l.encoded, aWindow, uint64(l.end), uint64(at.site), uint64(len(at.procs)))
		for k := range at.procs {
			w := &at.procs[k]
			if len(w.traffic) > ledger.Senders(procs) {
				w.traffic = ledger.Thin(ledger.Join(w.traffic), procs)
			}
			l.encoded = append(l.encoded, uint64(l.procs[k].Pid), math.Float64bits(w.work.Seconds()*a.settings.Speed), uint64(len(w.traffic)))
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
func (l *loadRecorder) surveyStates(a *Account, step int) {
	a.settings.Clock.Interrupt()
	begun := a.settings.Clock.Wall()
	l.encoded = append(l.encoded, someStates, uint64(step), 0)
	count := len(l.encoded) - 1
	for _, p := range l.procs {
		if bytes := a.settings.StateBytes(p.Pid); bytes >= 0 {
			l.encoded[count]++
			l.encoded = append(l.encoded, uint64(p.Pid), uint64(bytes))
		}
	}
	l.states.at = a.settings.Clock.Wall()
	l.states.took = l.states.at - begun
}

// pack adds the encoded windows to what is shipped to rank 0.
func (l *loadRecorder) pack(a *Account, step int, to0 *shipment) {
	if a.settings.Clock.Wall()-l.states.at > stateShare*l.states.took {
		l.surveyStates(a, step)
	}
	to0.Loads = l.encoded
}

// receive takes the ranks' windows on rank 0, after an exchange.
func (l *loadRecorder) receive(a *Account) {
	l.encoded = l.encoded[:0]
	if l.window == nil {
		return
	}
	l.arrived = l.arrived[:0]
	for _, s := range a.lead.shipments {
		l.arrived = append(l.arrived, s.Loads)
	}
}

// endsWith reports whether the superstep is the last of the window that rank 0 enters.
func (l *loadRecorder) endsWith(step int) bool {
	return l.on && len(l.ends) > 0 && step+1 >= int(l.ends[0])
}

// endWindow enters the window whose supersteps have been entered.
func (l *loadRecorder) endWindow(a *Account) {
	end := int(l.ends[0])
	if l.ends = l.ends[1:]; len(l.ends) == 0 && l.end == 0 {
		end = math.MaxInt // of a window that was to be longer
	}
	l.fill(a, end)
	l.window.Close(func(l *ledger.Load) { a.settings.Book.Enter(l) })
}

// fill decodes windows up to the given end, and the states in them, into the open one.
func (l *loadRecorder) fill(a *Account, end int) {
	for rank, w := range l.arrived {
		for len(w) > 0 && int(w[1]) <= end {
			if w[0] == someStates {
				w = l.fillStates(w[2:])
			} else {
				w = l.fillSite(a.siteName(int64(w[2])), w[3:])
			}
		}
		l.arrived[rank] = w
	}
}

// fillStates takes the bytes of states and returns what follows.
func (l *loadRecorder) fillStates(w []uint64) []uint64 {
	n := int(w[0])
	w = w[1:]
	for ; n > 0; n, w = n-1, w[2:] {
		l.window.State(int(w[0]), int64(w[1]))
	}
	return w
}

// fillSite takes the processes of a site and returns what follows.
func (l *loadRecorder) fillSite(site string, w []uint64) []uint64 {
	n := w[0]
	w = w[1:]
	for range n {
		pid, senders := int(w[0]), w[2]
		l.window.Work(site, pid, math.Float64frombits(w[1]))
		w = w[3:]
		for range senders {
			l.window.Send(site, ledger.Message{From: int(w[0]), To: pid, Bytes: math.Float64frombits(w[1])})
			w = w[2:]
		}
	}
	return w
}
