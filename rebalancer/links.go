package rebalancer

import (
	"slices"
)

// Links that change while a run goes on.
//
// What a superstep's messages take is known of all hosts together only: all wait for the last
// one. Where supersteps become longer and nothing known says why (unexplainedTime), a link may
// have become slow, and which one has to be found by measuring: the links between Sets, each
// between two managers, and the line of each host, between it and its neighbours. A line is
// known by the quicker of its two neighbours, for a slow host makes both of its pairs slow. This
// file decides when links are measured again and what is believed then; a live run measures
// them with messages of its own, a simulated one lets such messages pass over its network.

const (
	// linkWorth is how many times the least time for links must be at stake to spend it before it
	// is saved: then it costs a tenth at most of what it may save.
	linkWorth = 10
	// linkLongest bounds what one remeasuring takes, as a multiple of the least it takes: what the
	// time beyond that adds to the figures is not worth it.
	linkLongest = 4
	// linkLoan is how many times the share of a run's time may be borrowed: a slow link costs more
	// than that, and all that is measured stays below the 3 % that rescheduling may cost.
	linkLoan = 2
	// linkChanged is the part of the larger one by which two figures must differ to be two: what a
	// short measurement is good for.
	linkChanged = 0.25
	// sameLatency and samePerByte are differences that have no effect on any decision: what a
	// message within a node takes, and 5 % of what a byte of memory does.
	sameLatency = 10e-6
	samePerByte = 0.05e-9
)

// MeasuredLinks is what was found of links.
type MeasuredLinks struct {
	// Links are those between Sets and within. Where the latency is 0 nothing was measured, and
	// where PerByte is, bytes did not show.
	Links [][]Link
	// Lines are the seconds of a byte on the line of each rank's host; nil, or 0 where that was
	// not measured.
	Lines []float64
}

// LinkWatch is what a run knows of measuring links: the time that it may take. All ranks keep the
// same.
type LinkWatch struct {
	Share float64 // part of the time, 0 for none

	saved float64 // seconds of earlier intervals, too short for anything; negative while they are owed
	took  float64 // seconds that the last measurement really took
	now   float64 // seconds at the next call
	spent float64 // seconds that the measurement under way was to take
}

// differs reports whether two figures are far from each other, where those that are the same but
// for so little have the same effect.
func differs(a, b, same float64) bool {
	far := max(a, b) - min(a, b)
	return far > same && far > linkChanged*max(a, b)
}

// Corrected is what is believed of links and lines after some were measured. Figures that differ
// little from what was believed, or were not found out, change nothing. A line is 0 where it is
// as those of its Set are. p is left as it is.
//
// Managers measure the links of their Sets: one that is no slower than the line of its manager
// says nothing of the link.
func (*LinkWatch) Corrected(p *Platform, found MeasuredLinks) (links [][]Link, lines []float64) {
	bySet, usual := make([][]float64, len(p.Sets)), make([]float64, len(p.Sets)) // usual is what a byte takes on most lines
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

// NeighbourRounds are the pairs of n hosts in a ring, by round: in each a host has one partner
// at most, and after all it has met both neighbours. With fewer than three there is none to
// compare with, and no round.
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

// Credit credits the share of an interval between calls, in seconds, and finds out what the
// next call may spend on links: nothing as long as less is saved than measuring takes at least.
// Where many seconds are at stake in the supersteps to come, because something has changed that
// nothing known explains, it may be borrowed, and soon is true: the next call is to follow at
// once. There is one loan at a time, which is paid back before anything is saved, of at most
// linkLoan times the share of whole, the seconds of the run so far and to come, and of those at
// stake.
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

// Took tells how long a measurement really took: ranks that wait for their cores answer late. What
// it took beyond what was spent is owed, and the next one is expected to take as long.
func (w *LinkWatch) Took(seconds float64) {
	w.saved -= max(0, seconds-w.spent)
	w.took, w.spent = seconds, 0
}

// Spend is what measuring may take now, in seconds, 0 if it is not to be done.
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
