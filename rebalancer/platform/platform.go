// Package platform describes the machine that a run has: its ranks, the Sets that they form,
// what messages take between them, and what moves there and why.
package platform

// Platform is what is known of the machine before the run.
type Platform struct {
	Sets  []Set
	Ranks []Rank
	// Links[a][b] joins Sets a and b, and Links[a][a] two ranks of Set a.
	Links [][]Link
	// SpeedError is the part by which speeds of ranks may be wrong, each by itself; 0 where they
	// are known.
	SpeedError float64
	// Lines are the seconds that a byte takes on the own link of each rank's host, where they
	// were measured; 0, or none, where only that of the rank's Set is known.
	Lines   []float64
	Barrier float64 // seconds that a superstep costs even if nothing is done in it
	// Arrivals[a][b] is what each process in Set b adds to that when process 0 is in
	// Set a; nil where a barrier takes the same wherever processes are.
	Arrivals [][]float64
	// Leave says that ranks without processes take no part in a barrier: one among the
	// processes of a single host takes nothing then, beside one over the network, and one
	// within a Set what its link takes of the longest.
	Leave bool
}

// Set is a group of ranks that are close to each other.
type Set struct {
	Name    string
	Manager int // rank
}

// Rank is a place where processes run, one after another.
type Rank struct {
	Host   string
	Set    int
	Speed  float64 // work done per second when nothing else runs there
	Memory int64   // bytes that processes may take there; 0 if not known
	// Cores are those that it shares with all ranks of the host of that name; 0 if it has one
	// of its own whatever their number, as on platforms that are only described.
	Cores float64
}

// Link is a way between ranks.
type Link struct {
	Latency float64 // seconds
	PerByte float64 // seconds; between Sets, of a link that all their ranks share
}

// Uniform is a platform of n ranks of speed 1 in one Set.
func Uniform(n int, link Link) Platform {
	p := Platform{Sets: []Set{{Name: "all"}}, Ranks: make([]Rank, n), Links: [][]Link{{link}}}
	for i := range p.Ranks {
		p.Ranks[i].Speed = 1
	}
	return p
}

// Traffic is what comes from one process.
type Traffic struct {
	Pid   int
	Bytes int64
}

// Move takes a process from one rank to another.
type Move struct {
	Pid, From, To int
	Bytes         int64 // of its state
	Reason        string
}

// Potential is what a process i may gain on another Set j: the potential of migration PM(i,j), in its parts.
type Potential struct {
	Set             int // -1 if there is none
	Comp, Comm, Mem float64
}

// PM is the potential itself.
func (p Potential) PM() float64 { return p.Comp + p.Comm - p.Mem }

// Point is it as a place in space.
func (p Potential) Point() [3]float64 { return [3]float64{p.Comp, p.Comm, p.Mem} }

// Verdict is why a process moves or stays.
type Verdict struct {
	Pid       int
	Potential Potential
	To        int     // rank proposed, -1 if none was
	T1, T2    float64 // time where it is, and at the destination with the move; 0 if not compared
	Moves     bool
	Rule      string // that kept or moved it
}

// Flow is the traffic of one superstep. It counts at places that it has to go through: at ranks and, where several are on
// one host, at the host, whose link they share.
type Flow struct {
	Sent, Received []int64 // by place, without what stays there: ranks, and after them such hosts
	Between        []int64 // by pair of Sets, from*len(Sets)+to
	host           []int32 // by rank: place of its host, -1 if it has that to itself
	on             []int32 // by place: a rank there
}

// NewFlow is an empty Flow on the platform.
func (p *Platform) NewFlow() Flow {
	f := Flow{host: make([]int32, len(p.Ranks)), Between: make([]int64, len(p.Sets)*len(p.Sets))}
	for rank := range p.Ranks {
		f.host[rank], f.on = -1, append(f.on, int32(rank))
	}
	_, hosts := p.Hosts()
	for _, ranks := range hosts {
		if len(ranks) == 1 {
			continue
		}
		for _, rank := range ranks {
			f.host[rank] = int32(len(f.on))
		}
		f.on = append(f.on, ranks[0])
	}
	f.Sent, f.Received = make([]int64, len(f.on)), make([]int64, len(f.on))
	return f
}

// Hosts are the ranks by host, and each rank's number of its host; one without a name is a host of its own.
func (p *Platform) Hosts() (number []int, ranks [][]int32) {
	known := make(map[string]int)
	for rank, r := range p.Ranks {
		n, is := known[r.Host]
		if !is || r.Host == "" {
			n = len(ranks)
			known[r.Host], ranks = n, append(ranks, nil)
		}
		number, ranks[n] = append(number, n), append(ranks[n], int32(rank))
	}
	return number, ranks
}

// Through calls count for each place that traffic from one rank to another goes through.
func (f *Flow) Through(from, to int, count func(place int, total []int64)) {
	if from == to {
		return
	}
	count(from, f.Sent)
	count(to, f.Received)
	if a, b := f.host[from], f.host[to]; a < 0 || a != b {
		if a >= 0 {
			count(int(a), f.Sent)
		}
		if b >= 0 {
			count(int(b), f.Received)
		}
	}
}

// Seconds is what a place's link takes for what goes through it, in the slower direction.
func (p *Platform) Seconds(f *Flow, place int) float64 {
	return float64(max(f.Sent[place], f.Received[place])) * p.Line(int(f.on[place]))
}

// Line is the seconds that a byte takes on the own link of a rank's host.
func (p *Platform) Line(rank int) float64 {
	if rank < len(p.Lines) && p.Lines[rank] > 0 {
		return p.Lines[rank]
	}
	set := p.Ranks[rank].Set
	return p.Links[set][set].PerByte
}

// Add counts bytes from one rank to another.
func (p *Platform) Add(f *Flow, from, to int, bytes int64) {
	if from == to {
		return
	}
	f.Through(from, to, func(place int, total []int64) { total[place] += bytes })
	f.Between[p.Ranks[from].Set*len(p.Sets)+p.Ranks[to].Set] += bytes
}

// Time is what the traffic takes: ranks send and receive at once, each at the rate of its host's
// link, which all that leaves or comes to the host shares, and all that goes from one Set to another
// shares theirs; the slowest of these plus the longest latency in use is the whole.
func (p *Platform) Time(f *Flow) float64 {
	bytes, latency := p.Times(f)
	return bytes + latency
}

// Times are the two parts of Time: for the bytes, and for the way.
func (p *Platform) Times(f *Flow) (longest, latency float64) {
	for place := range f.on {
		longest = max(longest, p.Seconds(f, place))
	}
	for a := range p.Sets {
		for b := range p.Sets {
			bytes := f.Between[a*len(p.Sets)+b]
			if bytes == 0 {
				continue
			}
			link := p.Links[a][b]
			latency = max(latency, link.Latency)
			if a != b {
				longest = max(longest, float64(bytes)*link.PerByte)
			}
		}
	}
	return longest, latency
}

// Transfer is the time that one message of so many bytes takes between two
// ranks that have the way to themselves.
func (p *Platform) Transfer(from, to int, bytes int64) float64 {
	if from == to {
		return 0
	}
	a, b := p.Ranks[from].Set, p.Ranks[to].Set
	perByte := max(p.Line(from), p.Line(to))
	if a != b {
		perByte = max(perByte, p.Links[a][b].PerByte)
	}
	return p.Links[a][b].Latency + float64(bytes)*perByte
}
