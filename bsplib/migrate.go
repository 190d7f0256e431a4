package bsplib

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// mover is what a rank has in hand while processes move. Between the two
// exchanges of a migration both the old and the new copy of a process exist;
// the second exchange, in which all ranks learn of all arrivals, makes the new
// one the process.
//
// Processes that ask to move need neither of the two: along.go.
type mover struct {
	departures []departure
	arrivals   []arrival
	heard      []told // what ranks have told of theirs

	stays       bool // some process that asks to move was not brought along with the call,
	brought     bool // all that move were
	began, took time.Duration
}

type departure struct {
	proc   *Proc
	to     int
	image  state.Image
	refs   []mpi.Ref
	digest uint64
	err    error // it cannot leave
}

type arrival struct {
	proc   *Proc // nil if there is no place for it
	from   int
	spans  [][]byte
	refs   []mpi.Ref
	runs   []mpi.Run // of the spans, if they are runs
	sums   []uint64  // of the spans, as they come
	digest uint64
}

// migrate carries out moves, the same list on all ranks, between two
// supersteps.
//
// BSP cost: the bytes of the states that leave or reach a rank, times g, and
// two barriers; none if they have been brought.
func (r *rank) migrate(moves []rebalancer.Move) *Error {
	defer func() { r.mover = mover{} }() // which holds the old copies
	if !r.mover.brought {
		r.drop()
		if err := r.bring(moves); err != nil {
			return err
		}
	}
	for _, d := range r.mover.departures {
		r.depart(d)
	}
	for _, m := range moves {
		r.residents.where[m.Pid] = int32(m.To)
		r.stream.Out.Moved(m.Pid, m.To)
	}
	r.collective.Moved()
	for _, a := range r.mover.arrivals {
		r.arrive(a.proc)
	}
	r.rearrange()
	r.learnAreas()
	return nil
}

// bring makes the new copies of all that moves, and has all ranks know of them.
func (r *rank) bring(moves []rebalancer.Move) *Error {
	if err := r.exchangeImages(moves); err != nil {
		return err
	}
	r.startRuns()
	if err := r.transferSpans(moves); err != nil {
		return err
	}
	if err := r.exchangeAreas(r.channels.moves); err != nil {
		return err
	}
	return r.compareArrivals()
}

// rearrange makes the rank's processes those that have not left and those that have
// arrived.
func (r *rank) rearrange() {
	if len(r.mover.departures)+len(r.mover.arrivals) == 0 {
		return
	}
	procs := slices.DeleteFunc(slices.Clone(r.residents.procs), func(p *Proc) bool { return p.gone })
	for _, a := range r.mover.arrivals {
		procs = append(procs, a.proc)
	}
	slices.SortFunc(procs, func(a, b *Proc) int { return a.pid - b.pid })
	r.setProcs(procs)
	r.now.rearranged = true
}

// exchangeImages brings the images of all that move to where they go.
func (r *rank) exchangeImages(moves []rebalancer.Move) *Error {
	if err := r.sendImages(moves); err != nil {
		return err
	}
	if _, err := r.channels.moves.Exchange(0); err != nil {
		return r.engineError(err)
	}
	return r.receiveImages()
}

func (r *rank) sendImages(moves []rebalancer.Move) *Error {
	for _, m := range moves {
		if m.From != r.comm.Rank() {
			continue
		}
		p := r.local(m.Pid)
		d, x := p.departTo(m.To)
		if d.err == nil {
			d.err = control.Send(r.channels.moves, m.To, x)
		}
		if d.err != nil {
			return p.unmovable(m.To, d.err)
		}
		r.mover.departures = append(r.mover.departures, d)
	}
	return nil
}

// departTo packs the process for another rank, or for this one, which in tests it may come to
// anew.
func (p *Proc) departTo(to int) (departure, *processImage) {
	r := p.rank
	x, image, err := p.pack()
	d := departure{proc: p, to: to, image: image, err: err}
	if err == nil && to != r.comm.Rank() {
		d.refs = r.shareSpans(image.Spans, to)
		x.Refs = d.refs
	}
	return d, x
}

