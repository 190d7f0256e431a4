package bag

import "math"

// policy decides how many tasks a worker gets. It sees the bag, and does not change it.
type policy interface {
	// size returns the number of remaining tasks for a worker that asks; at least one
	// remains. 0 means none for now; more than the remaining tasks means all.
	size(worker int) int
}

// learner is a policy that learns from reports.
type learner interface {
	// slice is the Slice of the chunk that size was about.
	slice(worker int) float64
	// ended takes in the report of a chunk.
	ended(c *running, r *Report)
}

// copier is a policy by which idle workers take copies of chunks that are late.
type copier interface {
	// late returns the index in Bag.running of a chunk, and the number of its tasks that a worker
	// that asks should copy when no tasks are left; -1 if none.
	late(worker int) (chunk, tasks int)
	// wake is when late may answer otherwise, or size, although no worker has reported.
	wake() float64
}

// share is one part in n of tasks, rounded up.
func share(tasks int, n float64) int { return int(math.Ceil(float64(tasks) / n)) }

// workqueue gives k tasks at a time.
type workqueue struct {
	k int
}

func (q workqueue) size(int) int { return q.k }

// static gives each worker an equal part of all tasks.
type static struct {
	bag *Bag
}

func (s static) size(int) int { return share(s.bag.total, float64(s.bag.Workers())) }

// gss is guided self-scheduling: chunks are equal parts, for all workers, of the remaining tasks.
type gss struct {
	bag *Bag
}

func (g gss) size(int) int { return share(g.bag.count, float64(g.bag.Workers())) }

// factoring gives batches of equal chunks, one for each worker. A batch is one part in
// alpha of the tasks that remain when it begins.
type factoring struct {
	bag   *Bag
	alpha float64
	chunk int // size in this batch
	rest  int // chunks of this batch that are not given yet
}

func (f *factoring) size(int) int {
	if f.rest == 0 {
		f.rest = f.bag.Workers()
		f.chunk = share(f.bag.count, f.alpha*float64(f.rest))
	}
	f.rest--
	return f.chunk
}
