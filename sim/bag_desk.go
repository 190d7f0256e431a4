package sim

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer/bag"
)

// desk distributes chunks: for the master, or for a Set's manager.
type desk struct {
	r       *bagRun
	host    int
	bag     *bag.Bag
	manager *bag.Manager // nil at the master's
	member  int          // of a manager at the master's desk
	members []member
	drawn   map[int]int // by number of a manager's chunk that it has not reported, its tasks
	queue   []int       // members that ask, in that order
	waiting []int       // members whose requests are open, in the same order
	busy    bool        // a chunk is being sent, and another may not be yet
	sending float64     // seconds for which it was
	timer   float64     // time of its next look
}

// member asks at a desk: a worker, or a manager.
type member struct {
	host int
	sent float64 // for how long the desk was busy with its last chunk
	take func(now float64, c bag.Chunk, given float64)
	done func(now float64) // called when no task is left; may be nil
}

func (r *bagRun) newDesk(host int, b *bag.Bag) *desk {
	d := &desk{r: r, host: host, bag: b, timer: math.Inf(1)}
	r.desks = append(r.desks, d)
	return d
}

// newManager makes the desk of a Set.
func (r *bagRun) newManager(host, workers int, o bag.Options) (*desk, error) {
	m, err := bag.NewManager(r.Bag.Tasks, workers, r.Policy, o)
	if err != nil {
		return nil, err
	}
	d := r.newDesk(host, m.Bag)
	d.manager = m
	d.drawn = make(map[int]int)
	d.member = r.master.add(host, func(now float64, c bag.Chunk, _ float64) {
		d.drawn[c.Number] = c.Count
		m.Take(now, c, bag.Work)
		d.news(true)
	})
	r.master.members[d.member].done = func(now float64) {
		m.Take(now, bag.Chunk{}, bag.Done)
		d.news(true)
	}
	return d, nil
}

// add admits a member and returns its number.
func (d *desk) add(host int, take func(now float64, c bag.Chunk, given float64)) int {
	d.members = append(d.members, member{host: host, take: take})
	return len(d.members) - 1
}

// ask enters a request that has come. Its report counts at once, its turn comes later.
func (d *desk) ask(now float64, member int, report bag.Report) {
	d.end(now, member, report)
	d.queue = append(d.queue, member)
	d.news(true)
}

// end processes a report.
func (d *desk) end(now float64, member int, report bag.Report) {
	report.Now, report.Sent = now, d.members[member].sent
	d.bag.End(member, report)
	if d.manager == nil {
		done := d.bag.Stats().Done
		if d.r.Progress != nil && done > d.r.done {
			d.r.Progress(done - d.r.done)
		}
		d.r.done = done
		d.r.ended = d.r.ended || done == d.r.Bag.Tasks
	}
}

// news distributes chunks. If the bag has changed, open requests are served before later ones.
func (d *desk) news(changed bool) {
	if changed && len(d.waiting) > 0 {
		d.queue, d.waiting = append(d.waiting, d.queue...), nil
	}
	for !d.busy && len(d.queue) > 0 && !d.r.ended {
		member := d.queue[0]
		d.queue = d.queue[1:]
		d.give(member)
	}
	d.draw()
	d.arm()
}

// give answers a request.
func (d *desk) give(member int) {
	m := &d.members[member]
	c, answer := d.bag.Give(member, bag.Report{Now: d.r.now})
	switch answer {
	case bag.Wait:
		d.waiting = append(d.waiting, member)
	case bag.Done:
		if m.done != nil {
			d.r.send(d.host, m.host, 0, m.done)
		}
	case bag.Work:
		d.send(m, c)
	}
}

// send sends a chunk. The desk is busy for the chunk's cost and, if chunks are sent one by
// one, until it has arrived.
func (d *desk) send(m *member, c bag.Chunk) {
	given := d.r.now
	free := func(now float64) {
		d.busy = false
		m.sent = now - given
		d.sending += m.sent
	}
	d.busy = true
	begin := func(now float64) {
		if d.r.Parallel {
			free(now)
		}
		d.r.send(d.host, m.host, d.r.Bag.Bytes*float64(c.Count), func(now float64) {
			if !d.r.Parallel {
				free(now)
			}
			m.take(now, c, given)
			d.news(false)
		})
	}
	if d.r.Bag.Cost > 0 {
		d.r.at(given+d.r.Bag.Cost, func(now float64) {
			begin(now)
			d.news(false)
		})
		return
	}
	begin(given)
}

// draw passes a manager's figures to the master.
func (d *desk) draw() {
	for d.manager != nil {
		report, reports, requests := d.manager.Ask(d.r.now)
		if !reports && !requests {
			return
		}
		results := 0.0
		if reports {
			results = d.r.Bag.Reply * float64(d.drawn[report.Chunk])
			delete(d.drawn, report.Chunk)
		}
		d.r.send(d.host, d.r.Master, results, func(now float64) {
			if requests {
				d.r.master.ask(now, d.member, report)
				return
			}
			d.r.master.end(now, d.member, report)
			d.r.master.news(true)
		})
	}
}

// arm schedules the next look, at the time when the bag may have an answer.
func (d *desk) arm() {
	wake := d.bag.Wake()
	if len(d.waiting) == 0 && !d.r.fails || !(wake < d.timer) {
		return
	}
	d.timer = max(wake, d.r.now)
	d.r.at(d.timer, func(now float64) {
		if now < d.timer {
			return // another one was set for earlier
		}
		d.timer = math.Inf(1)
		d.listen(now)
		d.news(true)
	})
}

// listen notes the workers whose hosts have a share of their cores, and gives up workers
// that have been silent.
func (d *desk) listen(now float64) {
	for member, m := range d.members {
		if share, _ := d.r.Platform.Hosts[m.host].Share.At(now); share > 0 {
			d.bag.Heard(member, now)
		}
	}
	for _, member := range d.bag.Overdue(now) {
		d.bag.Lose(member, now)
	}
}
