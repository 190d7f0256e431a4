package rebalancer

// autoTop holds the three busiest ranks of a phase; -1 stands for none.
type autoTop struct {
	rank [3]int32
	time [3]float64
}

// refresh finds the three busiest ranks of each phase after moves.
func (p *autoPlan) refresh() {
	if p.fresh {
		return
	}
	p.fresh = true
	for f := range p.peaks {
		peaks, top := &p.peaks[f], &p.tops[f]
		first := peaks.first()
		second, third := peaks.beside(first, first), -1
		if second >= 0 {
			third = peaks.beside(first, second)
		}
		for i, r := range [3]int{first, second, third} {
			top.rank[i], top.time[i] = int32(r), 0
			if r >= 0 {
				top.time[i] = peaks.values[r]
			}
		}
	}
}

// others is the busiest time of a phase on all ranks but two, as of the last
// refresh.
func (p *autoPlan) others(phase, a, b int) float64 {
	top := &p.tops[phase]
	for i, r := range top.rank {
		if r >= 0 && int(r) != a && int(r) != b {
			return top.time[i]
		}
	}
	return 0
}

// fits tells whether a process may go to a rank that another leaves; leaver is
// -1 if none does.
func (p *autoPlan) fits(pid, rank, leaver int) bool {
	if !p.m.usable[rank] {
		return false
	}
	stored, arriving := p.stored[rank], p.arriving[rank]
	if leaver >= 0 {
		stored -= p.m.state[leaver]
		if int(p.m.home[leaver]) != rank {
			arriving -= p.m.state[leaver]
		}
	}
	state := p.m.state[pid]
	if state > p.m.limit[rank]-stored && state > 0 {
		return false
	}
	return state == 0 || int(p.m.home[pid]) == rank || state <= p.m.free[rank]-arriving
}
