package main

import (
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

// farm is the processing of a bag from its first task to the last, as seen by one rank.
//
// Rank 0's first process is the master, which holds the bag. With -managers, in each Set with at
// least two other ranks the first of these is the Set's manager, which draws chunks from the master
// and gives them to the others. All other ranks with processes are workers. Managers also work, and
// so does the master unless -master differs.
type farm struct {
	b      *bsplib.Proc
	post   *mail
	number int // of the farm in this run
	spec   bag.Spec
	begun  time.Duration
	job    *job
	runner runner
	tally  tally
}

// place is the role of a rank in a farm.
type place struct {
	rank int
	boss int   // giver of its tasks: a rank, -1 for the master
	gets []int // ranks that it gives tasks to
}

// places returns the roles of ranks, the master first. set groups ranks that are close to each other;
// managers asks for one manager per Set.
func places(ranks []int, set func(rank int) int, managers bool) []place {
	all := make([]place, len(ranks))
	for i, rank := range ranks {
		all[i] = place{rank: rank, boss: ranks[0]}
	}
	all[0].boss = -1
	manager := make(map[int]int) // by Set: index of its manager
	if managers {
		count := make(map[int]int)
		for _, rank := range ranks[1:] {
			count[set(rank)]++
		}
		for i, rank := range ranks[1:] {
			s := set(rank)
			if count[s] < 2 {
				continue
			}
			if at, is := manager[s]; is {
				all[i+1].boss = ranks[at]
				all[at].gets = append(all[at].gets, rank)
			} else {
				manager[s] = i + 1
			}
		}
	}
	for _, p := range all[1:] {
		if p.boss == ranks[0] {
			all[0].gets = append(all[0].gets, p.rank)
		}
	}
	return all
}

// send posts a message to a rank, and counts it.
func send[M up | down](f *farm, rank int, m *M) {
	f.tally.Messages++
	f.tally.Bytes += post(f.post, rank, m)
	if f.b.Runtime().Set(rank) != f.tally.Set {
		f.tally.Across++
	}
}

// now is the time since the farm began, in seconds.
func (f *farm) now() float64 { return (f.b.Time() - f.begun).Seconds() }

// giver is the part of master and manager that is the same: workers that ask, and answers.
type giver struct {
	farm   *farm
	bag    *bag.Bag
	ranks  []int       // by worker; this rank is its own hand
	worker map[int]int // by rank
	open   []int       // workers whose requests wait for an answer
	ended  []bool      // by worker: informed that no task is left
	sent   []float64   // by worker: time to send its last chunk
	hand   *hand       // nil if this rank only gives
	failed []int       // tasks of the hand's chunk that have failed
	input  func(task int) string
}

// newGiver makes a giver of tasks to the ranks gets, and to this rank if it works. It has
// no bag yet.
func newGiver(f *farm, gets []int, works bool) *giver {
	g := &giver{farm: f, worker: make(map[int]int)}
	if works {
		g.hand = newHand(f)
		g.ranks = append(g.ranks, f.tally.Rank)
	}
	g.ranks = append(g.ranks, gets...)
	for w, rank := range g.ranks {
		g.worker[rank] = w
	}
	g.ended, g.sent = make([]bool, len(g.ranks)), make([]float64, len(g.ranks))
	return g
}

// start is the hand's first request; other workers post theirs.
func (g *giver) start() {
	if g.hand != nil {
		g.give(0, bag.Report{Now: g.farm.now()})
	}
}

// hear processes a worker's message, and returns the worker's results.
func (g *giver) hear(rank int, message []byte) []outcome {
	var m up
	read(g.farm.post, rank, message, &m)
	if m.Farm != g.farm.number {
		return nil
	}
	w := g.worker[rank]
	g.bag.Heard(w, g.farm.now())
	m.Report.Now, m.Report.Sent = g.farm.now(), g.sent[w]
	switch {
	case m.Asks:
		g.give(w, m.Report)
	case m.Reports:
		g.bag.End(w, m.Report)
	}
	return m.Results
}

// work runs a step of the hand, and returns its results.
func (g *giver) work() []outcome {
	if g.hand == nil {
		return nil
	}
	o, come, last := g.hand.step(g.input)
	if !come {
		return nil
	}
	if o.Problem != "" {
		g.failed = append(g.failed, o.Task)
	}
	if last {
		r := g.hand.report(g.failed)
		r.Now, g.failed = g.farm.now(), nil
		g.give(0, r)
	} else {
		g.bag.Heard(0, g.farm.now())
	}
	return []outcome{o}
}

// give answers a request, or keeps it.
func (g *giver) give(w int, r bag.Report) {
	chunk, answer := g.bag.Give(w, r)
	switch {
	case answer == bag.Wait:
		g.open = append(g.open, w)
	case answer == bag.Done:
		g.end(w)
	case g.hand != nil && w == 0:
		g.hand.give(chunk, g.input)
	default:
		m := down{Farm: g.farm.number, Answer: bag.Work, Chunk: chunk}
		if len(g.farm.job.Command) > 0 {
			m.Inputs = make([]string, chunk.Count)
			for i := range m.Inputs {
				m.Inputs[i] = g.input(chunk.First + i)
			}
		}
		begun := g.farm.b.Time()
		send(g.farm, g.ranks[w], &m)
		g.sent[w] = (g.farm.b.Time() - begun).Seconds()
	}
}

// again asks for workers with open requests, in order of arrival.
func (g *giver) again() {
	open := g.open
	g.open = nil
	for _, w := range open {
		g.give(w, bag.Report{Now: g.farm.now()})
	}
}

// end informs a worker that no task is left.
func (g *giver) end(w int) {
	if g.ended[w] {
		return
	}
	g.ended[w] = true
	if g.hand != nil && w == 0 {
		g.hand.close()
		return
	}
	send(g.farm, g.ranks[w], &down{Farm: g.farm.number, Answer: bag.Done})
}

// endAll ends all workers, also workers that still compute tasks completed elsewhere.
func (g *giver) endAll() {
	for w := range g.ranks {
		g.end(w)
	}
}

// giveUp takes back the tasks of workers that have been silent for too long. It reports the
// number of tasks of each rank.
func (g *giver) giveUp(tell func(rank, tasks int)) {
	for _, w := range g.bag.Overdue(g.farm.now()) {
		before := g.bag.Stats().Lost
		g.bag.Lose(w, g.farm.now())
		if n := g.bag.Stats().Lost - before; n > 0 {
			tell(g.ranks[w], n)
		}
	}
}

// patience returns the maximum time to wait for messages.
func (g *giver) patience(longest time.Duration) time.Duration {
	longest = g.hand.patience(longest)
	if wake := g.bag.Wake() - g.farm.now(); wake < longest.Seconds() {
		return max(0, time.Duration(wake*1e9))
	}
	return longest
}

// manage draws chunks from the master, and gives them to the ranks of a Set.
func (f *farm) manage(boss int, gets []int) {
	g := newGiver(f, gets, true)
	m, err := bag.NewManager(f.job.Tasks, len(g.ranks), f.spec, bag.Options{})
	if err != nil {
		f.b.Abort("%v", err)
	}
	g.bag = m.Bag
	inputs := make(map[int]string)
	g.input = func(task int) string { return inputs[task] }
	up := batch{farm: f, boss: boss, since: f.b.Time()}
	for g.start(); ; {
		for {
			r, reports, requests := m.Ask(f.now())
			if !reports && !requests {
				break
			}
			up.tell(requests, reports, r)
		}
		up.flush()
		rank, message := f.post.next(g.patience(lifeSign))
		switch {
		case rank == boss:
			var d down
			read(f.post, rank, message, &d)
			if d.Farm != f.number {
				break
			}
			if d.Answer == bag.Done {
				g.endAll()
				return
			}
			for i, line := range d.Inputs {
				inputs[d.Chunk.First+i] = line
			}
			m.Take(f.now(), d.Chunk, d.Answer)
		case rank >= 0:
			up.add(g.hear(rank, message))
		}
		up.add(g.work())
		g.giveUp(func(int, int) {})
		g.again()
	}
}
