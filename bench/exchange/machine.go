package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
)

// machine is a cluster in which messages are events:
//
//   - A rank handles what has come for it one after the other, and what it does then takes
//     its time: o for each message that it sends, o_recv for each that it receives, and
//     for their bytes; M for what another rank of its node has written.
//   - A node has one network card. It sends one message after the other, each for the time
//     of its bytes and at least for g, and it receives in the same way. Between two cards
//     a message takes L.
//   - Where ranks share cores, they take turns: a rank handles what has come for it, then
//     passes its core on, also if nothing has.
//   - Where nodes share switches, what leaves the nodes of one for those of another goes
//     one after the other through the uplinks of both.
//
// Where all nodes are alike, and have the same for each other (package traffic), all do the
// same at the same time. Then one can stand for all (fold): what it sends to another node is
// what comes to it at that time from a third one.
type machine struct {
	network
	traffic.Shape
	fold  bool
	steps int // supersteps that each rank makes
	way   way

	ranks   []rank
	cards   []card
	uplinks []card
	shared  []*turns // of groups of ranks that share cores; none if each rank has its own
	events  queue
	left    int // ranks that are not done
	count   counts
}

// counts are of all messages between nodes.
type counts struct{ messages, bytes int64 }

// card is when a network card, or a line behind it, can send and receive next.
type card struct{ out, in float64 }

// rank is a process.
type rank struct {
	node, member int
	clock        float64   // until when it is busy
	inbox        []message // what it has not handled yet
	woken        bool      // there is an event at which it handles the first of them
	step         int       // superstep it is in
	early        []message // of later ones
	ended        []float64 // by superstep
	done         bool      // with this superstep
	own          any       // of the way
}

// message is from a rank to another one.
type message struct {
	from, to int // nodes
	member   int // of the receiving node
	local    bool
	step     int // superstep
	kind     int // as the way names it
	index    int // of several of that kind
	bytes    int
	parcels  []parcel
	heard    []bool // by node, where that is checked: whose flags it has
}

// way is how ranks end a superstep. Its methods are called at the time of the rank's clock
// and return when nothing is to do before something else arrives.
type way interface {
	begin(m *machine, r *rank)
	arrive(m *machine, r *rank, msg message) // of this superstep
}

// starts is the kind of the message by which a rank comes to its first superstep.
const starts = -1

func newMachine(n network, s traffic.Shape, fold bool, steps int, w way) *machine {
	m := &machine{network: n, Shape: s, fold: fold, steps: steps, way: w}
	nodes := s.Nodes
	if fold {
		nodes = 1
	}
	m.ranks, m.cards, m.left = make([]rank, nodes*s.Ranks), make([]card, nodes), nodes*s.Ranks
	if n.Leaf > 0 {
		m.uplinks = make([]card, (s.Nodes+n.Leaf-1)/n.Leaf)
	}
	if n.Cores > 0 {
		m.shared = []*turns{{cores: make([]float64, n.Cores)}}
		for node := 1; n.PerNode && node < nodes; node++ {
			m.shared = append(m.shared, &turns{cores: make([]float64, n.Cores)})
		}
	}
	for i := range m.ranks {
		r := &m.ranks[i]
		r.node, r.member = i/s.Ranks, i%s.Ranks
		if n.Cores > 0 {
			t := m.shared[r.node%len(m.shared)]
			t.queue = append(t.queue, r)
		}
		m.events.add(event{0, arrives, message{from: r.node, to: r.node, member: r.member, local: true, kind: starts}})
	}
	return m
}

// run simulates all supersteps and returns what one takes: of the second half of them, in
// which no rank remembers that all have begun at once.
func (m *machine) run() float64 {
	for m.left > 0 {
		at, any := m.events.first()
		t := m.nextTurn()
		switch {
		case t != nil && (!any || t.next() < at):
			t.turn(m, any)
		case any:
			m.handle(m.events.take())
		default:
			panic("the ranks wait for each other")
		}
	}
	half := m.steps / 2
	return (m.end(m.steps-1) - m.end(half-1)) / float64(m.steps-half)
}

// end is when the last rank has ended a superstep.
func (m *machine) end(step int) (at float64) {
	for i := range m.ranks {
		at = max(at, m.ranks[i].ended[step])
	}
	return at
}

// perNode is how many messages and bytes a node sends to others in a superstep.
func (m *machine) perNode() (messages, bytes float64) {
	n := float64(m.steps * len(m.cards))
	return float64(m.count.messages) / n, float64(m.count.bytes) / n
}

// send sends a message to another node, when a rank has done what it does.
func (m *machine) send(r *rank, msg message) {
	r.clock += m.O + m.copied(msg.bytes)
	m.count.messages++
	m.count.bytes += int64(msg.bytes)
	msg.from, msg.step = r.node, r.step
	if m.fold {
		msg.parcels = shifted(msg.parcels, msg.to, m.Nodes)
		msg.to = 0
	}
	m.events.add(event{r.clock, leaves, msg})
}

