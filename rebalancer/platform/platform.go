// Package platform describes the machine of a run: its ranks, their Sets, the
// links between them, and the moves of processes.
package platform

// Platform is the description of the machine before the run.
type Platform struct {
	Sets  []Set
	Ranks []Rank
	// Links[a][b] joins Sets a and b, and Links[a][a] two ranks of Set a.
	Links [][]Link
	// SpeedError is the relative error of the speed of each rank, independent of the others; 0 if
	// they are exact.
	SpeedError float64
	// Lines are the measured seconds per byte on the link of each rank's host; 0, or empty, if
	// only the figure of the rank's Set is known.
	Lines   []float64
	Barrier float64 // seconds that an empty superstep takes
	// Arrivals[a][b] is the addition to that of each process in Set b if process 0 is in
	// Set a; nil if a barrier does not depend on the mapping.
	Arrivals [][]float64
	// Leave reports whether ranks without processes take no part in a barrier. A barrier of
	// the processes of a single host then takes no time, compared with one over the network, and a barrier
	// within a Set the ratio of its link's latency to the longest.
	Leave bool
}

// Set is a group of ranks that are close to each other.
type Set struct {
	Name    string
	Manager int // rank
}

// Rank runs processes, one after another.
type Rank struct {
	Host   string
	Set    int
	Speed  float64 // work done per second without other load
	Memory int64   // bytes that processes may take there; 0 if not known
	// Cores are the cores that it shares with all ranks of the host of that name; 0 if each rank has a core
	// of its own, as on platforms that are only described.
	Cores float64
}

// Link is a link between ranks.
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

// Traffic is the traffic received from one process.
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

// Potential is the expected gain of a process i on another Set j: the potential of migration
// PM(i,j), in its parts.
type Potential struct {
	Set             int // -1 if none
	Comp, Comm, Mem float64
}

// PM is the potential itself.
func (p Potential) PM() float64 { return p.Comp + p.Comm - p.Mem }

// Point returns it as a point in space.
func (p Potential) Point() [3]float64 { return [3]float64{p.Comp, p.Comm, p.Mem} }

// Verdict is the reason why a process moves or stays.
type Verdict struct {
	Pid       int
	Potential Potential
	To        int     // rank proposed, -1 if none was
	T1, T2    float64 // time where it is, and at the destination with the move; 0 if not compared
	Moves     bool
	Rule      string // that kept or moved it
}

// Flow is the traffic of one superstep. It counts bytes by place: at ranks and, where several share
// one host, at the host, whose link they share.
type Flow struct {
	Sent, Received []int64 // by place, without local traffic: ranks, and then such hosts
	Between        []int64 // by pair of Sets, from*len(Sets)+to
	host           []int32 // by rank: place of its host, -1 if no other rank shares it
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

// Through calls count for each place on the path of traffic from one rank to another.
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

// Seconds returns the time of a place's traffic on its link, in the slower direction.
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

// Time returns the time of the traffic: ranks send and receive concurrently, each at the rate of
// its host's link, which all traffic of the host shares, and all traffic from one Set to another
// shares their link. The total is the slowest of these plus the longest latency in use.
func (p *Platform) Time(f *Flow) float64 {
	bytes, latency := p.Times(f)
	return bytes + latency
}

// Times returns the two parts of Time: for the bytes, and for the latency.
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

// Transfer returns the time of one message of the given bytes between two
// ranks without other traffic.
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
