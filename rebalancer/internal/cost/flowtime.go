package cost

import "github.com/migbsp/migbsp/rebalancer/platform"

// FlowTime is Platform.Time of a Flow that changes a little at a time.
type FlowTime struct {
	platform *platform.Platform
	flow     platform.Flow
	ranks    MaxTree // seconds of each rank's own link
	links    MaxTree // seconds by pair of Sets
	latency  MaxTree // by pair of Sets, 0 if nothing goes there
}

// NewFlowTime has no traffic yet.
func NewFlowTime(p *platform.Platform) *FlowTime {
	pairs := len(p.Sets) * len(p.Sets)
	return &FlowTime{
		platform: p, flow: p.NewFlow(),
		ranks: NewMaxTree(len(p.Ranks)), links: NewMaxTree(pairs), latency: NewMaxTree(pairs),
	}
}

// Add counts bytes from one rank to another; negative bytes take them back.
func (m *FlowTime) Add(from, to int, bytes int64) {
	if from == to || bytes == 0 {
		return
	}
	m.platform.Add(&m.flow, from, to, bytes)
	m.refresh(from)
	m.refresh(to)
	a, b := m.platform.Ranks[from].Set, m.platform.Ranks[to].Set
	pair := a*len(m.platform.Sets) + b
	link, between := m.platform.Links[a][b], m.flow.Between[pair]
	if between == 0 {
		m.latency.Set(pair, 0)
	} else {
		m.latency.Set(pair, link.Latency)
	}
	if a != b {
		m.links.Set(pair, float64(between)*link.PerByte)
	}
}

func (m *FlowTime) refresh(rank int) {
	bytes := max(m.flow.Sent[rank], m.flow.Received[rank])
	m.ranks.Set(rank, float64(bytes)*m.platform.Line(rank))
}

// Time equals Platform.Time of the flow so far.
func (m *FlowTime) Time() float64 {
	return max(m.ranks.Max(), m.links.Max()) + m.latency.Max()
}