// shareSpans makes spans known to a rank that shares memory with this one, or to which
// the kernel copies. Those that it cannot reach have no name.
func (r *rank) shareSpans(spans [][]byte, to int) []mpi.Ref {
	refs, meter := make([]mpi.Ref, len(spans)), r.timing.clock.Moves()
	for i, s := range spans {
		if meter != nil {
			meter.Ship(to, int64(len(s)))
		}
		if r.stream.Peers.Shares(to) {
			refs[i] = r.comm.Share(s)
		}
	}
	return refs
}

func (r *rank) receiveImages() *Error {
	var failure *Error
	err := control.Each(r.channels.moves, func(from int, x *processImage) error {
		if failure = r.receive(from, x); failure != nil {
			return failure
		}
		return nil
	})
	if err != nil && failure == nil {
		failure = &Error{Kind: KindUnmovable, Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step, Err: err,
			Text: fmt.Sprintf("what arrived is no process: %v", err)}
	}
	return failure
}

// receive makes the process of an image, whose spans have still to come.
func (r *rank) receive(from int, x *processImage) *Error {
	r.makeHeadroom()
	p, spans, err := r.unpack(x)
	if err != nil {
		return r.notArrived(x.Pid, x.At, from, err)
	}
	p.cameFrom = int32(from) + 1
	r.mover.arrivals = append(r.mover.arrivals, arrival{
		proc: p, from: from, spans: spans, refs: x.Refs, sums: make([]uint64, len(spans)),
	})
	return nil
}

// depart removes a process that goes on elsewhere.
func (r *rank) depart(d departure) {
	p := d.proc
	r.withdraw(&d)
	r.stream.Local[p.pid] = nil
	p.gone, p.n = true, 0
	defer func() { p.state, p.stage = nil, nil }() // the Proc may be kept by those beside it
	for _, a := range p.data.Areas {
		if a != nil {
			a.View = nil
		}
	}
	if !r.now.inline && p.stop != nil {
		p.stop()
	}
	p.releaseAreas()
}

func (p *Proc) releaseAreas() { p.rank.stream.Registry.Release(&p.data) }

// withdraw ends the use of the names of a process's memory.
func (r *rank) withdraw(d *departure) {
	for _, ref := range d.refs {
		if ref != 0 {
			r.comm.Withdraw(ref)
		}
	}
}

// arrive adds a process to the rank's.
func (r *rank) arrive(p *Proc) {
	r.stream.Local[p.pid] = &p.data
	r.stream.Registry.Use(&p.data)
}

// unmovable is the error of a process that cannot leave.
func (p *Proc) unmovable(to int, err error) *Error {
	return &Error{
		Kind: KindUnmovable, Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.now.step, Err: err,
		Text: fmt.Sprintf("after %s it cannot move to rank %d: %v", p.stages.at, to, err),
	}
}

// notArrived is the error of a process that has not come through.
func (r *rank) notArrived(pid int, at position, from int, err error) *Error {
	return &Error{
		Kind: KindUnmovable, Pid: pid, Rank: r.comm.Rank(), Superstep: r.now.step, Err: err,
		Text: fmt.Sprintf("after %s it did not arrive from rank %d: %v", at, from, err),
	}
}

// relocation is what a rank tells another about processes that have moved.
type relocation struct {
	Arrived []byte            // an arrivedProcesses, the same to all
	Left    []departedProcess // from the rank that tells, to the one that has them now
}

// arrivedProcesses are those on the rank that tells.
type arrivedProcesses []arrivedProcess

type arrivedProcess struct {
	Pid   int
	Areas []arrivedArea // by slot
}

type arrivedArea struct {
	Count int
	Ref   mpi.Ref
}

type departedProcess struct {
	Pid     int
	Digest  uint64
	History []byte // what its rank has measured of it
}

// told is a relocation and the rank that it is from.
type told struct {
	from int
	relocation
	arrived arrivedProcesses
}

