package randprog

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

// process is one process of a program that runs on the library.
type process struct {
	*bsplib.Proc
	p    *Program
	want [][]uint64 // digests: see Predict
	*State

	scratch []byte   // memory that values put or sent are copied from
	kept    [][]byte // sources of HPPuts, which must not change before Sync
	views   []view   // messages of this superstep
}

// view is a message where the library keeps it, with its first content.
type view struct{ values, was []byte }

// A Difference is a deviation from the model that a process has found.
type Difference struct {
	Step, pid int // found at the start of the superstep
	text      string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("process %d differs after superstep %d: %s", d.pid, d.Step-1, d.text)
}

// State is the state of a process, which moves with it.
type State struct {
	Mem    [][]byte // by block
	Areas  []anyArea
	Queues []anyQueue
	Log    []string
	Kept   keeping
	Done   int // plain sections
}

// Run carries out a program on the library. It compares memory and messages with
// the result of Predict at the start of each superstep, and returns the first Difference.
func (p *Program) Run(b *bsplib.Proc, s *State, want [][]uint64) error {
	if b.Fresh() {
		s.Mem = newMemory(p, b.Pid())
		s.Areas, s.Queues = make([]anyArea, len(p.areas)), make([]anyQueue, len(p.queues))
		s.Kept = make(keeping)
	}
	x := &process{Proc: b, p: p, want: want, State: s}
	for i, section := range p.sections {
		if err := x.section(i, section); err != nil {
			return err
		}
	}
	return x.compare(len(p.steps))
}

func (x *process) section(number int, s section) error {
	if s.stages == 0 {
		if number < x.Done {
			return nil
		}
		x.Done = number + 1
		return x.pass(s.passes[0])
	}
	for k := range x.Stages(s.stages) {
		if err := x.pass(s.passes[k]); err != nil {
			return err
		}
		if s.leave && k == len(s.passes)-1 {
			break
		}
	}
	return nil
}

