package ledger

// Window is the account of consecutive supersteps, First to Last.
type Window struct {
	Mixed bool // its supersteps ended at different places
	Calls int  // rescheduling calls after it
	Moved int  // processes that these moved
	Step
}

const maxWindows = 1 << 14

// Windows is the course of the run.
func (a *Account) Windows() []Window { return a.windows }

func (a *Account) addToWindow(s *Step) {
	a.width = max(a.width, 1)
	if n := len(a.windows); n > 0 && (a.windows[n-1].Count < a.width || a.windows[n-1].Last >= s.First) {
		a.windows[n-1].merge(s)
		return
	}
	if len(a.windows) == maxWindows {
		a.halve()
		a.addToWindow(s)
		return
	}
	w := Window{Step: *s, Mixed: s.Count < s.Last-s.First+1}
	w.Work = nil
	a.windows = append(a.windows, w)
}

// merge adds supersteps that may have ended elsewhere.
func (w *Window) merge(s *Step) {
	w.Mixed = w.Mixed || w.Site != s.Site
	last := max(w.Last, s.Last)
	w.add(s)
	w.Last = last
}

func (a *Account) halve() {
	for i := range maxWindows / 2 {
		first, second := a.windows[2*i], a.windows[2*i+1]
		first.merge(&second.Step)
		first.Mixed = first.Mixed || second.Mixed
		first.Calls += second.Calls
		first.Moved += second.Moved
		a.windows[i] = first
	}
	a.windows = a.windows[:maxWindows/2]
	a.width *= 2
}
