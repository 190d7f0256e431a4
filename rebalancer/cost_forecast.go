package rebalancer

// forecast predicts the supersteps still to come without and with the moves.
// It is not corrected by Memory.Trust. Without moves After equals Before and
// nothing is paid.
func forecast(v View, moves []Move) Forecast {
	m := newForecastModel(v)
	return m.forecast(moves, m.trend())
}

func (m *costModel) forecast(moves []Move, trend []float64) Forecast {
	f := Forecast{Horizon: m.horizon, Before: m.rest(m.view.Where, trend)}
	f.After = f.Before
	if len(moves) > 0 {
		f.After = m.rest(costMoved(m.view.Where, moves), trend)
		f.Cost = costTransfer(m.view.Platform, moves) + costCall(m.view.Ranks)
	}
	return f
}

// costMoved is the mapping after the moves.
func costMoved(where []int32, moves []Move) []int32 {
	moved := make([]int32, len(where))
	copy(moved, where)
	for _, move := range moves {
		if move.Pid >= 0 && move.Pid < len(moved) {
			moved[move.Pid] = int32(move.To)
		}
	}
	return moved
}

// costTransfer is what the moves take: ranks send and receive in parallel, one
// state after another, and every move costs its link's latency at both ends.
func costTransfer(platform *Platform, moves []Move) float64 {
	flow := platform.NewFlow()
	waits := make([]float64, len(platform.Ranks))
	longest := 0.0
	for _, move := range moves {
		if move.From == move.To {
			continue
		}
		platform.Add(&flow, move.From, move.To, move.Bytes)
		latency := costLatency(platform, move.From, move.To)
		for _, r := range [2]int{move.From, move.To} {
			waits[r] += latency
			longest = max(longest, waits[r])
		}
	}
	return platform.Time(&flow) + longest
}

// costLatency is the latency between two ranks.
func costLatency(platform *Platform, from, to int) float64 {
	return platform.Links[platform.Ranks[from].Set][platform.Ranks[to].Set].Latency
}

// costCall is what the last call took on the rank where it took longest.
func costCall(ranks []RankState) float64 {
	longest := 0.0
	for _, r := range ranks {
		longest = max(longest, r.Called)
	}
	return longest
}

// costTrust is the factor on predicted savings; 1 if none is known.
func costTrust(memory *Learned) float64 {
	if memory == nil || memory.Trust <= 0 {
		return 1
	}
	return memory.Trust
}
