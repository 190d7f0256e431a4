package bsplib

import (
	"cmp"
	"math"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
)

// loads gathers, where a record is written, what this rank's processes do: work and
// what comes from whom, added up over a window of supersteps by the place where these
// end, and now and then the bytes of their states. All ranks have the same windows.
// What is said of a window goes to rank 0 with the account.
type loads struct {
	on     bool
	least  int     // width in tests, at least
	width  int     // supersteps of a window
	end    int     // the superstep after this window; 0 before its first
	procs  []*Proc // whose rows places have
	places []place
	filled int      // supersteps of this window
	silent int      // its places of which none was listened to
	said   []uint64 // that is not shipped yet

	stateAt   int           // superstep after which states are said next
	stateTook time.Duration // to say them
	stateSaid time.Duration // when

	// on rank 0
	window    *ledger.LoadWindow
	ends      []int      // of windows that have ended since the account was shipped
	sentences []sentence // by rank
}

// place is where supersteps of the window ended.
type place struct {
	site         int64
	rows         []row // by process
	count, heard int   // supersteps, and those that were listened to
}

// row is what one process does.
type row struct {
	work  time.Duration
	heard []ledger.Message
	next  int // where in heard the next sender may be
	most  int // length of heard at which senders are put together
}

// What is said is in words: saidWork, the end of the window, a site and a number of
// rows, each of a pid, reference seconds, and a number of pairs of a sender and bytes;
// or saidState and a number of pairs of a pid and bytes.
const (
	saidWork = iota
	saidState
)

// heavyWords is how much may wait for the account to be shipped.
const heavyWords = 1 << 17

func (l *loads) heavy() bool { return len(l.said) > heavyWords }

// open begins the first window, on all ranks.
func (l *loads) open(r *rank) {
	l.on, l.width, l.stateAt = true, 1, r.step
	if book := r.account.book; book != nil {
		l.window = ledger.NewLoadWindow(r.n)
		l.width = max(l.least, book.Recorder.LoadWidth())
	}
}

// alert is how many supersteps of each window are listened to at least.
const alert = 32

// listens tells whether the coming superstep is to be listened to. Where windows are
// long not all are: what is heard stands for the others that end at the same place.
func (l *loads) listens() bool { return l.on && (l.end == 0 || l.filled < alert || l.silent > 0) }

// take adds the superstep that has ended at a site.
func (l *loads) take(r *rank, site int64) {
	if len(l.procs) != len(r.procs) || unsafe.SliceData(l.procs) != unsafe.SliceData(r.procs) {
		l.say(r)
		l.procs = r.procs
	}
	if l.end == 0 {
		l.end, l.filled = r.step+l.width, 0
	}
	l.filled++
	if len(r.procs) > 0 {
		l.add(r, l.at(site))
	}
	if r.step >= l.stateAt {
		l.stateAt = 2 * r.step
		l.sayStates(r)
	}
	if r.step+1 == l.end {
		l.close(r, l.end)
	}
}

// add adds what the rank's processes have done, and if it was listened to heard.
func (l *loads) add(r *rank, at *place) {
	for i, p := range r.procs {
		at.rows[i].work += p.work
	}
	if at.count++; !r.listening {
		return
	}
	if at.heard++; at.heard == 1 {
		l.silent--
	}
	for i, p := range r.procs {
		w := &at.rows[i]
		w.next = 0
		for _, t := range p.heard {
			w.hear(ledger.Message{From: t.Pid, To: p.pid, Bytes: float64(t.Bytes)})
		}
	}
}

// close ends the window before a superstep.
func (l *loads) close(r *rank, end int) {
	if l.end == 0 {
		return
	}
	l.end = end
	l.say(r)
	if l.window != nil {
		l.ends = append(l.ends, end)
	}
	l.end = 0
}

// at is what there is of a site in this window.
func (l *loads) at(site int64) *place {
	for i := range l.places {
		if l.places[i].site == site {
			return &l.places[i]
		}
	}
	l.silent++
	if n := len(l.places); n < cap(l.places) {
		l.places = l.places[:n+1]
	} else {
		l.places = append(l.places, place{})
	}
	at := &l.places[len(l.places)-1]
	at.site, at.count, at.heard = site, 0, 0
	for len(at.rows) < len(l.procs) {
		at.rows = append(at.rows, row{})
	}
	at.rows = at.rows[:len(l.procs)]
	for i := range at.rows {
		at.rows[i] = row{heard: at.rows[i].heard[:0], most: leastRow}
	}
	return at
}

// leastRow is a length up to which a row is looked through for a sender.
const leastRow = 32

// hear adds what a process was sent. Most supersteps bring the same in the same order.
func (w *row) hear(m ledger.Message) {
	if w.next < len(w.heard) && w.heard[w.next].From == m.From {
		w.heard[w.next].Bytes += m.Bytes
		w.next++
		return
	}
	for i := range w.heard[:min(leastRow, len(w.heard))] {
		if w.heard[i].From == m.From {
			w.heard[i].Bytes += m.Bytes
			w.next = i + 1
			return
		}
	}
	if len(w.heard) >= w.most {
		w.heard = ledger.Join(w.heard)
		w.most = max(w.most, 2*len(w.heard))
	}
	w.heard = append(w.heard, m)
	w.next = len(w.heard)
}

// say writes down what there is of the window, as words.
func (l *loads) say(r *rank) {
	speed := cmp.Or(r.platform.Ranks[r.comm.Rank()].Speed, 1)
	for i := range l.places {
		at := &l.places[i]
		part := float64(at.count) / float64(max(1, at.heard))
		l.said = append(l.said, saidWork, uint64(l.end), uint64(at.site), uint64(len(at.rows)))
		for k := range at.rows {
			w := &at.rows[k]
			if len(w.heard) > ledger.Senders(r.n) {
				w.heard = ledger.Thin(ledger.Join(w.heard), r.n)
			}
			l.said = append(l.said, uint64(l.procs[k].pid), math.Float64bits(w.work.Seconds()*speed), uint64(len(w.heard)))
			for _, m := range w.heard {
				l.said = append(l.said, uint64(m.From), math.Float64bits(part*m.Bytes))
			}
		}
	}
	l.places, l.silent = l.places[:0], 0
}

// sayStates writes down how large the states are.
func (l *loads) sayStates(r *rank) {
	begun := r.clock.Wall()
	l.said = append(l.said, saidState, uint64(len(r.procs)))
	for _, p := range r.procs {
		l.said = append(l.said, uint64(p.pid), uint64(p.stateBytes()))
	}
	l.stateSaid = r.clock.Wall()
	l.stateTook = l.stateSaid - begun
}

// stateShare is the part of the time that looking at states may take, as one in so many.
const stateShare = 1000

// pack adds what is to be shipped to rank 0, and there to the others how long windows
// are to be.
func (l *loads) pack(r *rank, to0 *shipment) error {
	if r.clock.Wall()-l.stateSaid > stateShare*l.stateTook {
		l.sayStates(r)
	}
	to0.Loads = l.said
	book := r.account.book
	if book == nil {
		return nil
	}
	if width := max(l.least, book.Recorder.LoadWidth()); width != l.width {
		l.width = width
		for to := 1; to < r.comm.Size(); to++ {
			if err := control.Send(r.control, to, &width); err != nil {
				return err
			}
		}
	}
	return nil
}
