package bsplib

import "unsafe"

// burst is a row of Puts of one word each, every one at the place behind the last, or of
// messages of one word each that lie in pairs, which the program makes in a loop. A box that has
// seen some of them lends its end to the area or the queue that they are for: Put and Send then
// write a word and count it, and know of nothing else. That halves what a word takes.
//
// A rank has one burst at a time. While it goes on, its box seems full and of no process, so
// that whatever else is written there comes to makeRoom, which ends the burst first. So does
// the end of the process's superstep: until then neither the box nor what the process has sent
// tells of the words.
type burst struct {
	area  *area // one of these has the box
	queue *queue
	pid   int            // for whom the words are
	next  int            // element of the next Put
	half  bool           // the last pair of messages has only its first
	base  unsafe.Pointer // of the box
	used  int            // with the words
	last  int            // what used may be before another one
	of    lent

	box   *outbox // that a word was added to last,
	count int     // as often in a row
}

// lent is what a box is while it is not lent.
type lent struct {
	box   *outbox // nil if none is
	pid   int
	key   uint64
	limit int
}

// burstAfter is how many words in a row a box sees first: to lend it takes as long as three or
// four.
const burstAfter = 8

// enough reports whether a box has grown by enough words in a row to be lent.
func (b *burst) enough(box *outbox) bool {
	if b.box != box {
		b.box, b.count = box, 0
	}
	if b.count++; b.count < burstAfter {
		return false
	}
	b.count = 0
	return true
}

// ofPuts lends a box whose last record is of Puts for a's elements of process pid in front of
// next.
func (b *burst) ofPuts(a *area, pid, next int, box *outbox) {
	words := min((box.limit-box.used)/8, (shortLimit-(box.used-box.last))/8, a.view[pid].count-next)
	b.lend(box, pid, box.used+8*(words-1))
	b.area, b.next, a.burst = a, next, b
}

// ofMessages lends a box whose last record is of pairs of messages for q of process pid.
func (b *burst) ofMessages(q *queue, pid int, box *outbox) {
	b.lend(box, pid, box.limit-16)
	b.queue, b.half, q.burst = q, box.half, b
}

func (b *burst) lend(box *outbox, pid, last int) {
	b.finish()
	b.pid, b.base, b.used, b.last = pid, box.base, box.used, last
	b.of = lent{box, box.pid, box.key, box.limit}
	box.burst, box.pid, box.key, box.limit, box.unsaid = b, -1, 0, box.used, false
}

// finish gives the box back, with the words in it.
func (b *burst) finish() {
	if b.of.box != nil {
		b.giveBack()
	}
}

func (b *burst) giveBack() {
	box := b.of.box
	if a := b.area; a != nil {
		a.proc.did.Sent += b.used - box.used
		box.next += b.used - box.used
		a.burst, b.area = nil, nil
	} else {
		q, first := b.queue, box.last+24
		q.proc.did.Sent += 16 * (pairsIn(b.used-first) - pairsIn(box.used-first))
		box.half = b.half
		q.burst, b.queue = nil, nil
	}
	box.used = b.used
	box.pid, box.key, box.limit, box.unsaid, box.burst = b.of.pid, b.of.key, b.of.limit, true, nil
	b.of = lent{}
}

// addPair adds a message of a word.
func (b *burst) addPair(tag uint32, value uint64) {
	at := unsafe.Add(b.base, b.used)
	if b.half {
		*(*uint32)(unsafe.Add(at, pairStep-16)) = tag
		*(*uint64)(at) = value
		b.used += 8
		b.half = false
		return
	}
	*(*uint64)(at) = uint64(tag)
	*(*uint64)(unsafe.Add(at, 8)) = value
	b.used += 16
	b.half = true
}
