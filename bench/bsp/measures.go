package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// measure is one row of the benchmark.
type measure struct {
	name   string
	step   step
	n      int // the step's argument
	ops    int // of one process in a step
	words  int // that it moves
	result result
	place  place
	at     int // first element of the target
	// prepare makes the data of the step, before it is timed; may be nil.
	prepare func(b *bench, n int)
}

const (
	wordBytes = 8
	kib       = 1 << 10 / wordBytes // in words
	mib       = 1 << 10 * kib
	many      = 100_000
)

// measures returns all measures for a number of processes, except moves.
func measures(procs int) []measure {
	common := place{words: max(mib, kib*procs)}
	small := func(name string, s step, n int, r result) measure {
		return measure{name: name, step: s, n: n, ops: n, words: n, result: r, place: common}
	}
	all := []measure{small("empty", (*bench).empty, 0, unchecked)}
	for _, op := range []struct {
		name   string
		step   step
		suffix string
		result result
	}{
		{"put8", (*bench).put8, "", fromLeft},
		{"get8", (*bench).get8, "", fromRight},
		{"send8", (*bench).send8, "", fromLeft},
		{"send8", (*bench).send8Unread, "_unread", unchecked},
	} {
		for _, n := range []int{1, 1000, many} {
			all = append(all, small(fmt.Sprintf("%s_%d%s", op.name, n, op.suffix), op.step, n, op.result))
		}
		if op.name == "put8" {
			all = append(all, small("put8_100000_random", (*bench).put8Random, many, permuted))
		}
	}
	for _, size := range []int{4, 8, 64} {
		for _, op := range []struct {
			name string
			step step
		}{{"put", (*bench).haloPut}, {"hpput", (*bench).haloHPPut}, {"send", (*bench).haloSend}} {
			all = append(all, measure{
				name: fmt.Sprintf("halo_%dKiB_%s", size, op.name), step: op.step, n: size * kib,
				ops: neighbours, words: neighbours * size * kib, result: aHalo, place: common,
			})
		}
	}
	all = append(all, collectives(procs, common)...)
	for _, heap := range []bool{false, true} {
		for _, size := range []int{1, 64} {
			all = append(all, large(size, heap)...)
		}
	}
	for _, m := range all {
		if shifted.MatchString(m.name) {
			m.name += "_at1"
			m.at = 1
			all = append(all, m)
		}
	}
	return all
}

// shifted matches the measures that are also taken with a target that begins at element 1, as
// behind one ghost cell: source and target then differ by 8 bytes modulo a page.
var shifted = regexp.MustCompile(`^(halo_.*put|(hp)?put_1MiB|get_1MiB|(hpput|get)_1MiB_heap)$`)

// large returns the measures of transfers of size MiB.
func large(size int, heap bool) []measure {
	suffix := fmt.Sprintf("_%dMiB", size)
	if heap {
		suffix += "_heap"
	}
	words := size * mib
	one := func(name string, s step, r result) measure {
		return measure{name: name + suffix, step: s, n: words, ops: 1, words: words, result: r, place: place{words, heap}}
	}
	return []measure{
		one("put", (*bench).put, oneWayPut),
		one("hpput", (*bench).hpPut, oneWayPut),
		one("put2", (*bench).putBoth, fromLeft),
		one("hpput2", (*bench).hpPutBoth, fromLeft),
		one("get", (*bench).get, oneWayGet),
		one("hpget", (*bench).hpGet, oneWayGet),
		one("get2", (*bench).getBoth, fromRight),
		one("hpget2", (*bench).hpGetBoth, fromRight),
	}
}

// collectives returns the measures of collectives; the last is the same as the one before
// it, made of puts.
func collectives(procs int, common place) []measure {
	one := func(name string, s step, n int, r result) measure {
		return measure{name: name, step: s, n: n, ops: 1, words: n, result: r, place: common}
	}
	broadcast := one("broadcast_1MiB", (*bench).broadcast, mib, ofRoot)
	broadcast.prepare = func(b *bench, n int) {
		if b.Pid() == 0 {
			copy(b.to, b.from[:n])
		}
	}
	toAll := func(name string, s step) measure {
		m := one(name, s, kib, ofAll)
		m.ops, m.words = procs, procs*kib
		m.prepare = (*bench).prepareParts
		return m
	}
	greatest := func(name string, n int) measure {
		m := one(name, (*bench).allreduceSlice, n, greatestWord)
		m.prepare = func(b *bench, n int) { copy(b.to, b.from[:n]) }
		return m
	}
	return []measure{
		broadcast,
		one("allreduce_8B", (*bench).allreduce, 1, greatestWord), greatest("allreduce_8KiB", 8*kib), greatest("allreduce_1MiB", mib),
		toAll("alltoall_1KiB", (*bench).allToAll), toAll("alltoall_1KiB_put", (*bench).allToAllPut),
	}
}

// names returns the names of all rows, in order.
func names() []string {
	var all []string
	for _, m := range measures(1) {
		all = append(all, m.name)
	}
	for _, m := range movings {
		all = append(all, m.name)
	}
	return all
}

// measure times, verifies and prints a measure, or skips it. Collective.
func (b *bench) measure(m measure) error {
	if why := b.tooLarge(m); why != "" {
		if b.Pid() == 0 {
			return b.suite.skip(results.Skip{Measure: m.name, P: b.NProcs(), Why: why})
		}
		return nil
	}
	b.enter(m.place)
	b.at, b.to = m.at, b.dst.Slice()[m.at:]
	if m.result == permuted && b.where == nil {
		b.where = permutation()
	}
	for i := range m.words {
		b.to[i] = math.NaN()
	}
	if m.prepare != nil {
		m.prepare(b, m.n)
	}
	b.Sync()
	t := b.time(m.step, m.n, b.suite.settings.seconds)
	if err := b.verify(m); err != nil {
		return err
	}
	if b.Pid() != 0 {
		return nil
	}
	return b.suite.print(results.Row{
		Measure: m.name, P: b.NProcs(), MinUS: t.Min * 1e6, MedianUS: t.Median * 1e6,
		Bytes: int64(m.words * wordBytes), Ops: int64(m.ops),
	})
}

// permutation returns a random permutation, the same each time.
func permutation() []int { return rand.New(rand.NewPCG(2026, 1)).Perm(many) }

// tooLarge returns the reason why a measure does not fit into memory, or "" if it does; the same on
// all processes. It assumes that all processes are on one node.
func (b *bench) tooLarge(m measure) string {
	if m.place.words <= mib {
		return ""
	}
	have := bsplib.Allreduce(b.Proc, probe.AvailableMemory(), func(x, y int64) int64 { return min(x, y) })
	need := m.memory(b.NProcs())
	if b.place == m.place {
		need -= m.areas(b.NProcs())
	}
	if have == 0 || need <= have {
		return ""
	}
	return fmt.Sprintf("it needs %s of memory more, and %s are available", ledger.Bytes(need), ledger.Bytes(have))
}

// areas returns the memory of both areas of all processes.
func (m measure) areas(procs int) int64 { return int64(2*procs*m.place.words) * wordBytes }

// memory includes the library's buffers: two in turn, each up to twice as long as its contents.
func (m measure) memory(procs int) int64 {
	senders := 1
	if m.result == fromLeft || m.result == fromRight {
		senders = procs
	}
	return m.areas(procs) + int64(4*senders*m.words)*wordBytes
}
