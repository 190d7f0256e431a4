package rebalancer

import (
	"slices"
)

// Links that change during a run.
//
// The time of a superstep's messages is known only for all hosts together, because all wait for
// the slowest. If supersteps become longer for no known reason (unexplainedTime), a link may have
// become slow, and only a measurement can identify it. The run measures the links between Sets,
// each between two managers, and the line of each host, between the host and its two neighbours.
// The faster of the two figures counts, because a slow host slows both of its pairs. This file
// schedules the measurements and evaluates them; a live run measures with messages of its own, a
// simulated run passes such messages over its network.

const (
	// linkWorth is the multiple of the minimum measuring time that must be at stake to spend that
	// time before it is saved: measuring then costs at most a tenth of the possible saving.
	linkWorth = 10
	// linkLongest bounds the time of one measurement, as a multiple of the minimum. More time does not
	// improve the figures enough.
	linkLongest = 4
	// linkLoan is how many times the share of a run's time may be borrowed: a slow link costs more
	// than that, and all that is measured stays below the 3 % that rescheduling may cost.
	linkLoan = 2
	// linkChanged is the part of the larger of two figures by which they must differ to count as
	// different: the accuracy of a short measurement.
	linkChanged = 0.25
	// sameLatency and samePerByte are differences too small to affect a decision: the latency of a
	// message within a node, and 5 % of the time per byte of memory.
	sameLatency = 10e-6
	samePerByte = 0.05e-9
)

// MeasuredLinks holds the results of a measurement of links.
type MeasuredLinks struct {
	// Links are the links between and within Sets. A latency of 0 means not measured, and a PerByte
	// of 0 means that the time per byte was too small to detect.
	Links [][]Link
	// Lines are the seconds of a byte on the line of each rank's host; nil, or 0 where that was
	// not measured.
	Lines []float64
}

// LinkWatch is the budget for measuring links. It is the same on all ranks.
type LinkWatch struct {
	Share float64 // part of the time, 0 for none

	saved float64 // seconds of earlier intervals, too short for anything; negative while they are owed
	took  float64 // seconds that the last measurement really took
	now   float64 // seconds at the next call
	spent float64 // budget of the measurement in progress, in seconds
}

// differs reports whether two figures are far from each other, where those that are the same but
// for so little have the same effect.
func differs(a, b, same float64) bool {
	far := max(a, b) - min(a, b)
	return far > same && far > linkChanged*max(a, b)
}

// Corrected returns the links and lines of p updated with measured figures. Missing figures and figures
// close to the present ones change nothing. A line is 0 if it is like the other lines of its
// Set. Corrected does not change p.
//
// Managers measure the links of their Sets: a figure that is no slower than the line of its manager
// does not describe the link.
func (*LinkWatch) Corrected(p *Platform, found MeasuredLinks) (links [][]Link, lines []float64) {
	bySet, usual := make([][]float64, len(p.Sets)), make([]float64, len(p.Sets)) // usual is the median time per byte of the lines
	for rank, line := range found.Lines {
		if set := p.Ranks[rank].Set; line > 0 {
			bySet[set] = append(bySet[set], line)
		}
	}
	for set, of := range bySet {
		if len(of) > 0 {
			slices.Sort(of)
			usual[set] = of[(len(of)-1)/2]
		}
	}
	for a, row := range p.Links {
		row = slices.Clone(row)
		for b := range row {
			is := found.Links[a][b]
			if is.Latency > 0 && differs(row[b].Latency, is.Latency, sameLatency) {
				row[b].Latency = is.Latency
			}
			perByte := is.PerByte
			switch {
			case a == b && usual[a] > 0:
				perByte = usual[a]
			case found.Lines != nil && perByte > row[b].PerByte:
				slowest := 0.0
				for _, set := range [2]int{a, b} {
					if line := found.Lines[p.Sets[set].Manager]; line > 0 && differs(line, usual[set], samePerByte) {
						slowest = max(slowest, line)
					}
				}
				if !differs(max(perByte, slowest), slowest, samePerByte) {
					perByte = 0
				}
			}
			if perByte > 0 && differs(row[b].PerByte, perByte, samePerByte) {
				row[b].PerByte = perByte
			}
		}
		links = append(links, row)
	}
	if found.Lines == nil {
		return links, p.Lines
	}
	lines = make([]float64, len(p.Ranks))
	copy(lines, p.Lines)
	for rank, line := range found.Lines {
		set, known := p.Ranks[rank].Set, lines[rank]
		switch {
		case line == 0:
		case !differs(line, links[set][set].PerByte, samePerByte):
			lines[rank] = 0
		case known == 0 || differs(line, known, samePerByte):
			lines[rank] = line
		}
	}
	return links, lines
}

