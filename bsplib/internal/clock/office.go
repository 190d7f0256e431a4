package clock

import (
	"slices"
	"sync"
	"time"
)

// An office delivers letters that ranks of an emulated platform post to each other within a
// superstep, in the platform's time. The arrival time of a letter follows from the platform's
// links alone, and a waiting rank receives the letter with the earliest arrival.
//
// A waiting rank therefore resumes only if no other rank can cause an earlier event. Its next
// event is a letter's arrival or its timeout. The event must be before the times of the last
// post or poll of all computing ranks, and not after the events of other waiting ranks; ties
// are broken by rank. A rank at the end of its superstep causes no events. Thus a run yields
// the same times regardless of scheduling on this machine, but ranks mostly compute one after
// another.
type office struct {
	mu    sync.Mutex
	desks []desk
}

// desk is a rank's state in the office.
type desk struct {
	left    int           // supersteps that have ended for the rank
	at      time.Duration // time of its last call, and lower bound of its next post
	waits   bool          // in Poll
	until   time.Duration // timeout if it waits
	letters []letter      // by arrival
	posted  int
	turn    chan struct{} // receives a value when the rank may resume
}

// letter is a message in transit or delivered.
type letter struct {
	arrives    time.Duration
	src, count int
	data       []byte
}

func newOffice(ranks int) *office {
	o := &office{desks: make([]desk, ranks)}
	for i := range o.desks {
		o.desks[i].turn = make(chan struct{}, 1)
	}
	return o
}

// event returns the time when a waiting rank resumes, unless an earlier letter is posted.
func (d *desk) event() time.Duration {
	if len(d.letters) > 0 {
		return min(d.until, max(d.at, d.letters[0].arrives))
	}
	return d.until
}

// post sends a letter to rank dst, where it arrives at the given time.
func (o *office) post(src, dst int, now, arrives time.Duration, data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	from, to := &o.desks[src], &o.desks[dst]
	from.at = max(from.at, now)
	from.posted++
	l := letter{arrives, src, from.posted, slices.Clone(data)}
	i, _ := slices.BinarySearchFunc(to.letters, l, letter.compare)
	to.letters = slices.Insert(to.letters, i, l)
	o.next()
}

func (a letter) compare(b letter) int {
	switch {
	case a.arrives != b.arrives:
		return int(min(1, max(-1, a.arrives-b.arrives)))
	case a.src != b.src:
		return a.src - b.src
	}
	return a.count - b.count
}

// poll waits for a letter from now until the given time, and returns the end of the wait in at.
// It calls stopped periodically, and returns its error.
func (o *office) poll(rank int, now, until time.Duration, stopped func() error) (src int, data []byte, at time.Duration, err error) {
	o.mu.Lock()
	d := &o.desks[rank]
	d.at, d.until, d.waits = max(d.at, now), max(d.at, until), true
	o.next()
	o.mu.Unlock()
	for look := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-d.turn:
			look.Stop()
			o.mu.Lock()
			defer o.mu.Unlock()
			d.at = d.event()
			if len(d.letters) == 0 || d.letters[0].arrives > d.at {
				return -1, nil, d.at, nil
			}
			l := d.letters[0]
			d.letters = slices.Delete(d.letters, 0, 1)
			return l.src, l.data, d.at, nil
		case <-look.C:
			if err := stopped(); err != nil {
				look.Stop()
				return -1, nil, now, err
			}
		}
	}
}

// leave marks the end of the rank's superstep.
func (o *office) leave(rank int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desks[rank].left++
	o.next()
}

// next resumes the waiting rank with the earliest event, if no computing rank can precede it.
func (o *office) next() {
	round := o.desks[0].left
	for i := range o.desks {
		round = min(round, o.desks[i].left)
	}
	first := -1
	for i := range o.desks {
		d := &o.desks[i]
		if d.left == round && d.waits && (first < 0 || d.event() < o.desks[first].event()) {
			first = i
		}
	}
	if first < 0 {
		return
	}
	for i := range o.desks {
		if d := &o.desks[i]; d.left == round && !d.waits && d.at <= o.desks[first].event() {
			return
		}
	}
	d := &o.desks[first]
	d.waits = false
	d.turn <- struct{}{}
}

// Post sends a message to another rank of the platform, or to this one.
func (c *Emulated) Post(dst int, data []byte) {
	now := c.Time()
	c.shared.office.post(c.rank, dst, now, now+seconds(c.shared.platform.Transfer(c.rank, dst, int64(len(data)))), data)
}

// Poll receives the earliest message to this rank, waiting for at most patience; src is -1 if
// none has arrived. Poll returns the error of stopped, which is not nil if the run has ended.
func (c *Emulated) Poll(patience time.Duration, stopped func() error) (src int, data []byte, err error) {
	now := c.Time()
	src, data, at, err := c.shared.office.poll(c.rank, now, now+max(0, patience), stopped)
	c.laps.Wait(time.Duration(float64(at-now) * c.shared.platform.Ranks[c.rank].Speed))
	return src, data, err
}

// Leave declares that this rank posts no more messages in the superstep.
func (c *Emulated) Leave() { c.shared.office.leave(c.rank) }

func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }
