package rebalancer

// costMeter is Platform.Time of a Flow that changes a little at a time.
type costMeter struct {
	platform *Platform
	flow     Flow
	ranks    costPeaks // seconds of each rank's own link
	links    costPeaks // seconds by pair of Sets
	latency  costPeaks // by pair of Sets, 0 if nothing goes there
}

func newCostMeter(platform *Platform) *costMeter {
	pairs := len(platform.Sets) * len(platform.Sets)
	return &costMeter{
		platform: platform, flow: platform.NewFlow(),
		ranks: newCostPeaks(len(platform.Ranks)), links: newCostPeaks(pairs), latency: newCostPeaks(pairs),
	}
}

// add counts bytes from one rank to another; negative bytes take them back.
func (m *costMeter) add(from, to int, bytes int64) {
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
		m.latency.set(pair, 0)
	} else {
		m.latency.set(pair, link.Latency)
	}
	if a != b {
		m.links.set(pair, float64(between)*link.PerByte)
	}
}

func (m *costMeter) refresh(rank int) {
	set := m.platform.Ranks[rank].Set
	bytes := max(m.flow.Sent[rank], m.flow.Received[rank])
	m.ranks.set(rank, float64(bytes)*m.platform.Links[set][set].PerByte)
}

// time equals Platform.Time of the flow so far.
func (m *costMeter) time() float64 {
	return max(m.ranks.max(), m.links.max()) + m.latency.max()
}
