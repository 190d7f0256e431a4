package main

import (
	"slices"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// levels is how migbsp ends a superstep (mpi/relay.go): the ranks of a node meet in its
// memory, its first rank packs what they have for others and makes the rounds of the plan.
// With partners there are no rounds: a message goes to each node that gets or sends
// something, which package mpi does not do.
type levels struct {
	plan     *rounds.Plan
	partners bool

	parcels []parcel // of each node; dst is a distance
	copied  int      // bytes of them that the leader copies
	read    int      // pieces that it finds in other ranks' memory
	members []pieces // by member
	near    []int    // distances of partners
	check   *received
}

// parcel is what a node has for another.
type parcel struct {
	src, dst, bytes int
	apart           bool // it comes by itself, this is the news of it
}

// pieces are those of a member.
type pieces struct {
	long  []traffic.Flow // to send
	come  int            // for it
	apart int            // of these, long ones
}

// Kinds of messages of levels.
const (
	here    = iota // to the leader: a member has come
	release        // from the leader
	step           // of the rounds, by their index
	apart          // a parcel that was announced
	piece          // a long one
)

func newLevels(plan *rounds.Plan, s traffic.Shape, p traffic.Pattern, bytes int) *levels {
	w := &levels{plan: plan, members: make([]pieces, s.Ranks)}
	alone := s.Ranks == 1
	long := func(n int) bool { return rounds.Long(n, alone, alone) }
	at := make(map[int]int) // of the parcel, by distance
	count := make(map[int]int)
	var single []traffic.Flow
	for _, f := range s.Flows(p, bytes, long) {
		if _, known := at[f.Distance]; !known {
			at[f.Distance] = len(w.parcels)
			w.parcels = append(w.parcels, parcel{dst: f.Distance})
			w.near = append(w.near, f.Distance)
			single = append(single, f)
		}
		w.parcels[at[f.Distance]].bytes += f.Pieces * rounds.Packed(f.Bytes, long(f.Bytes))
		count[f.Distance] += f.Pieces
		if f.Pieces > 1 {
			w.read += f.Pieces / s.Ranks * (s.Ranks - 1)
			for i := range w.members {
				w.members[i].come += f.Pieces / s.Ranks
			}
			continue
		}
		if f.From != 0 {
			w.read++
		}
		w.members[f.To].come++
		if long(f.Bytes) {
			w.members[f.To].apart++
			w.members[f.From].long = append(w.members[f.From].long, f)
		}
	}
	for i, f := range single {
		pc := &w.parcels[i]
		if count[f.Distance] > 1 {
			w.copied += pc.bytes
			continue
		}
		if pc.bytes = rounds.RecordBytes; !long(f.Bytes) {
			pc.bytes += f.Bytes
		}
		if f.From != 0 && pc.bytes > plan.InlineBytes {
			w.copied += pc.bytes
		}
	}
	return w
}

// member is a rank's state in a superstep.
type member struct {
	free bool // it is released
	came int  // long pieces
	lead *lead
}

// lead is the leader's.
type lead struct {
	here     int        // members that have come
	begun    bool       // the rounds
	next     int        // the first step of the round that goes on
	seen     int        // all before this step have come
	came     []*message // by step
	held     []parcel   // to pass on
	got      []parcel   // for this node
	apart    int        // parcels that came by themselves
	wanted   int        // of those that were announced
	finished bool
	heard    []bool
}

func (w *levels) begin(m *machine, r *rank) {
	own := &member{}
	r.own = own
	for _, f := range w.members[r.member].long {
		m.send(r, message{to: (r.node + f.Distance) % m.Nodes, member: f.To, kind: piece, bytes: f.Bytes})
	}
	if r.member > 0 {
		m.tell(r, 0, here, 0)
		return
	}
	own.lead = &lead{here: 1, came: make([]*message, max(len(w.plan.Steps), len(w.near)))}
	w.lead(m, r, own.lead)
}

func (w *levels) arrive(m *machine, r *rank, msg message) {
	own := r.own.(*member)
	switch msg.kind {
	case here:
		own.lead.here++
	case release:
		own.free = true
		r.clock += float64(m.Ranks-1) * m.M // it reads the words of all
	case piece:
		own.came++
	case step:
		own.lead.came[msg.index] = &msg
	case apart:
		own.lead.apart++
	}
	if own.lead != nil && !own.free {
		w.lead(m, r, own.lead)
	}
	w.end(m, r)
}

// end ends the superstep of a member that has all its pieces.
func (w *levels) end(m *machine, r *rank) {
	own, has := r.own.(*member), w.members[r.member]
	if own.free && own.came == has.apart && !r.done {
		r.clock += float64(has.come) * m.M
		r.done = true
	}
}

// lead goes on with the leader's part as far as it can.
func (w *levels) lead(m *machine, r *rank, l *lead) {
	if l.here < m.Ranks {
		return
	}
	if !l.begun {
		l.begun = true
		w.gather(m, r, l)
	}
	for !l.finished {
		end := w.roundEnd(l.next)
		for l.seen < end && l.came[l.seen] != nil {
			l.seen++
		}
		if l.seen < end {
			return
		}
		for s := l.next; s < end; s++ {
			w.open(r, l, l.came[s])
		}
		if l.next = end; l.next == w.steps() {
			l.finished = true
		} else {
			w.sendRound(m, r, l)
		}
	}
	if l.apart < l.wanted {
		return
	}
	w.check.node(r, l)
	r.own.(*member).free = true
	for other := 1; other < m.Ranks; other++ {
		m.tell(r, other, release, 0)
	}
	w.end(m, r)
}

// gather packs the parcels and sends the messages of the first round, then what these
// announce.
func (w *levels) gather(m *machine, r *rank, l *lead) {
	r.clock += float64(w.read)*m.M + float64(w.copied)*m.C
	w.check.begin(r, l)
	for _, p := range w.parcels {
		p.src, p.dst = r.node, (r.node+p.dst)%m.Nodes
		p.apart = p.bytes > w.plan.InlineBytes
		l.held = append(l.held, p)
	}
	if w.steps() == 0 {
		l.finished = true
		return
	}
	mine := l.held
	w.sendRound(m, r, l)
	for _, p := range mine {
		if p.apart {
			m.send(r, message{to: p.dst, kind: apart, bytes: p.bytes})
		}
	}
}

// steps is how many messages there are for a node without parcels.
func (w *levels) steps() int {
	if w.partners {
		return len(w.near)
	}
	return len(w.plan.Steps)
}

// roundEnd is the first step behind the round of a step.
func (w *levels) roundEnd(s int) int {
	if w.partners {
		return w.steps()
	}
	return s + min(w.plan.Radix-1, len(w.plan.Steps)-s)
}

// sendRound sends the messages of a round, with the parcels that each passes on.
func (w *levels) sendRound(m *machine, r *rank, l *lead) {
	end := w.roundEnd(l.next)
	pass := make([][]parcel, end-l.next)
	var keep []parcel
	for _, p := range l.held {
		if s := w.taker(w.plan.Distance(p.src, p.dst), l.next); s >= 0 {
			pass[s-l.next] = append(pass[s-l.next], p)
		} else {
			keep = append(keep, p)
		}
	}
	l.held = keep
	for i, parcels := range pass {
		s, bytes := l.next+i, rounds.HeadBytes
		for _, p := range parcels {
			bytes += w.plan.Labelled(p.bytes)
		}
		r.clock += float64(bytes-rounds.HeadBytes) * m.C
		m.send(r, message{to: (r.node + w.distance(s)) % m.Nodes, kind: step, index: w.index(s, m.Nodes), bytes: bytes, parcels: parcels, heard: l.heard})
	}
}

// distance is that to the node to which a step leads.
func (w *levels) distance(s int) int {
	if w.partners {
		return w.near[s]
	}
	return w.plan.Steps[s].Distance
}

// taker is the step, of the round that begins with first, that takes parcels of that
// distance along; -1 for none.
func (w *levels) taker(distance, first int) int {
	if w.partners {
		return slices.Index(w.near, distance)
	}
	if digit := w.plan.Digit(distance, w.plan.Steps[first].Round); digit > 0 {
		return first + digit - 1 // the steps of a round are in the order of their digits
	}
	return -1
}

// index is under which the receiver knows the message of a step: the partner at a distance
// is that at the opposite one to it.
func (w *levels) index(s, nodes int) int {
	if w.partners {
		for i, d := range w.near {
			if (d+w.near[s])%nodes == 0 {
				return i
			}
		}
	}
	return s
}

// open takes the parcels of a message.
func (w *levels) open(r *rank, l *lead, msg *message) {
	w.check.hear(l, msg)
	for _, p := range msg.parcels {
		if p.dst != r.node {
			l.held = append(l.held, p)
			continue
		}
		l.got = append(l.got, p)
		if p.apart {
			l.wanted++
		}
	}
}

// shifted are parcels as the node sees them that they come to, where it is node 0.
func shifted(parcels []parcel, by, nodes int) []parcel {
	var all []parcel
	for _, p := range parcels {
		p.src, p.dst = (p.src-by+nodes)%nodes, (p.dst-by+nodes)%nodes
		all = append(all, p)
	}
	return all
}

// received is what nodes have heard of each other and got, for tests. A nil one looks away.
type received struct {
	nodes   int
	flags   []int      // of nodes that it has heard of, at the end of each superstep of each node
	parcels [][]parcel // that came, likewise
}

func (c *received) begin(r *rank, l *lead) {
	if c != nil {
		l.heard = make([]bool, c.nodes)
		l.heard[r.node] = true
	}
}

// hear joins the flags of a message to those of a node, in a new list: the old one is on
// its way elsewhere.
func (c *received) hear(l *lead, msg *message) {
	if c == nil {
		return
	}
	all := make([]bool, c.nodes)
	for i := range all {
		all[i] = l.heard[i] || msg.heard[i]
	}
	l.heard = all
}

func (c *received) node(r *rank, l *lead) {
	if c == nil {
		return
	}
	flags := 0
	for _, heard := range l.heard {
		if heard {
			flags++
		}
	}
	c.flags, c.parcels = append(c.flags, flags), append(c.parcels, l.got)
}
