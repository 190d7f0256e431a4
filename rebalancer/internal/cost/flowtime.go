package cost

import "github.com/migbsp/migbsp/rebalancer/platform"

// FlowTime is Platform.Time of a Flow that changes a little at a time.
type FlowTime struct {
	platform *platform.Platform
	flow     platform.Flow
	places   MaxTree // seconds of each place's link
	links    MaxTree // seconds by pair of Sets
	latency  MaxTree // by pair of Sets, 0 without traffic
}

// NewFlowTime has no traffic yet.
func NewFlowTime(p *platform.Platform) *FlowTime {
	pairs, flow := len(p.Sets)*len(p.Sets), p.NewFlow()
	return &FlowTime{
		platform: p, flow: flow,
		places: NewMaxTree(len(flow.Sent)), links: NewMaxTree(pairs), latency: NewMaxTree(pairs),
	}
}

// Add counts bytes from one rank to another; negative bytes take them back.
func (m *FlowTime) Add(from, to int, bytes int64) {
	if from == to || bytes == 0 {
		return
	}
	m.platform.Add(&m.flow, from, to, bytes)
	m.flow.Through(from, to, func(place int, _ []int64) { m.places.Set(place, m.platform.Seconds(&m.flow, place)) })
	a, b := m.platform.Ranks[from].Set, m.platform.Ranks[to].Set
	pair := a*len(m.platform.Sets) + b
	link := m.platform.Links[a][b]
	if m.flow.Between[pair] == 0 {
		link = platform.Link{}
	}
	m.latency.Set(pair, link.Latency)
	if a != b {
		m.links.Set(pair, float64(m.flow.Between[pair])*link.PerByte)
	}
}

// Time equals Platform.Time of the flow so far.
func (m *FlowTime) Time() float64 {
	return max(m.places.Max(), m.links.Max()) + m.latency.Max()
}

// MovingTime is the time of simultaneous moves: ranks send and receive in parallel, one state
// after another, and each move costs its link's latency at both ends.
type MovingTime struct {
	bytes *FlowTime
	waits MaxTree // by rank: latencies of its moves
	moves int64
}

// NewMovingTime has no moves yet.
func NewMovingTime(p *platform.Platform) *MovingTime {
	return &MovingTime{bytes: NewFlowTime(p), waits: NewMaxTree(len(p.Ranks))}
}

// Add counts a move so many times: -1 takes it back.
func (t *MovingTime) Add(from, to int, bytes, times int64) {
	if from == to {
		return
	}
	t.bytes.Add(from, to, times*bytes)
	t.moves += times
	if latency := float64(times) * Latency(t.bytes.platform, from, to); latency != 0 {
		t.waits.Set(from, max(0, t.waits.Values[from]+latency))
		t.waits.Set(to, max(0, t.waits.Values[to]+latency))
	}
}

// Time returns the time of all moves, including the call that decides them.
func (t *MovingTime) Time(call float64) float64 {
	if t.moves == 0 {
		return 0
	}
	return t.bytes.Time() + t.waits.Max() + call
}

// Moving is the time of some moves.
func Moving(p *platform.Platform, moves []platform.Move, call float64) float64 {
	time := NewMovingTime(p)
	for _, m := range moves {
		time.Add(m.From, m.To, m.Bytes, 1)
	}
	return time.Time(call)
}
