package main

// event is something that happens to a message.
type event struct {
	at   float64
	kind int
	message
}

// queue keeps events in the order of time, and those of one time as they were added.
type queue struct {
	keys   []key // a heap
	events []event
	free   []int32 // places in events
	number uint64
}

type key struct {
	at     float64
	number uint64
	place  int32
}

func (a key) before(b key) bool { return a.at < b.at || a.at == b.at && a.number < b.number }

func (q *queue) first() (at float64, any bool) {
	if len(q.keys) == 0 {
		return 0, false
	}
	return q.keys[0].at, true
}

func (q *queue) add(e event) {
	place := int32(len(q.events))
	if n := len(q.free); n > 0 {
		place, q.free = q.free[n-1], q.free[:n-1]
		q.events[place] = e
	} else {
		q.events = append(q.events, e)
	}
	q.number++
	k, i := key{e.at, q.number, place}, len(q.keys)
	for q.keys = append(q.keys, k); i > 0 && k.before(q.keys[(i-1)/2]); i = (i - 1) / 2 {
		q.keys[i] = q.keys[(i-1)/2]
	}
	q.keys[i] = k
}

func (q *queue) take() event {
	place, n := q.keys[0].place, len(q.keys)-1
	k := q.keys[n]
	q.keys = q.keys[:n]
	i := 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && q.keys[child+1].before(q.keys[child]) {
			child++
		}
		if !q.keys[child].before(k) {
			break
		}
		q.keys[i] = q.keys[child]
		i = child
	}
	if n > 0 {
		q.keys[i] = k
	}
	q.free = append(q.free, place)
	e := q.events[place]
	q.events[place] = event{}
	return e
}
