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
func (b *Book) Windows() []Window { return b.windows }

func (b *Book) addToWindow(s *Step) {
	b.width = max(b.width, 1)
	if n := len(b.windows); n > 0 && (b.windows[n-1].Count < b.width || b.windows[n-1].Last >= s.First) {
		b.windows[n-1].merge(s)
		return
	}
	if len(b.windows) == maxWindows {
		b.halve()
		b.addToWindow(s)
		return
	}
	w := Window{Step: *s, Mixed: s.Count < s.Last-s.First+1}
	w.Work = nil
	b.windows = append(b.windows, w)
}

// merge adds supersteps that may have ended elsewhere.
func (w *Window) merge(s *Step) {
	w.Mixed = w.Mixed || w.Site != s.Site
	last := max(w.Last, s.Last)
	w.add(s)
	w.Last = last
}

func (b *Book) halve() {
	for i := range maxWindows / 2 {
		first, second := b.windows[2*i], b.windows[2*i+1]
		first.merge(&second.Step)
		first.Mixed = first.Mixed || second.Mixed
		first.Calls += second.Calls
		first.Moved += second.Moved
		b.windows[i] = first
	}
	b.windows = b.windows[:maxWindows/2]
	b.width *= 2
}