// exchangeAreas is the exchange in which all ranks learn of all arrivals.
func (r *rank) exchangeAreas(c *control.Channel) *Error {
	tell := func(to int, x *relocation) error { return control.Send(c, to, x) }
	var history func(pid int) ([]byte, error)
	if r.balance != nil {
		history = r.balance.Depart
	}
	if err := r.publishAreas(tell, history); err != nil {
		return err
	}
	_, err := c.Exchange(0)
	if err == nil {
		err = control.Each(c, r.hear)
	}
	if err != nil {
		return r.engineError(err)
	}
	return nil
}

// hear keeps what a rank has told.
func (r *rank) hear(from int, x *relocation) error {
	in := told{from: from, relocation: *x}
	err := wire.Read(x.Arrived, &in.arrived)
	r.mover.heard = append(r.mover.heard, in)
	return err
}

// publishAreas tells all ranks where the arrived processes' areas are, and
// those that took this rank's processes the digest of what left, and its history,
// unless there are no histories.
func (r *rank) publishAreas(tell func(to int, x *relocation) error, history func(pid int) ([]byte, error)) *Error {
	if len(r.mover.arrivals)+len(r.mover.departures) == 0 {
		return nil
	}
	out := make([]relocation, r.comm.Size())
	for _, d := range r.mover.departures {
		left := departedProcess{Pid: d.proc.pid, Digest: d.digest}
		if history != nil {
			var err error
			if left.History, err = history(left.Pid); err != nil {
				return d.proc.unmovable(d.to, err)
			}
		}
		out[d.to].Left = append(out[d.to].Left, left)
	}
	var arrived arrivedProcesses
	for _, a := range r.mover.arrivals {
		r.stream.Registry.Share(&a.proc.data)
		arrived = append(arrived, a.proc.whereAreas())
	}
	text, err := wire.Append(nil, &arrived)
	if err != nil {
		return r.engineError(err)
	}
	for to := range out {
		out[to].Arrived = text
		if err := tell(to, &out[to]); err != nil {
			return r.engineError(err)
		}
	}
	return nil
}

// whereAreas is where the process's areas are.
func (p *Proc) whereAreas() arrivedProcess {
	x := arrivedProcess{Pid: p.pid}
	for _, area := range p.data.Areas {
		if area == nil {
			x.Areas = append(x.Areas, arrivedArea{})
			continue
		}
		x.Areas = append(x.Areas, arrivedArea{area.Count, area.Ref})
	}
	return x
}

// compareArrivals compares what has arrived with what had left, and takes in its history.
func (r *rank) compareArrivals() *Error {
	left := make(map[int]departedProcess)
	for _, in := range r.mover.heard {
		for _, x := range in.Left {
			left[x.Pid] = x
		}
	}
	for _, a := range r.mover.arrivals {
		var err error
		x, came := left[a.proc.pid] // or it was read from a checkpoint
		if b := r.balance; a.digest != x.Digest {
			err = fmt.Errorf("its state is not what had left: digest %016x, not %016x", a.digest, x.Digest)
		} else if came && b != nil {
			err = b.Arrive(a.proc.pid, x.History)
		}
		if err != nil {
			return r.notArrived(a.proc.pid, a.proc.stages.at, a.from, err)
		}
	}
	return nil
}

// learnAreas makes the new places of areas known on this rank, of processes that have moved.
func (r *rank) learnAreas() {
	for _, in := range r.mover.heard {
		for _, x := range in.arrived {
			if r.residents.where[x.Pid] == int32(in.from) {
				r.reachAreas(in.from, x.Pid, x.Areas)
			}
		}
	}
}

// reachAreas takes in where the areas of process pid, now on rank src, are.
func (r *rank) reachAreas(src, pid int, areas []arrivedArea) {
	for slot, x := range areas {
		r.stream.Registry.Place(src, pid, slot, x.Count, x.Ref)
	}
}

