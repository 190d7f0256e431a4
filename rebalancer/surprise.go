package rebalancer

// surpriseShare is the part of a superstep by which it must have become longer,
// for no known reason, to be a surprise.
const surpriseShare = 0.2

// wonder compares what supersteps took with what speeds, availability and links
// explain. What they do not is much the same from call to call; where it has grown
// a link may have become slower, which nothing else shows. Without anybody who
// measures links there is nothing to be done about it.
func (c *Controller) wonder(v View, d *Decision) {
	if !c.relinks {
		return
	}
	measured, steps := measuredStep(v.Ranks)
	for _, r := range v.Ranks {
		measured = max(measured, r.Recent)
	}
	if steps == 0 {
		return
	}
	m := newCostModel(v)
	d.Memory.Excess = max(0, measured-m.step(v.Where, m.recent))
	if growth := d.Memory.Excess - c.memory.Excess; c.memory.Excess >= 0 && growth > surpriseShare*measured {
		d.Surprise = growth * float64(m.horizon)
	}
}
