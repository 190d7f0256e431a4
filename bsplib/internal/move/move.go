// Package move moves processes between ranks, between two stages.
//
// A move has these steps:
//
//  1. Parcels: the old rank packs each departing process into an image and byte ranges (package
//     process), and sends the image to the new rank, in an exchange of all ranks.
//  2. Transfer: the new rank creates the process from the image, and receives the ranges at
//     their final addresses. The old rank computes the digest of the state while sending, the
//     new rank computes it by packing the process again.
//  3. Relocations: in a second exchange each rank sends the addresses of its arrived processes'
//     areas to all ranks, and the digests and histories of its departed processes to their new
//     ranks.
//
// Until the second exchange has ended, the process stays on its old rank, and no other rank
// uses the new copy. After it, all ranks use the new copy, and the old copy is dropped.
//
// Moves that processes request need no exchanges of their own. Their parcels are attached to
// the reports of the call that decides about them (Propose), the transfer runs while managers
// decide, and the relocations are attached to the decision. If all moves of the call were
// requested, and all requested transfers succeeded, the moves are then complete. Otherwise the
// new copies are dropped, and Execute makes the moves of the call. All ranks agree on the outcome,
// because each announces its failed transfers in the exchange of the decision.
//
// The transfer of a proposed process is wasted if the process may not move. States larger than
// MaxProposed are therefore sent only after the decision.
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

// MaxProposed is the maximum size, in bytes, of a state that is sent with the reports. For a
// larger state the cost of further exchanges is negligible.
const MaxProposed = 64 << 20

// Error is the error of a process that cannot leave its rank, or did not arrive.
type Error struct {
	Pid  int // -1 if unknown
	Text string
	Err  error
}

func (e *Error) Error() string { return e.Text }

// Settings configures a Mover.
type Settings struct {
	Rank    *process.Rank
	Clock   clock.Clock
	Calls   *control.Channel         // of rescheduling calls
	Moves   *control.Channel         // for exchanges of moves alone
	Balance func() *balance.Balancer // nil without histories
	Alone   bool                     // no other rank shares this rank's heap
}

// Mover implements a rank's part in moves. It implements balance.Mover.
type Mover struct {
	settings   Settings
	comm       mpi.Comm
	stream     *stream.Stream
	departures []departure
	arrivals   []arrival
	received   []announcement // relocations received from all ranks
	proposed   proposals
	began      time.Duration // when the wait for proposed processes began, on the run's clock
	took       time.Duration
}

// proposals is the outcome of proposing moves with a call.
type proposals uint8

const (
	pending  proposals = iota // no proposal is known to have failed
	failed                    // a proposal failed on some rank
	accepted                  // the moves of the call are exactly the proposed moves
)

type departure struct {
	process *process.Process
	to      int
	image   state.Image
	refs    []mpi.Ref
	digest  uint64
}

type arrival struct {
	process *process.Process // nil if it could not be created
	from    int
	spans   [][]byte
	refs    []mpi.Ref
	runs    []mpi.Run // of the spans, if they are received as runs
	sums    []uint64  // of the spans, computed on arrival
	digest  uint64
}

// New returns a Mover without moves.
func New(s Settings) *Mover {
	return &Mover{settings: s, comm: s.Rank.Comm, stream: s.Rank.Stream}
}

func (m *Mover) me() int { return m.comm.Rank() }

// Execute creates the new copies of all moving processes and announces them to all ranks, unless
// they were proposed and accepted. All ranks call it with the same moves, between two supersteps,
// and call End afterwards.
//
// BSP cost: g times the bytes of the states that leave or reach a rank, and two barriers; none
// if they were proposed and accepted.
func (m *Mover) Execute(moves []rebalancer.Move, local func(pid int) *process.Process) error {
	if m.proposed == accepted {
		return nil
	}
	m.Drop()
	separate := carrier{channel: m.settings.Moves}
	for _, x := range moves {
		if x.From == m.me() {
			if err := m.pack(local(x.Pid), x.To, separate); err != nil {
				return err
			}
		}
	}
	if _, err := separate.channel.Exchange(0); err != nil {
		return err
	}
	if err := m.receive(separate); err != nil {
		return err
	}
	m.startRuns()
	if err := m.transfer(moves); err != nil {
		return err
	}
	return m.relocate(separate)
}

// Restored announces processes loaded from a checkpoint to all ranks. All ranks call it, and
// call End afterwards.
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

// EachArrived calls f with each process that arrives on this rank, and its old rank.
func (m *Mover) EachArrived(f func(p *process.Process, from int)) {
	for i := range m.arrivals {
		f(m.arrivals[i].process, m.arrivals[i].from)
	}
}

// End resets the Mover after the rank has dropped the old copies.
func (m *Mover) End() { *m = *New(m.settings) }

// carrier sends messages of moves in separate exchanges, or attached to the exchanges of a
// call.
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

// parcel is the first message of a move: everything but the contents of the spans.
type parcel struct {
	Pid     int
	At      string
	Image   process.Image
	Refs    []mpi.Ref // by span: name of its memory, 0 if it must be sent
	Lengths []int     // of the spans, if the move is proposed with a call
}

// pack sends a process's parcel to a rank. In tests that may be this rank.
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

// errNeedsSender is the error of memory that the old rank must send in pieces, which is not
// possible during a call.
var errNeedsSender = errors.New("its memory cannot be reached")

func (m *Mover) unmovable(d *departure, err error) error {
	return &Error{Pid: d.process.Data.Pid, Err: err, Text: fmt.Sprintf("after %s it cannot move to rank %d: %v", d.process.Stages.At.String(), d.to, err)}
}

func (m *Mover) notArrived(pid int, at string, from int, err error) error {
	return &Error{Pid: pid, Err: err, Text: fmt.Sprintf("after %s it did not arrive from rank %d: %v", at, from, err)}
}

// shareSpans returns the names that rank to uses to address the spans, through shared memory or
// copies by the kernel. The name of a span that it cannot address is 0.
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

// receive creates the processes of the parcels that have arrived. If they are proposed with a
// call, it marks the proposals as failed and continues after an error.
func (m *Mover) receive(by carrier) error {
	var failure error
	err := each(by, func(from int, x *parcel) error {
		p, spans, err := m.unpack(&x.Image)
		switch {
		case err == nil:
			m.arrivals = append(m.arrivals, arrival{process: p, from: from, spans: spans, refs: x.Refs, sums: make([]uint64, len(spans))})
			return nil
		case by.attached: // if the process must move, Execute returns the same error
			m.proposed = failed
			if m.byRun(from) {
				m.arrivals = append(m.arrivals, discarded(from, x.Lengths))
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

// discarded returns an arrival that receives, and discards, the runs of a process that could not
// be created.
func discarded(from int, lengths []int) arrival {
	a := arrival{from: from, refs: make([]mpi.Ref, len(lengths)), sums: make([]uint64, len(lengths))}
	for _, n := range lengths {
		a.spans = append(a.spans, make([]byte, n))
	}
	return a
}