// transferSpans brings the large parts of moving states straight from the old
// memory into the new. Between nodes they are runs, all of which are on their way at
// once; where the new rank can reach the old memory it copies from there. Elsewhere they
// are sent in pieces: all ranks go through these moves in one order that lets different
// pairs of ranks work at the same time.
//
// Sums are taken meanwhile: by the old rank while the library sends, by the new one of
// each piece when it has come.
func (r *rank) transferSpans(moves []rebalancer.Move) *Error {
	for i := range r.mover.arrivals {
		if err := r.copyReachable(&r.mover.arrivals[i]); err != nil {
			return r.engineError(err)
		}
	}
	for _, m := range inRounds(moves) {
		var err error
		switch me := r.comm.Rank(); {
		case m.From == m.To || r.movesByRun(m.From) || r.movesByRun(m.To):
		case m.From == me:
			err = r.sendSpans(m)
		case m.To == me:
			err = r.receiveSpans(m)
		}
		if err != nil {
			return r.engineError(err)
		}
	}
	if err := r.sumDepartures(); err != nil {
		return r.engineError(err)
	}
	for i := range r.mover.arrivals {
		a := &r.mover.arrivals[i]
		if err := r.awaitSpans(a); err != nil {
			return r.engineError(err)
		}
	}
	if err := r.settle(mpi.Moves); err != nil {
		return err
	}
	for i := range r.mover.arrivals {
		a := &r.mover.arrivals[i]
		if a.proc == nil {
			continue
		}
		if err := a.takeDigest(); err != nil {
			return r.notArrived(a.proc.pid, a.proc.stages.at, a.from, err)
		}
	}
	return nil
}

// movesByRun reports whether processes go to that rank, and come from there, as runs.
func (r *rank) movesByRun(rank int) bool { return r.stream.Out.To(rank).Runs != nil }

// startRuns gives and takes the spans that are runs.
func (r *rank) startRuns() {
	for _, d := range r.mover.departures {
		if r.movesByRun(d.to) {
			for _, s := range d.image.Spans {
				r.stream.Out.Runs.Give(d.to, mpi.Moves, s)
			}
		}
	}
	for i := range r.mover.arrivals {
		a := &r.mover.arrivals[i]
		if !r.movesByRun(a.from) {
			continue
		}
		for _, s := range a.spans {
			a.runs = append(a.runs, r.stream.Out.Runs.Take(a.from, mpi.Moves, s))
		}
	}
}

// sumDepartures takes the digests of the states that leave.
func (r *rank) sumDepartures() error {
	for i := range r.mover.departures {
		d := &r.mover.departures[i]
		sums := make([]uint64, len(d.image.Spans))
		for k, s := range d.image.Spans {
			var digest state.SpanDigest
			for piece := range slices.Chunk(s, copyPiece) {
				digest.Add(piece)
				if r.stream.Out.Runs != nil {
					if err := r.stream.Out.Runs.Progress(); err != nil {
						return err
					}
				}
			}
			sums[k] = digest.Sum()
		}
		d.digest = state.DigestOf(d.image.Skeleton, sums)
	}
	return nil
}

// awaitSpans waits for the spans of a process that are runs.
func (r *rank) awaitSpans(a *arrival) error {
	for i, run := range a.runs {
		var digest state.SpanDigest
		at := 0
		for piece := range slices.Chunk(a.spans[i], copyPiece) {
			at += len(piece)
			if err := r.stream.Out.Runs.Landed(run, at); err != nil {
				return err
			}
			digest.Add(piece)
		}
		a.sums[i] = digest.Sum()
	}
	return nil
}

// takeDigest encodes the state that has arrived once more: what comes out must
// be what went in at the other end. The sums of spans were taken as they came.
func (a *arrival) takeDigest() error {
	image, err := a.proc.image()
	if err != nil {
		return err
	}
	same := slices.EqualFunc(image.Spans, a.spans, func(x, y []byte) bool { return memory.At(x) == memory.At(y) && len(x) == len(y) })
	if same {
		a.digest = state.DigestOf(image.Skeleton, a.sums)
	} else {
		a.digest = state.Digest(image)
	}
	return nil
}

