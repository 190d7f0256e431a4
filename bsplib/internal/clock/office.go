package clock

import (
	"slices"
	"sync"
	"time"
)

// An office carries what ranks of an emulated platform post to each other within a
// superstep, in the platform's time: a letter arrives when the platform's links have brought
// it, whatever this machine does meanwhile, and who waits for one gets the one that arrives
// first there.
//
// For that a rank that waits goes on only when no other can cause an earlier event any more:
// the time of its own, a letter's arrival or the end of its patience, is before whatever
// those that compute had reached when they posted or polled last, and not after the events of
// others that wait; equal ones go by number. A rank at the end of its superstep causes no
// events. So a run gives the same times in any order in which this machine computes; what
// ranks compute is then mostly done one after the other.
type office struct {
	mu    sync.Mutex
	desks []desk
}

// desk is a rank's place in the office.
type desk struct {
	left    int           // supersteps that have ended for the rank
	at      time.Duration // where it was in its last call; what it posts is not before
	waits   bool          // in Poll
	until   time.Duration // then: the end of its patience
	letters []letter      // by arrival
	posted  int
	turn    chan struct{} // has something when it may go on
}

// letter is on its way, or there.
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

// event is when a rank that waits goes on, unless something else comes.
func (d *desk) event() time.Duration {
	if len(d.letters) > 0 {
		return min(d.until, max(d.at, d.letters[0].arrives))
	}
	return d.until
}

// post brings a letter to rank dst at the time that it arrives.
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

// poll waits for a letter from now until then, and returns when that was. stopped is asked
// from time to time whether there is something to wait for at all.
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

// leave says that the rank is at the end of its superstep.
func (o *office) leave(rank int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desks[rank].left++
	o.next()
}

// next lets the one go on whose turn it is.
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

// Poll takes the message that comes first to this rank, and waits for it up to patience: src
// is -1 if none has come. Its error is that of stopped, which says whether the run goes on.
func (c *Emulated) Poll(patience time.Duration, stopped func() error) (src int, data []byte, err error) {
	now := c.Time()
	src, data, at, err := c.shared.office.poll(c.rank, now, now+max(0, patience), stopped)
	c.laps.Wait(time.Duration(float64(at-now) * c.shared.platform.Ranks[c.rank].Speed))
	return src, data, err
}

// Leave says that this rank posts nothing more in the superstep.
func (c *Emulated) Leave() { c.shared.office.leave(c.rank) }

func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }
