package ledger

import "time"

// Efficiency is the tree of factors of the POP metrics, exact for BSP: on a
// network that takes no time, a run takes the sum of its supersteps' longest
// work.
//
//	Parallel = LoadBalance * Serialisation * Transfer
//	LoadBalance = InSets * BetweenSets
type Efficiency struct {
	Parallel      float64 `json:"parallel"`      // work of all ranks over ranks * elapsed time
	LoadBalance   float64 `json:"load_balance"`  // mean over largest work of a rank in the whole time
	InSets        float64 `json:"in_sets"`       // mean work of the Set with most over largest work of a rank
	BetweenSets   float64 `json:"between_sets"`  // mean work of a rank over that mean
	Serialisation float64 `json:"serialisation"` // largest work of a rank over the sum of each superstep's longest
	Transfer      float64 `json:"transfer"`      // that sum over the elapsed time
}

// Acceptable is the efficiency from which POP asks for no more.
const Acceptable = 0.80

// Efficiency is that of a part of the run.
func (a *Account) Efficiency(t *Totals) Efficiency {
	largest := time.Duration(0)
	bySet, ranks := make([]float64, max(1, len(a.Run.Sets))), make([]float64, max(1, len(a.Run.Sets)))
	sum := 0.0
	for rank, w := range t.ByRank {
		largest = max(largest, w)
		set := 0
		if rank < len(a.Run.Ranks) {
			set = a.Run.Ranks[rank].Set
		}
		sum += w.Seconds()
		bySet[set] += w.Seconds()
		ranks[set]++
	}
	setMost := 0.0
	for set := range bySet {
		if ranks[set] > 0 {
			setMost = max(setMost, bySet[set]/ranks[set])
		}
	}
	n := float64(max(1, len(t.ByRank)))
	return Efficiency{
		Parallel:      ratio(t.WorkSum.Seconds(), n*t.Elapsed),
		LoadBalance:   ratio(sum/n, largest.Seconds()),
		InSets:        ratio(setMost, largest.Seconds()),
		BetweenSets:   ratio(sum/n, setMost),
		Serialisation: ratio(largest.Seconds(), t.WorkMax.Seconds()),
		Transfer:      ratio(t.WorkMax.Seconds(), t.Elapsed),
	}
}

// ratio is part over whole; where there is nothing, nothing is lost.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}
