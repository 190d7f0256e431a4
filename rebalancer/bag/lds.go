package bag

// lds is local decision scheduling: the worker determines the size of its chunk.
//
// Setup: a worker's k-th chunk has k*k tasks, until it signals that its model is good.
// Adaptive: each chunk carries a slice of time, the report returns the size of the
// chunk that fills it, and the worker gets that size next. As soon as the next chunks of all workers
// would exhaust the bag, factoring distributes the rest.
//
// The paper's master sends a worker its slice only when its model is good, so that the
// first chunk of the adaptive phase is one more of the setup (quadratic). Here all chunks
// have a slice, unless that is requested: the signal and the first size come together.
//
// The master stores the size of the next chunk and the phase of each worker.
type lds struct {
	bag     *Bag
	beta    float64
	late    bool // slices are sent to workers only when their models are good
	tail    factoring
	final   bool
	workers []ldsWorker
	rates   float64 // sum over reports of tasks per second
	reports float64
}

type ldsWorker struct {
	chunks   int  // given
	adaptive bool // it has signalled that its model is good
	next     int  // size that it requests, 0 if it has not requested any
}

// wants is the size of the worker's next chunk.
func (w *ldsWorker) wants() int {
	if w.next > 0 {
		return w.next
	}
	return (w.chunks + 1) * (w.chunks + 1)
}

func (l *lds) size(worker int) int {
	l.final = l.final || l.exhausted()
	if l.final {
		return l.tail.size(worker)
	}
	w := &l.workers[worker]
	k := w.wants()
	w.chunks++
	return k
}

// exhausted reports whether all workers together request at least the remaining tasks.
func (l *lds) exhausted() bool {
	sum := 0
	for i := range l.workers {
		if l.bag.workers[i].lost {
			continue
		}
		if sum += min(l.workers[i].wants(), l.bag.count); sum >= l.bag.count {
			return true
		}
	}
	return false
}

// slice is one part in beta * workers of the sequential time.
func (l *lds) slice(worker int) float64 {
	if l.final || l.late && !l.workers[worker].adaptive {
		return 0
	}
	sequential := l.bag.options.Sequential
	if sequential == 0 && l.rates > 0 {
		sequential = float64(l.bag.total) * l.reports / l.rates
	}
	return sequential / (l.beta * float64(l.bag.Workers()))
}

func (l *lds) ended(c *running, r *Report) {
	w := &l.workers[c.worker]
	w.adaptive = w.adaptive || r.Good
	if r.Next > 0 && w.adaptive {
		w.next = r.Next
	}
	if r.Computed > 0 {
		l.rates += float64(c.Count) / r.Computed
		l.reports++
	}
}