func (x *process) pass(steps []int) error {
	for _, s := range steps {
		if err := x.compare(s); err != nil {
			return err
		}
		if x.p.Before != nil {
			x.p.Before(x.Proc, s)
		}
		if err := x.superstep(s); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the memory that the process may access in superstep s.
func (x *process) compare(s int) error {
	for _, b := range x.kept {
		Fill(b, 1)
	}
	x.kept, x.views = x.kept[:0], x.views[:0]
	if s > 0 && x.p.steps[s-1].end.what == endStage {
		if err := x.clearOthers(s); err != nil {
			return err
		}
	}
	except := x.p.excluded(s, x.Pid())
	log := x.Log
	x.Log = x.Log[:0]
	if digest(x.Mem, log, except) == x.want[s][x.Pid()] {
		return nil
	}
	return &Difference{s, x.Pid(), x.explain(s, log, except)}
}

// clearOthers clears the elements that are not kept. In a process that has just arrived they must be clear.
func (x *process) clearOthers(s int) (err error) {
	_, arrived := x.Runtime().Arrived()
	x.Kept.others(x.p, x.Mem, func(mem []byte) {
		if arrived && slices.ContainsFunc(mem, func(b byte) bool { return b != 0 }) {
			err = &Difference{s, x.Pid(), "what was not kept has come along"}
		}
		clear(mem)
	})
	return err
}

// explain finds the first difference from the model.
func (x *process) explain(s int, log []string, except []span) string {
	m := modelAt(x.p, s)
	for b, want := range m.mem[x.Pid()] {
		for at, v := range x.Mem[b] {
			if v != want[at] && !meetsAny(span{b, at, at + 1}, except) {
				size := kinds[x.p.blocks[b].kind].size()
				return fmt.Sprintf("block %d, element %d (byte %d of %d): %#02x, want %#02x", b, at/size, at, len(want), v, want[at])
			}
		}
	}
	want := m.log[x.Pid()]
	for i := range max(len(log), len(want)) {
		switch {
		case i >= len(log):
			return fmt.Sprintf("nothing received, want %q", want[i])
		case i >= len(want):
			return fmt.Sprintf("received %q, want nothing", log[i])
		case log[i] != want[i]:
			return fmt.Sprintf("received %q, want %q", log[i], want[i])
		}
	}
	return "a difference that was gone when looked at again"
}

func (x *process) superstep(s int) error {
	step := &x.p.steps[s]
	ops := step.ops[x.Pid()]
	for i := range ops {
		x.do(&ops[i])
	}
	for _, v := range x.views {
		if !bytes.Equal(v.values, v.was) {
			return &Difference{s + 1, x.Pid(), "a message changed before the superstep ended"}
		}
	}
	line := step.end.perform(x.Proc)
	if line != "" {
		x.Log = append(x.Log, line)
	}
	for _, o := range ops {
		if o.what == pop && x.p.freshArea(o.area) {
			x.Mem[x.p.areas[o.area].block] = nil
		}
	}
	return nil
}

// do makes the call of an op.
func (x *process) do(o *op) {
	switch o.what {
	case put:
		area, values := x.Areas[o.area].area(), x.source(o)
		if size := x.p.elemSize(o); o.each {
			for i := range o.n {
				area.put(o.pid, o.at+i, values[i*size:][:size])
			}
		} else {
			area.put(o.pid, o.at, values)
		}
		Fill(x.scratch, 2)
	case hpPut:
		x.Areas[o.area].area().hpPut(o.pid, o.at, x.source(o))
		x.kept = append(x.kept, x.scratch)
		x.scratch = nil
	case get:
		x.Areas[o.area].area().get(o.pid, o.at, x.local(o))
	case hpGet:
		x.Areas[o.area].area().hpGet(o.pid, o.at, x.local(o))
	case send:
		queue := x.Queues[o.queue].queue()
		for tag, values := range x.p.messages(o, x.source(o)) {
			queue.send(o.pid, tag, values)
		}
		Fill(x.scratch, 3)
	case receive:
		x.receive(x.Queues[o.queue].queue(), o)
	case write:
		Fill(x.local(o), o.fill)
	case nothing:
		x.doNothing(o)
	case keep:
		x.Kept[o.area] = o.n
		x.Areas[o.area].area().Keep(o.n)
	case ask:
		x.ask(o)
	case register:
		a := &x.p.areas[o.area]
		size := kinds[x.p.blocks[a.block].kind].size()
		mem := x.Mem[a.block][a.lo[x.Pid()]*size : a.hi[x.Pid()]*size]
		x.Areas[o.area] = keepArea(kinds[x.p.blocks[a.block].kind].register(x.Proc, mem))
	case alloc:
		b := x.p.areas[o.area].block
		made, mem := kinds[x.p.blocks[b].kind].alloc(x.Proc, x.p.blocks[b].count[x.Pid()])
		x.Areas[o.area], x.Mem[b] = keepArea(made), mem
	case pop:
		x.Areas[o.area].area().Pop()
	case makeQueue:
		x.Queues[o.queue] = keepQueue(mailKinds[x.p.queues[o.queue]].make(x.Proc))
	}
}

// doNothing makes calls without values, which do not check their other arguments.
func (x *process) doNothing(o *op) {
	a := remote(areaOf[int64]{})
	if o.area >= 0 && x.Areas[o.area].area() != nil {
		a = x.Areas[o.area].area()
	}
	switch o.how {
	case 0:
		a.put(o.pid, o.at, nil)
	case 1:
		a.get(o.pid, o.at, nil)
	case 2:
		a.hpPut(o.pid, o.at, nil)
	default:
		a.hpGet(o.pid, o.at, nil)
	}
}

// ask requests a move of the process, or that a rank, not the last one, be left.
func (x *process) ask(o *op) {
	rank := int(o.fill % uint64(x.NRanks()))
	switch o.how {
	case toRank:
		x.Migrate(bsplib.OnRank(rank))
	case toHost:
		x.Migrate(bsplib.OnHost(x.Runtime().Host(rank)))
	case toProcess:
		x.Migrate(bsplib.NextTo(o.pid))
	case pin:
		x.Runtime().Pin()
	case unpin:
		x.Runtime().Unpin()
	case drain:
		if rank < x.NRanks()-1 {
			x.Runtime().Drain(rank)
		}
	}
}

func (x *process) local(o *op) []byte {
	size := kinds[x.p.blocks[o.block].kind].size()
	return x.Mem[o.block][o.local*size:][:o.n*size]
}

// source returns the values that an op puts or sends: the process's memory, or
// values in scratch.
func (x *process) source(o *op) []byte {
	if o.block >= 0 {
		return x.local(o)
	}
	n := o.n * x.p.elemSize(o)
	if cap(x.scratch) < n {
		x.scratch = make([]byte, n, max(n, 256))
	}
	x.scratch = x.scratch[:n]
	Fill(x.scratch, o.fill)
	return x.scratch
}

// receive takes up to o.n messages.
func (x *process) receive(q mailbox, o *op) {
	if o.how == byAll && q.Len() > 0 {
		taken := 0
		q.all(o.n, func(tag, values []byte) {
			x.Log = append(x.Log, logSize(o.queue, q.Len()+1, q.Bytes()+len(values)))
			x.took(tag, values)
			taken++
		})
		if taken < o.n {
			x.Log = append(x.Log, logEmpty(o.queue))
		}
		return
	}
	for range o.n {
		if !x.receiveOne(q, o) {
			return
		}
	}
}

func (x *process) receiveOne(q mailbox, o *op) bool {
	tag, n := q.peek()
	if q.Len() == 0 {
		if t, _ := q.next(); n == -1 && q.Bytes() == 0 && tag == nil && t == nil {
			x.Log = append(x.Log, logEmpty(o.queue))
		}
		return false
	}
	x.Log = append(x.Log, logSize(o.queue, q.Len(), q.Bytes()))
	switch o.how {
	case byPeek:
		x.Log = append(x.Log, logPeek(tag, n))
		return false
	case byMove:
		elem := mailKinds[x.p.queues[o.queue]].elem
		to := make([]byte, (o.at+1)*elem)[:o.at*elem]
		x.Log = append(x.Log, logMessage(nil, to[:q.move(to)*elem]))
	default:
		x.took(q.next())
	}
	return true
}

func (x *process) took(tag, values []byte) {
	x.Log = append(x.Log, logMessage(tag, values))
	x.views = append(x.views, view{values, bytes.Clone(values)})
}

// receive takes up to o.n messages.
func (m *model) receive(pid int, o *op) {
	q := &m.mail[pid][o.queue]
	elem := mailKinds[m.p.queues[o.queue]].elem
	for range o.n {
		bytes := 0
		for _, l := range *q {
			bytes += len(l.values)
		}
		if len(*q) == 0 {
			m.log[pid] = append(m.log[pid], logEmpty(o.queue))
			return
		}
		l := (*q)[0]
		m.log[pid] = append(m.log[pid], logSize(o.queue, len(*q), bytes))
		switch o.how {
		case byPeek:
			m.log[pid] = append(m.log[pid], logPeek(l.tag, len(l.values)/elem))
			return
		case byMove:
			n := min(len(l.values)/elem, o.at) * elem
			m.log[pid] = append(m.log[pid], logMessage(nil, l.values[:n]))
		default:
			m.log[pid] = append(m.log[pid], logMessage(l.tag, l.values))
		}
		*q = (*q)[1:]
	}
}

// Log entries about messages, common to the model and the real processes.
func logEmpty(queue int) string { return fmt.Sprintf("queue %d is empty", queue) }
func logSize(queue, messages, b int) string {
	return fmt.Sprintf("queue %d: %d, %d bytes", queue, messages, b)
}
func logPeek(tag []byte, values int) string {
	return fmt.Sprintf("next: tag %x, %d values", tag, values)
}
func logMessage(tag, values []byte) string {
	return fmt.Sprintf("tag %x, %d bytes, sum %x", tag, len(values), sum(values))
}
func logResult(what int, data []byte) string {
	return fmt.Sprintf("%s: %d bytes, sum %x", endingNames[what], len(data), sum(data))
}

var sumTable = crc64.MakeTable(crc64.ECMA)

// sum returns short data itself, and a hash of long data that is the same on all
// ranks: logs move with their processes.
func sum(data []byte) any {
	if len(data) <= 8 {
		return data
	}
	return crc64.Checksum(data, sumTable)
}