// copyReachable fills those spans whose source this rank can address.
func (r *rank) copyReachable(a *arrival) error {
	if a.from == r.comm.Rank() {
		for _, d := range r.mover.departures {
			if d.proc.pid == a.proc.pid {
				for i := range a.spans {
					a.copySpan(i, memory.At(d.image.Spans[i]))
				}
			}
		}
		return nil
	}
	for i := range a.spans {
		ref := a.refs[i]
		if ref == 0 {
			continue
		}
		if from := r.comm.Reach(a.from, ref); from != nil {
			a.copySpan(i, from)
		} else if err := a.attachSpan(i, r.stream.Peers.Attach); err != nil {
			return fmt.Errorf("memory of process %d on rank %d: %w", a.proc.pid, a.from, err)
		}
	}
	return nil
}

// copyPiece is how much is copied before its sum is taken, while the cache has
// it.
const copyPiece = 256 << 10

// copySpan fills span i.
func (a *arrival) copySpan(i int, from unsafe.Pointer) {
	var digest state.SpanDigest
	at := 0
	for piece := range slices.Chunk(a.spans[i], copyPiece) {
		memory.Copy(memory.At(piece), unsafe.Add(from, at), len(piece))
		digest.Add(piece)
		at += len(piece)
	}
	a.sums[i] = digest.Sum()
}

// attachSpan is copySpan by the kernel.
func (a *arrival) attachSpan(i int, attach mpi.Attach) error {
	var digest state.SpanDigest
	at := 0
	for piece := range slices.Chunk(a.spans[i], copyPiece) {
		if err := attach.CopyFrom(a.from, a.refs[i], at, piece); err != nil {
			return err
		}
		digest.Add(piece)
		at += len(piece)
	}
	a.sums[i] = digest.Sum()
	return nil
}

// A span that is sent goes in pieces, and no more than a window of them is
// under way: the receiver confirms each window's end.
const (
	pieceBytes   = 1 << 20
	windowPieces = 8
)

func (r *rank) sendSpans(m rebalancer.Move) error {
	for _, d := range r.mover.departures {
		if d.proc.pid != m.Pid {
			continue
		}
		for i, s := range d.image.Spans {
			if d.refs[i] != 0 {
				continue
			}
			pieces := 0
			for piece := range slices.Chunk(s, pieceBytes) {
				if err := r.comm.Send(m.To, piece); err != nil {
					return err
				}
				if pieces++; pieces%windowPieces == 0 {
					if err := r.comm.Recv(m.To, make([]byte, 1)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (r *rank) receiveSpans(m rebalancer.Move) error {
	for _, a := range r.mover.arrivals {
		if a.proc.pid != m.Pid {
			continue
		}
		for i, s := range a.spans {
			if a.refs[i] != 0 {
				continue
			}
			var digest state.SpanDigest
			pieces := 0
			for piece := range slices.Chunk(s, pieceBytes) {
				if err := r.comm.Recv(m.From, piece); err != nil {
					return err
				}
				digest.Add(piece)
				if pieces++; pieces%windowPieces == 0 {
					if err := r.comm.Send(m.From, []byte{1}); err != nil {
						return err
					}
				}
			}
			a.sums[i] = digest.Sum()
		}
	}
	return nil
}

// inRounds orders moves so that, taken one after another by each rank, those
// of different ranks can go on at the same time: a rank is in one move of a
// round at most.
func inRounds(moves []rebalancer.Move) []rebalancer.Move {
	type placed struct {
		rebalancer.Move
		round int
	}
	next := make(map[int]int)
	order := make([]placed, len(moves))
	for i, m := range moves {
		round := max(next[m.From], next[m.To])
		next[m.From], next[m.To] = round+1, round+1
		order[i] = placed{m, round}
	}
	slices.SortStableFunc(order, func(a, b placed) int { return a.round - b.round })
	sorted := make([]rebalancer.Move, len(moves))
	for i, p := range order {
		sorted[i] = p.Move
	}
	return sorted
}
