package bag

// Manager is the manager of a Set between two bags: it is a worker of its master's bag,
// from which it draws chunks, and distributes them in its Set from a bag of its own.
//
// The driver passes the answers of Bag.Give to the Set's workers, and after each event calls Ask,
// which returns the message to the master. When the master's answer arrives, the
// driver calls Take, and gives open requests of the Set to Bag.Give again.
type Manager struct {
	Bag   *Bag // of the Set
	model *Model
	drawn []drawn // chunks that have not been reported, in order of arrival
	asked bool    // a request is in transit, or open at the master
	since float64 // when it was made
	lead  float64 // seconds that the last request took until its answer, where that did not wait for tasks
	idle  float64 // when all that had been drawn before was done
}

type drawn struct {
	Chunk
	at, waited float64 // when it came, and how long after its request
}

// NewManager makes a manager for the workers of a Set. tasks is the number of those in the
// master's bag.
func NewManager(tasks, workers int, spec Spec, o Options) (*Manager, error) {
	o.Open = true
	b, err := New(tasks, workers, spec, o)
	if err != nil {
		return nil, err
	}
	return &Manager{Bag: b, model: spec.Model()}, nil
}

// Ask returns the message to send to the master now: a report of a finished chunk, a
// request for another, or both; if neither, none. Pass a report without a request to
// Bag.End, any request to Bag.Give. Call Ask until it returns neither.
//
// A manager asks ahead: when its bag would be empty before an answer arrives.
func (m *Manager) Ask(now float64) (r Report, reports, requests bool) {
	r.Now = now
	for i := range m.drawn {
		d := &m.drawn[i]
		if !m.Bag.settled(d.Span) {
			continue
		}
		begin := max(d.at, m.idle)
		r.Chunk, r.Computed, r.Waited = d.Number, max(0, now-begin), d.waited
		r.Failed = m.Bag.failedIn(d.Span)
		m.idle = now
		m.model.Observe(d.Count, r.Computed)
		r.Good, r.Next = m.model.Good(), m.model.Next(d.Slice)
		m.drawn = append(m.drawn[:i], m.drawn[i+1:]...)
		reports = true
		break
	}
	if m.Bag.open && !m.asked && m.low(now) {
		m.asked, m.since = true, now
		requests = true
	}
	return r, reports, requests
}

// low reports whether the remaining tasks last no longer than a request takes.
func (m *Manager) low(now float64) bool {
	if m.Bag.count == 0 {
		return true
	}
	rate := 0.0
	for _, w := range m.Bag.workers {
		if !w.lost && w.elapsed > 0 {
			rate += float64(w.tasks) / w.elapsed
		}
	}
	return float64(m.Bag.count) < rate*m.lead
}

// Take takes in the master's answer to a request: Work with a chunk, or Done.
func (m *Manager) Take(now float64, c Chunk, a Answer) {
	m.asked = false
	m.lead = now - m.since
	if a == Done {
		m.Bag.Close()
		return
	}
	m.Bag.Add(c.Span)
	m.drawn = append(m.drawn, drawn{Chunk: c, at: now, waited: m.lead})
}
