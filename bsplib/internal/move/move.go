// Package move brings processes from rank to rank, between two stages.
//
// A move has these steps:
//
//  1. Parcels: each process that leaves is packed into an image and ranges of bytes (package
//     process), and the image goes to the new rank, in an exchange of all ranks.
//  2. Transfer: the new rank makes the process of the image, and the ranges are received where
//     they will lie. The old rank takes their digest while they leave, the new one of what has
//     come, by packing the process once more.
//  3. Relocations: in a second exchange each rank tells all others where the areas of the
//     processes are that have come to it, and the new ranks of its own processes their digests
//     and histories.
//
// Until the second exchange is over a process is where it was, and no other rank sees what has
// arrived of it. Then both ranks know it on the new one, and the old copy is dropped.
//
// Processes that ask to move need no exchanges of their own. Their parcels go with the reports
// of the call that decides about them (Offer), the transfer takes place while managers decide,
// and the relocations go with the decision. If all moves of the call are such ones, and all
// ranks could bring theirs, that was the move. Otherwise what has arrived is dropped, and Bring
// makes the moves of the call. All ranks agree on which it is, for each says in the exchange of
// the decision if one of its own was not brought.
//
// A process that was offered and may not move was sent for nothing. So states that are larger than
// MostOffered wait for the decision.
package move

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// MostOffered is the most bytes that a state may have to go with the reports: beside a larger
// one an exchange is short.
const MostOffered = 64 << 20

// Error says why a process cannot leave its rank, or did not arrive.
type Error struct {
	Pid  int // -1 if that is not known
	Text string
	Err  error
}

func (e *Error) Error() string { return e.Text }

// Settings are what a Mover needs.
type Settings struct {
	Rank    *process.Rank
	Clock   clock.Clock
	Calls   *control.Channel         // of rescheduling calls
	Moves   *control.Channel         // for exchanges of moves alone
	Balance func() *balance.Balancer // nil if there are no histories
	Alone   bool                     // no other rank shares its heap
}

// Mover is a rank's part in moves. It implements balance.Along.
type Mover struct {
	settings   Settings
	comm       mpi.Comm
	stream     *stream.Stream
	departures []departure
	arrivals   []arrival
	heard      []told // what ranks have told of theirs
	offered    offers
	began      time.Duration // when the offered processes were waited for, on the run's clock
	took       time.Duration
}

// offers is what has become of the processes that go with a call.
type offers uint8

const (
	open  offers = iota // all that ask to move are on their way, as far as is known
	vain                // one of them, on some rank, is not
	taken               // the moves of the call are just these
)

type departure struct {
	process *process.Process
	to      int
	image   state.Image
	refs    []mpi.Ref
	digest  uint64
}

type arrival struct {
	process *process.Process // nil if there is no place for it
	from    int
	spans   [][]byte
	refs    []mpi.Ref
	runs    []mpi.Run // of the spans, if they are runs
	sums    []uint64  // of the spans, as they come
	digest  uint64
}

// New makes a rank's part in moves.
func New(s Settings) *Mover {
	return &Mover{settings: s, comm: s.Rank.Comm, stream: s.Rank.Stream}
}

func (m *Mover) me() int { return m.comm.Rank() }

// Bring makes the new copies of all that moves, and has all ranks know of them, unless that was
// offered and taken. All ranks call it with the same moves, between two supersteps; End comes
// after it.
//
// BSP cost: the bytes of the states that leave or reach a rank, times g, and two barriers; none
// if they were offered and taken.
func (m *Mover) Bring(moves []rebalancer.Move, local func(pid int) *process.Process) error {
	if m.offered == taken {
		return nil
	}
	m.Drop()
	apart := carrier{channel: m.settings.Moves}
	for _, x := range moves {
		if x.From == m.me() {
			if err := m.pack(local(x.Pid), x.To, apart); err != nil {
				return err
			}
		}
	}
	if _, err := apart.channel.Exchange(0); err != nil {
		return err
	}
	if err := m.receive(apart); err != nil {
		return err
	}
	m.startRuns()
	if err := m.transfer(moves); err != nil {
		return err
	}
	return m.relocate(apart)
}

// Restored has all ranks know of processes that have come out of a checkpoint. All ranks call
// it; End comes after it.
func (m *Mover) Restored(processes []*process.Process, channel *control.Channel) error {
	for _, p := range processes {
		m.arrivals = append(m.arrivals, arrival{process: p, from: m.me()})
	}
	return m.relocate(carrier{channel: channel})
}

// Departed returns the processes that leave this rank.
func (m *Mover) Departed() (all []*process.Process) {
	for i := range m.departures {
		all = append(all, m.departures[i].process)
	}
	return all
}

