package ledger

// loadPace is how many supersteps a Recorder wants in a Load.
type loadPace struct {
	width int
	taken int // what those who gather Loads know of it
	bytes int // written at this width
	all   int // written at all
}

// mostLoadBytes is what Loads of one width may take in a record, and fewLoadBytes what
// they may take whatever it costs.
const (
	mostLoadBytes = 4 << 20
	fewLoadBytes  = 1 << 19
)

func (p *loadPace) few() bool { return p.all < fewLoadBytes }

// widen doubles the width, unless nobody knows of the last time yet.
func (p *loadPace) widen() {
	p.bytes = 0
	if p.width == p.taken && p.width < 1<<30 {
		p.width *= 2
	}
}

// LoadWidth is how many supersteps are to go into a window of Loads from now on: more
// as the run goes on, so that the record stays small and writing it cheap.
func (r *Recorder) LoadWidth() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loads.taken = r.loads.width
	return r.loads.width
}
