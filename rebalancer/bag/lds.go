package bag

// lds is local decision scheduling: what a worker gets is what the worker says.
//
// Setup: a worker's k-th chunk has k*k tasks, until it signals that its model is good.
// Adaptive: with each chunk goes a slice of time, with the report comes the size of the
// chunk that fills it, and that is what the worker gets next. As soon as what all workers
// would get next is all that is left, factoring gives out the rest.
//
// The paper's master tells a worker of its slice only when its model is good, so that the
// first chunk of the adaptive phase is one more of the setup (quadratic). Here all chunks
// have a slice, unless that is asked for: the signal and the first size come together.
//
// The master keeps of each worker the size of its next chunk, and which phase it is in.
type lds struct {
	bag     *Bag
	beta    float64
	late    bool // workers are told of their slices when their models are good
	tail    factoring
	final   bool
	workers []ldsWorker
	rates   float64 // sum over reports of tasks per second
	reports float64
}

type ldsWorker struct {
	chunks   int  // given
	adaptive bool // it has signalled that its model is good
	next     int  // size that it wants, 0 if it has not said
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

// exhausted reports whether all workers together want at least what is left.
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