// NeighbourRounds returns the pairs of n hosts in a ring, by round. A host has at most one partner
// in a round, and is paired with both neighbours after all rounds. Fewer than three hosts have no
// rounds, because a figure could not be compared with another.
func NeighbourRounds(n int) (rounds [][][2]int) {
	if n < 3 {
		return nil
	}
	rounds = make([][][2]int, 2, 3)
	for i := range n - n%2 {
		rounds[i%2] = append(rounds[i%2], [2]int{i, (i + 1) % n})
	}
	if n%2 == 1 {
		rounds = append(rounds, [][2]int{{n - 1, 0}})
	}
	return rounds
}

// Credit credits the share of an interval between calls, in seconds, and sets the budget of the
// next call for measuring links: 0 while the savings are below least, the minimum time of a
// measurement. If a change for no known reason puts many seconds at stake in the remaining
// supersteps, the time may be borrowed. Credit then returns true: the next call should follow
// immediately. A loan must be repaid before the next one. It is at most linkLoan times the share
// of whole, the seconds of the run so far and to come, and of stake.
func (w *LinkWatch) Credit(interval, whole, stake, least float64) (soon bool) {
	if w.Share == 0 {
		return false
	}
	w.saved += w.Share * interval
	least = max(least, w.took)
	soon = stake > linkWorth*least && w.saved >= 0 && linkLoan*w.Share*(whole+stake) >= least
	switch {
	case w.saved >= least:
		w.now, w.saved = min(w.saved, linkLongest*least), 0
	case soon:
		w.now, w.saved = least, w.saved-least
	}
	return soon
}

// Took records the actual duration of a measurement, which is longer if ranks wait for their
// cores. Time beyond the budget is owed, and the next measurement is expected to take as long.
func (w *LinkWatch) Took(seconds float64) {
	w.saved -= max(0, seconds-w.spent)
	w.took, w.spent = seconds, 0
}

// Spend returns the budget for measuring now, in seconds; 0 means do not measure.
func (w *LinkWatch) Spend() float64 {
	w.spent, w.now = w.now, 0
	return w.spent
}

// LeastLinkTime is the seconds that it takes to measure links of about the known figures
// well enough: some short messages, and in each direction two of 8 and of 32 KiB, in each of so
// many rounds.
func LeastLinkTime(p *Platform, rounds int) float64 {
	const trips, bytes, overhead = 24, 2 * (80 << 10), 200e-6
	slowest := 0.0
	for a, row := range p.Links {
		for _, l := range row {
			slowest = max(slowest, trips*l.Latency+bytes*l.PerByte)
		}
		slowest = max(slowest, trips*p.Links[a][a].Latency+bytes*slices.Max(append(slices.Clone(p.Lines), 0)))
	}
	return (overhead + slowest) * float64(rounds)
}

// Impaired reports whether links are believed to be slower than they were at first, or lines
// than their Sets'.
func Impaired(first [][]Link, p *Platform) bool {
	for a, row := range p.Links {
		for b, link := range row {
			if was := first[a][b]; link.PerByte > was.PerByte || link.Latency > was.Latency {
				return true
			}
		}
	}
	for rank, line := range p.Lines {
		if set := p.Ranks[rank].Set; line > p.Links[set][set].PerByte {
			return true
		}
	}
	return false
}
