package cost

// Others is traffic whose partners are others each time. What was seen of it says how much there
// is, not between whom: any two processes are as likely to talk as any others. So a place where n
// of N processes are sends in proportion to n (N - n), as much to all others as they to it, and
// what that takes is known of the mapping for which it was seen.
//
// To bring together those that have just talked gains nothing then, to bring all together all
// that messages take.
type Others struct {
	m     *Model
	per   float64 // seconds for each unit of the longest place
	procs int
}

// NewOthers is that of the traffic of a model, as seen with a mapping; nil if there is none.
func NewOthers(m *Model, where []int32) *Others {
	seconds := m.traffic(where)
	o := &Others{m: m, procs: len(where), per: 1}
	units := o.time(where)
	if seconds == 0 || units == 0 {
		return nil
	}
	o.per = seconds / units
	return o
}

func (o *Others) time(where []int32) float64 {
	g := o.Gathering(where)
	return g.Time()
}

// Gathering is what such traffic takes of a mapping that changes.
type Gathering struct {
	o     *Others
	count []int   // by place
	peaks MaxTree // by place
}

// Gathering is that of a mapping to begin with; without others it takes nothing.
func (o *Others) Gathering(where []int32) Gathering {
	if o == nil {
		return Gathering{}
	}
	g := Gathering{o: o, count: make([]int, o.m.Shared.Places()), peaks: NewMaxTree(o.m.Shared.Places())}
	for _, rank := range where {
		g.count[g.place(int(rank))]++
	}
	for rank := range o.m.Shared.Alone {
		g.refresh(rank)
	}
	return g
}

// place is where a rank's processes are: ranks that share cores are one place.
func (g *Gathering) place(rank int) int {
	if host := g.o.m.Shared.Place(rank); host >= 0 {
		return host
	}
	return rank
}

func (g *Gathering) refresh(rank int) {
	n := g.count[g.place(rank)]
	g.peaks.Set(g.place(rank), float64(n)*float64(g.o.procs-n)*g.o.m.Platform.Line(rank))
}

// Move takes a process from one rank to another.
func (g *Gathering) Move(from, to int) {
	if g.o == nil {
		return
	}
	g.count[g.place(from)]--
	g.count[g.place(to)]++
	g.refresh(from)
	g.refresh(to)
}

// Time is what it takes.
func (g *Gathering) Time() float64 {
	if g.o == nil {
		return 0
	}
	return g.o.per * g.peaks.Max()
}
