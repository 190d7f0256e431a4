package randprog

import (
	"hash/maphash"
	"iter"
)

// model carries out a program by the rules of BSPlib, one process after the
// other, with the order of this library where BSPlib leaves it open:
//
//   - values put or sent are copied at the call;
//   - at the end of a superstep all Gets read, then all Gets write, then all
//     Puts write, by pid of the caller and program order;
//   - messages can be read until the next Sync, in the order of their senders'
//     pids and program order; a collective's Syncs drop none, and append;
//   - an Alloc's memory is gone when its Pop takes effect;
//   - its elements that are not kept may be gone at the end of a stage: then the
//     program clears them.
type model struct {
	p    *Program
	mem  [][][]byte // by pid and block, nil for none
	kept []keeping  // by pid
	mail [][][]letter
	log  [][]string // by pid: received since the last digest

	reads, writes []transfer
	sent          []letter
}

type transfer struct {
	mem  []byte // destination
	data []byte // for reads: the source
}

type letter struct {
	to, queue   int
	tag, values []byte
}

func newModel(p *Program) *model {
	m := &model{p: p, log: make([][]string, p.Procs)}
	for pid := range p.Procs {
		m.mem = append(m.mem, newMemory(p, pid))
		m.kept = append(m.kept, make(keeping))
		m.mail = append(m.mail, make([][]letter, len(p.queues)))
	}
	return m
}

// newMemory makes the memory of a process at the start of a program.
func newMemory(p *Program, pid int) [][]byte {
	mem := make([][]byte, len(p.blocks))
	for i, b := range p.blocks {
		if !b.fresh {
			mem[i] = kinds[b.kind].memory(b.count[pid])
		}
	}
	return mem
}

// Predict returns the digests of all processes at the start of each superstep
// and after the last. They are comparable within an operating system process.
func (p *Program) Predict() [][]uint64 {
	m := newModel(p)
	all := make([][]uint64, len(p.steps)+1)
	for s := range all {
		for pid := range p.Procs {
			all[s] = append(all[s], digest(m.mem[pid], m.log[pid], p.excluded(s, pid)))
			m.log[pid] = nil
		}
		if s < len(p.steps) {
			m.superstep(s)
		}
	}
	return all
}

// modelAt returns a model at the start of superstep s, with the log of the
// previous superstep.
func modelAt(p *Program, s int) *model {
	m := newModel(p)
	for i := range s {
		clear(m.log)
		m.superstep(i)
	}
	return m
}

// excluded returns the memory that a process must not read in superstep s.
func (p *Program) excluded(s, pid int) []span {
	if s == len(p.steps) {
		return nil
	}
	return p.steps[s].hp[pid]
}

var digestSeed = maphash.MakeSeed()

// digest hashes a process's memory and the log of its received data.
func digest(mem [][]byte, log []string, except []span) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for i, b := range mem {
		at := 0
		for _, s := range except { // sorted, and apart from each other
			if s.block == i {
				h.Write(b[at:s.lo])
				at = s.hi
			}
		}
		h.Write(b[at:])
		h.WriteByte(0)
	}
	for _, line := range log {
		h.WriteString(line)
		h.WriteByte('\n')
	}
	return h.Sum64()
}

func (m *model) superstep(s int) {
	step := &m.p.steps[s]
	for pid, ops := range step.ops {
		for i := range ops {
			m.do(pid, &ops[i])
		}
	}
	m.communicate(step.end)
	for _, o := range step.ops[0] {
		if o.what == pop && m.p.freshArea(o.area) {
			for pid := range m.mem {
				m.mem[pid][m.p.areas[o.area].block] = nil
			}
		}
	}
	for pid := range m.p.Procs {
		if line := step.end.result(pid, m.p.Procs); line != "" {
			m.log[pid] = append(m.log[pid], line)
		}
		if step.end.what == endStage {
			m.kept[pid].others(m.p, m.mem[pid], func(mem []byte) { clear(mem) })
		}
	}
}

// do carries out the part of an op that takes effect at the call.
func (m *model) do(pid int, o *op) {
	switch o.what {
	case put, hpPut:
		m.writes = append(m.writes, transfer{m.remote(o), m.source(pid, o)})
	case get, hpGet:
		m.reads = append(m.reads, transfer{m.local(pid, o), m.remote(o)})
	case send:
		for tag, values := range m.p.messages(o, m.source(pid, o)) {
			m.sent = append(m.sent, letter{o.pid, o.queue, tag, values})
		}
	case keep:
		m.kept[pid][o.area] = o.n
	case receive:
		m.receive(pid, o)
	case write:
		Fill(m.local(pid, o), o.fill)
	case alloc:
		b := m.p.areas[o.area].block
		m.mem[pid][b] = kinds[m.p.blocks[b].kind].memory(m.p.blocks[b].count[pid])
	}
}

// messages returns the messages that an op sends of its values.
func (p *Program) messages(o *op, values []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(tag, values []byte) bool) {
		kind := mailKinds[p.queues[o.queue]]
		count, size := 1, len(values)
		if o.each {
			count, size = o.n, kind.elem
		}
		for i := range count {
			tag := make([]byte, kind.tag)
			Fill(tag, o.fill+1+uint64(i))
			if !yield(tag, values[i*size:][:size]) {
				return
			}
		}
	}
}

// keeping maps the areas that a process has called Keep on to the number of elements kept.
type keeping map[int]int

// others calls f with the elements that are not kept of areas made by Alloc. Registered memory is
// part of the state, and always kept.
func (k keeping) others(p *Program, mem [][]byte, f func(mem []byte)) {
	for a, n := range k {
		if b := p.areas[a].block; p.freshArea(a) && mem[b] != nil {
			f(mem[b][n*kinds[p.blocks[b].kind].size():])
		}
	}
}

// remote returns the memory of the other process that an op accesses.
func (m *model) remote(o *op) []byte {
	a := &m.p.areas[o.area]
	size := kinds[m.p.blocks[a.block].kind].size()
	return m.mem[o.pid][a.block][(a.lo[o.pid]+o.at)*size:][:o.n*size]
}

// local returns the process's own memory that an op accesses.
func (m *model) local(pid int, o *op) []byte {
	size := kinds[m.p.blocks[o.block].kind].size()
	return m.mem[pid][o.block][o.local*size:][:o.n*size]
}

// source returns a copy of the values that an op puts or sends.
func (m *model) source(pid int, o *op) []byte {
	if o.block >= 0 {
		return append([]byte(nil), m.local(pid, o)...)
	}
	data := make([]byte, o.n*m.p.elemSize(o))
	Fill(data, o.fill)
	return data
}

func (p *Program) freshArea(a int) bool { return p.blocks[p.areas[a].block].fresh }

// elemSize returns the size of an element that an op puts or sends.
func (p *Program) elemSize(o *op) int {
	if o.what == send {
		return mailKinds[p.queues[o.queue]].elem
	}
	return kinds[p.blocks[p.areas[o.area].block].kind].size()
}

func (m *model) communicate(end ending) {
	for i := range m.reads {
		m.reads[i].data = append([]byte(nil), m.reads[i].data...)
	}
	for _, t := range append(m.reads, m.writes...) {
		copy(t.mem, t.data)
	}
	if !end.collective() {
		for pid := range m.mail {
			clear(m.mail[pid])
		}
	}
	for _, l := range m.sent {
		m.mail[l.to][l.queue] = append(m.mail[l.to][l.queue], l)
	}
	m.reads, m.writes, m.sent = m.reads[:0], m.writes[:0], m.sent[:0]
}
