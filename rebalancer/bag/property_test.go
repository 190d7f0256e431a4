package bag

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// specs are policies with all their parameters.
var specs = []string{
	"workqueue", "workqueue,k=7", "static", "gss", "factoring", "factoring,alpha=3",
	"lds,beta=5", "lds", "lds,quadratic=1", "lds,corr=0", "auto",
}

// For any policy, workers and failures, each task is done exactly once or has failed as often
// as allowed, no chunk is empty, and the counts are always right.
func TestEveryTaskOnce(t *testing.T) {
	for _, text := range specs {
		for seed := range uint64(60) {
			t.Run(fmt.Sprintf("%s/%d", text, seed), func(t *testing.T) {
				play(t, text, seed)
			})
		}
	}
}

// event is a worker's request that comes at a time.
type event struct {
	at     float64
	worker int
	chunk  Chunk
	given  float64
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// play shares out a random bag. With an odd seed tasks fail and workers fall silent.
func play(t *testing.T, text string, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	tasks, workers, faults := 1+random.IntN(3000), 1+random.IntN(12), seed%2 == 1
	o := Options{}
	if faults {
		o.Retries = 2
		o.Done = []Span{{tasks / 3, tasks / 5}}
	}
	spec := mustParse(t, text)
	b := must.Get(New(tasks, workers, spec, o))(t)
	speeds, models := make([]float64, workers), make([]*Model, workers)
	for w := range workers {
		speeds[w], models[w] = 0.1+10*random.Float64(), spec.Model()
	}
	results, failures := make([]int, tasks), make([]int, tasks)
	for _, s := range o.Done {
		for n := s.First; n < endOf(s); n++ {
			results[n]++
		}
	}
	var queue events
	var waiting []int
	for w := range workers {
		heap.Push(&queue, event{worker: w})
	}
	give := func(w int, r Report) (done bool) {
		c, answer := b.Give(w, r)
		switch answer {
		case Wait:
			waiting = append(waiting, w)
		case Work:
			if c.Count < 1 || c.First < 0 || endOf(c.Span) > tasks {
				t.Fatalf("chunk %+v of %d tasks", c, tasks)
			}
			if faults && workers > 1 && w > 0 && random.IntN(40) == 0 {
				return false // and never reports again
			}
			took := 0.01 + float64(c.Count)/speeds[w]*(0.5+random.Float64())
			heap.Push(&queue, event{r.Now + took, w, c, r.Now})
		}
		return answer == Done
	}
	for now, steps := 0.0, 0; ; steps++ {
		if steps > 50*tasks+1000 {
			t.Fatalf("no end: %+v", b.Stats())
		}
		if s := b.Stats(); s.Left+s.Given+s.Done+s.Failed != tasks {
			t.Fatalf("%+v are not %d tasks", s, tasks)
		}
		var r Report
		if wake := b.Wake(); queue.Len() == 0 || wake < queue[0].at {
			if queue.Len() == 0 && !(wake < 1e18) {
				t.Fatalf("nothing happens any more: %+v, waiting %v", b.Stats(), waiting)
			}
			now = max(now, wake)
			for _, w := range b.Overdue(now) {
				b.Lose(w, now)
			}
		} else {
			e := heap.Pop(&queue).(event)
			now = e.at
			if r.Chunk = e.chunk.Number; r.Chunk > 0 {
				r.Computed = now - e.given
				models[e.worker].Observe(e.chunk.Count, r.Computed)
				r.Good, r.Next = models[e.worker].Good(), models[e.worker].Next(e.chunk.Slice)
				for n := e.chunk.First; n < endOf(e.chunk.Span); n++ {
					switch {
					case faults && random.IntN(50) == 0:
						r.Failed = append(r.Failed, n)
						failures[n]++
					case b.Wanted(n):
						results[n]++
					}
				}
			}
			r.Now = now
			if give(e.worker, r) {
				break
			}
		}
		open := waiting
		waiting = nil
		slices.Sort(open)
		for _, w := range open {
			if give(w, Report{Now: now}) {
				queue = nil
			}
		}
		if s := b.Stats(); s.Left+s.Given == 0 {
			break
		}
	}
	failed := b.Failed()
	for n := range tasks {
		switch {
		case slices.Contains(failed, n):
			if results[n] != 0 || failures[n] <= o.Retries {
				t.Errorf("task %d is given up after %d failures, with %d results", n, failures[n], results[n])
			}
		case results[n] != 1:
			t.Errorf("task %d has %d results", n, results[n])
		}
	}
	if !faults && len(failed) > 0 {
		t.Errorf("%d tasks failed", len(failed))
	}
}

// Workers are given up after three times the expected time, and after at least 5 s.
func TestOverdue(t *testing.T) {
	b := must.Get(New(100, 2, mustParse(t, "workqueue,k=10"), Options{}))(t)
	b.Give(0, Report{})
	if b.Wake() < 1e300 {
		t.Error("a deadline without anything known")
	}
	b.Give(1, Report{})
	b.Give(0, Report{Now: 4, Chunk: 1}) // 0.4 s for a task
	if got := b.Overdue(11.9); got != nil {
		t.Errorf("%v are overdue after less than three times the time", got)
	}
	if wake := b.Wake(); wake != 12 {
		t.Errorf("wake at %g, want 12", wake)
	}
	if got := b.Overdue(12); !slices.Equal(got, []int{1}) {
		t.Errorf("%v are overdue, want worker 1", got)
	}
	b.Heard(1, 12)
	b.Heard(0, 12)
	if got := b.Overdue(13); got != nil {
		t.Errorf("%v are overdue that were heard", got)
	}
}

// A manager draws ahead, reports each chunk once, and gives its Set all of it.
func TestManagers(t *testing.T) {
	for _, text := range specs {
		const tasks, sets, members = 1000, 3, 4
		spec := mustParse(t, text)
		root := must.Get(New(tasks, sets, spec, Options{}))(t)
		var managers []*Manager
		for range sets {
			m := must.Get(NewManager(tasks, members, spec, Options{}))(t)
			managers = append(managers, m)
		}
		results := make([]int, tasks)
		type hand struct {
			chunk Chunk
			until float64
		}
		hands := make(map[[2]int]hand)
		open := make(map[int]bool) // requests at the master
		for now := 0.0; root.Stats().Done < tasks; now += 0.25 {
			if now > 1e5 {
				t.Fatalf("%s: no end: %+v", text, root.Stats())
			}
			for i, m := range managers {
				for {
					r, reports, requests := m.Ask(now)
					if reports {
						root.End(i, r)
					}
					open[i] = open[i] || requests
					if !reports && !requests {
						break
					}
				}
			}
			for i := range sets {
				if !open[i] {
					continue
				}
				if c, answer := root.Give(i, Report{Now: now}); answer != Wait {
					managers[i].Take(now, c, answer)
					open[i] = false
				}
			}
			for i, m := range managers {
				for w := range members {
					h, busy := hands[[2]int{i, w}]
					if busy && now < h.until {
						continue
					}
					r := Report{Now: now}
					if busy {
						r.Chunk, r.Computed = h.chunk.Number, float64(h.chunk.Count)*float64(1+w)
						for n := h.chunk.First; n < endOf(h.chunk.Span); n++ {
							if m.Bag.Wanted(n) {
								results[n]++
							}
						}
						delete(hands, [2]int{i, w})
					}
					if c, answer := m.Bag.Give(w, r); answer == Work {
						hands[[2]int{i, w}] = hand{c, now + float64(c.Count)*float64(1+w)}
					}
				}
			}
		}
		for n, count := range results {
			if count < 1 {
				t.Errorf("%s: task %d has no result", text, n)
			}
		}
		if got := root.Stats().Duplicate; text != "auto" && got > 0 {
			t.Errorf("%s: %d results twice", text, got)
		}
	}
}
