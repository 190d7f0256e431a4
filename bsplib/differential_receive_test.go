package bsplib_test

import "bytes"

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
