package ledger

import (
	"slices"
	"time"
)

// Enter writes an entry. A superstep may wait until its window is full; any other entry
// except a Load closes the window first.
func (r *Recorder) Enter(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.err != nil {
		return
	}
	switch e := e.(type) {
	case *Step:
		r.step, r.at = max(r.step, e.Last), max(r.at, (e.At+e.Total).Seconds())
	case *Call:
		r.at = e.At + e.Took + e.Move
	}
	if s, ok := e.(*Step); ok && r.width > 1 {
		r.gather(s)
		if r.filled += s.Count; r.filled < r.width {
			return
		}
		e = nil
	}
	begun := time.Now()
	switch e := e.(type) {
	case nil:
		r.closeWindow()
	case *Step:
		r.line(e)
	case *Load:
		r.append(e)
	default:
		r.closeWindow()
		r.append(e)
	}
	now := time.Now()
	r.spent += now.Sub(begun)
	if _, ok := e.(*Load); ok && r.loads.few() {
		r.free += now.Sub(begun)
	}
	r.widen(now)
}

// gather adds a superstep to the sum of the window's supersteps that ended at its site.
func (r *Recorder) gather(s *Step) {
	for i := range r.window {
		if w := &r.window[i]; w.Site == s.Site {
			w.Add(s)
			return
		}
	}
	n := len(r.window)
	r.window = slices.Grow(r.window, 1)[:n+1]
	w := &r.window[n]
	work := slices.Grow(w.Work[:0], len(s.Work))[:len(s.Work)]
	clear(work)
	*w = Step{Site: s.Site, Work: work}
	w.Add(s)
}

func (r *Recorder) closeWindow() {
	for i := range r.window {
		r.line(&r.window[i])
	}
	r.window, r.filled = r.window[:0], 0
}

// widen makes windows longer if the lines are too many, or have recently taken too much time.
func (r *Recorder) widen(now time.Time) {
	if r.lines >= r.most {
		r.width *= 2
		r.lines = 0
	}
	if r.loads.bytes >= mostLoadBytes {
		r.loads.widen()
	}
	if r.all || r.fresh < lookEvery {
		return
	}
	r.fresh = 0
	dear := r.spent - r.free
	lately, paid := now.Sub(r.looked), dear-r.paid
	r.looked, r.paid = now, dear
	if float64(paid) > costShare*float64(lately) && float64(dear-costFree) > costShare*float64(now.Sub(r.began)) && r.width < 1<<30 {
		if r.loads.taken > 0 && r.loads.width <= r.width && !r.loads.few() {
			r.loads.widen()
		} else {
			r.width *= 2
		}
	}
}

// line appends a superstep's line.
func (r *Recorder) line(s *Step) {
	r.append(s)
	r.lines++
	r.fresh++
}
