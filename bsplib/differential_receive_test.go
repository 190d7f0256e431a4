package bsplib_test

import (
	"bytes"
	"fmt"
	"hash/crc64"
)

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

// What is logged about messages, by the model and by the real processes.
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

// sum is short data itself, else a hash that is the same on all ranks: logs
// move with their processes.
func sum(data []byte) any {
	if len(data) <= 8 {
		return data
	}
	return crc64.Checksum(data, sumTable)
}