// tell has another rank of the node see something.
func (m *machine) tell(r *rank, member, kind, index int) {
	m.events.add(event{r.clock, arrives, message{from: r.node, to: r.node, member: member, local: true, step: r.step, kind: kind, index: index}})
}

// What happens to a message, in this order; the second and the fourth only between switches.
const (
	leaves  = iota // it comes from a rank to the card of its node
	rises          // to its uplink
	reaches        // to the other node's uplink, or card
	lands          // to the other node's card
	arrives        // all of it is in the other node's memory
	wakes          // the rank has time for it
)

// wire is how long bytes pass a card.
func (m *machine) wire(bytes int) float64 { return float64(max(bytes-1, 0)) * m.G }

// uplink is how long bytes pass an uplink.
func (m *machine) uplink(bytes int) float64 { return m.wire(bytes) * m.Taper / float64(m.Leaf) }

func (m *machine) handle(e event) {
	msg := &e.message
	between := m.Leaf > 0 && msg.from/m.Leaf != msg.to/m.Leaf
	switch e.kind {
	case leaves:
		c := &m.cards[msg.from]
		start := max(e.at, c.out)
		c.out = start + max(m.W, m.wire(msg.bytes))
		if between {
			m.events.add(event{start, rises, *msg})
		} else {
			m.events.add(event{start + m.L, reaches, *msg})
		}
	case rises:
		u := &m.uplinks[msg.from/m.Leaf]
		start := max(e.at, u.out)
		u.out = start + m.uplink(msg.bytes)
		m.events.add(event{start + m.L, reaches, *msg})
	case reaches:
		if between {
			u := &m.uplinks[msg.to/m.Leaf]
			start := max(e.at, u.in)
			u.in = start + m.uplink(msg.bytes)
			m.events.add(event{start, lands, *msg})
			return
		}
		m.land(e)
	case lands:
		m.land(e)
	case arrives:
		r := &m.ranks[msg.to*m.Ranks+msg.member]
		r.inbox = append(r.inbox, *msg)
		if m.shared == nil && !r.woken {
			r.woken = true
			m.events.add(event{max(e.at, r.clock), wakes, message{to: msg.to, member: msg.member}})
		}
	case wakes:
		r := &m.ranks[msg.to*m.Ranks+msg.member]
		r.clock = max(r.clock, e.at)
		m.take(r)
		if r.woken = len(r.inbox) > 0; r.woken {
			m.events.add(event{r.clock, wakes, *msg})
		}
	}
}

func (m *machine) land(e event) {
	c := &m.cards[e.to]
	start := max(e.at, c.in)
	end := start + m.wire(e.bytes)
	c.in = max(start+m.W, end)
	m.events.add(event{end, arrives, e.message})
}

// take has a rank handle what has come first.
func (m *machine) take(r *rank) {
	msg := r.inbox[0]
	r.inbox = r.inbox[1:]
	switch {
	case msg.kind == starts:
		m.way.begin(m, r)
	case msg.local:
		r.clock += m.M
		m.give(r, msg)
	default:
		r.clock += m.R + m.copied(msg.bytes)
		m.give(r, msg)
	}
	for r.done && r.step < m.steps {
		r.done = false
		r.ended = append(r.ended, r.clock)
		if r.step++; r.step == m.steps {
			m.left--
			return
		}
		m.way.begin(m, r)
		early := r.early
		r.early = nil
		for _, msg := range early {
			m.give(r, msg)
		}
	}
}

func (m *machine) give(r *rank, msg message) {
	switch {
	case msg.step > r.step:
		r.early = append(r.early, msg)
	case msg.step < r.step || r.done:
		panic(fmt.Sprintf("rank %d of node %d has ended superstep %d without waiting for all: %+v", r.member, r.node, msg.step, msg))
	default:
		m.way.arrive(m, r, msg)
	}
}

// nextTurn is where the next core is free, nil if each rank has its own.
func (m *machine) nextTurn() (first *turns) {
	for _, t := range m.shared {
		if first == nil || t.next() < first.next() {
			first = t
		}
	}
	return first
}

// turns are those of ranks that share cores.
type turns struct {
	cores []float64 // until when they are busy
	queue []*rank
	idle  int // turns in a row in which nothing has happened
}

// next is when the next core is free.
func (t *turns) next() float64 { return t.cores[t.free()] }

func (t *turns) free() (core int) {
	for i, at := range t.cores {
		if at < t.cores[core] {
			core = i
		}
	}
	return core
}

// turn gives the free core to the next rank. more says that there are events to come.
func (t *turns) turn(m *machine, more bool) {
	core, r := t.free(), t.queue[0]
	if t.idle++; len(r.inbox) > 0 || more {
		t.idle = 0
	}
	if t.idle > 2*len(m.ranks) {
		panic("the ranks wait for each other")
	}
	r.clock = t.cores[core]
	for len(r.inbox) > 0 {
		m.take(r)
	}
	t.cores[core] = r.clock + m.Turn
	copy(t.queue, t.queue[1:])
	t.queue[len(t.queue)-1] = r
}