// EachArrived calls f with the processes that come to this rank, and where they were.
func (m *Mover) EachArrived(f func(p *process.Process, from int)) {
	for i := range m.arrivals {
		f(m.arrivals[i].process, m.arrivals[i].from)
	}
}

// End forgets the old copies, once the rank has done so.
func (m *Mover) End() { *m = *New(m.settings) }

// carrier sends messages of moves in exchanges of their own, or attached to those of a call.
type carrier struct {
	channel  *control.Channel
	attached bool
}

func send[T any](c carrier, to int, v *T) error {
	if c.attached {
		return control.Attach(c.channel, to, v)
	}
	return control.Send(c.channel, to, v)
}

func each[T any](c carrier, take func(from int, v *T) error) error {
	if c.attached {
		return control.Attached(c.channel, take)
	}
	return control.Each(c.channel, take)
}

// parcel is what is sent of a process at first.
type parcel struct {
	Pid     int
	At      string
	Image   process.Image
	Refs    []mpi.Ref // by span: its memory's name, 0 if it must be sent
	Lengths []int     // of the spans, of a process that goes with a call
}

// pack sends a process's parcel to another rank, or to this one, to which in tests it may come
// anew.
func (m *Mover) pack(p *process.Process, to int, by carrier) error {
	d := departure{process: p, to: to}
	packed, image, err := p.Pack()
	if d.image = image; err == nil {
		x := &parcel{Pid: p.Data.Pid, At: p.Stages.At.String(), Image: *packed}
		if to != m.me() {
			d.refs = m.shareSpans(image.Spans, to)
			x.Refs = d.refs
		}
		for _, s := range image.Spans {
			if by.attached {
				x.Lengths = append(x.Lengths, len(s))
			}
		}
		if by.attached && !m.byRun(to) && slices.Contains(d.refs, 0) {
			err = errNeedsSender
		} else {
			err = send(by, to, x)
		}
	}
	m.departures = append(m.departures, d)
	if err != nil {
		return m.unmovable(&d, err)
	}
	return nil
}

// errNeedsSender is about memory that its rank has to send in pieces, which it cannot do during
// a call.
var errNeedsSender = errors.New("its memory cannot be reached")

func (m *Mover) unmovable(d *departure, err error) error {
	return &Error{Pid: d.process.Data.Pid, Err: err, Text: fmt.Sprintf("after %s it cannot move to rank %d: %v", d.process.Stages.At.String(), d.to, err)}
}

func (m *Mover) notArrived(pid int, at string, from int, err error) error {
	return &Error{Pid: pid, Err: err, Text: fmt.Sprintf("after %s it did not arrive from rank %d: %v", at, from, err)}
}

// shareSpans makes spans known to a rank that shares memory with this one, or to which
// the kernel copies. Those that it cannot reach have no name.
func (m *Mover) shareSpans(spans [][]byte, to int) []mpi.Ref {
	refs, meter := make([]mpi.Ref, len(spans)), m.settings.Clock.Moves()
	for i, s := range spans {
		if meter != nil {
			meter.Ship(to, int64(len(s)))
		}
		if m.stream.Peers.Shares(to) {
			refs[i] = m.comm.Share(s)
		}
	}
	return refs
}

// receive makes the processes of the parcels that have come. Of those that go with a call it
// makes what it can.
func (m *Mover) receive(by carrier) error {
	var failure error
	err := each(by, func(from int, x *parcel) error {
		p, spans, err := m.unpack(&x.Image)
		switch {
		case err == nil:
			m.arrivals = append(m.arrivals, arrival{process: p, from: from, spans: spans, refs: x.Refs, sums: make([]uint64, len(spans))})
			return nil
		case by.attached: // if it is to move, Bring comes to the same error
			m.offered = vain
			if m.byRun(from) {
				m.arrivals = append(m.arrivals, aside(from, x.Lengths))
			}
			return nil
		}
		failure = m.notArrived(x.Pid, x.At, from, err)
		return failure
	})
	switch {
	case failure != nil || err == nil || by.attached:
		return err
	default:
		return &Error{Pid: -1, Err: err, Text: fmt.Sprintf("what arrived is no process: %v", err)}
	}
}

// aside takes the runs of a process that there is no place for.
func aside(from int, lengths []int) arrival {
	a := arrival{from: from, refs: make([]mpi.Ref, len(lengths)), sums: make([]uint64, len(lengths))}
	for _, n := range lengths {
		a.spans = append(a.spans, make([]byte, n))
	}
	return a
}
