package rebalancer

import (
	"cmp"
	"fmt"
	"slices"
)

// candidate is an entry of the list of potentials of migration.
type candidate struct {
	p  *Process
	pm float64
}

// pmList is the list that the managers make: the best potential of each
// process that can move, negative ones dropped, the largest first, ties by
// process.
func pmList(v View) []candidate {
	var list []candidate
	for i := range v.Processes {
		p := &v.Processes[i]
		if whyDropped(v, p) == "" {
			list = append(list, candidate{p, p.Best.PM()})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.pm, a.pm), cmp.Compare(a.p.Pid, b.p.Pid))
	})
	return list
}

// potentialStrategy is a strategy that chooses candidates from the list of
// potentials; each then has to gain at its destination.
type potentialStrategy struct {
	choose func(list []candidate) (chosen []bool, rule string)
	test   bool
}

// viabilityParameter lets published results be repeated that were made without
// the test of t1 and t2.
var viabilityParameter = Parameter{"viability", 1, 0, 1, "1: a candidate moves only if t1 > t2; 0: always"}

func potentialDefinition(name, about, source string, choose func(values map[string]float64, list []candidate) ([]bool, string), own ...Parameter) Definition {
	return Definition{
		Name: name, About: about, Source: source, Parameters: append(own, viabilityParameter),
		New: func(values map[string]float64) Strategy {
			return potentialStrategy{
				choose: func(list []candidate) ([]bool, string) { return choose(values, list) },
				test:   values["viability"] != 0,
			}
		},
	}
}

// Choose: see Strategy.
func (s potentialStrategy) Choose(v View) ([]Move, []Verdict) {
	list := pmList(v)
	if len(list) == 0 {
		return nil, dropped(v)
	}
	chosen, rule := s.choose(list)
	t := newTrial(v)
	var moves []Move
	verdicts := dropped(v)
	for i, c := range list {
		if !chosen[i] {
			verdicts = append(verdicts, Verdict{Pid: c.p.Pid, Potential: c.p.Best, To: -1,
				Rule: fmt.Sprintf("PM %.3g s is not chosen: %s", c.pm, rule)})
			continue
		}
		verdict, move := t.consider(c.p, c.p.Best.Set, s.test)
		verdicts = append(verdicts, verdict)
		if move != nil {
			moves = append(moves, *move)
		}
	}
	sortVerdicts(verdicts)
	return moves, verdicts
}

func sortVerdicts(verdicts []Verdict) {
	slices.SortStableFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Pid, b.Pid) })
}

// dropped are the verdicts on processes that are not in the list.
func dropped(v View) []Verdict {
	var verdicts []Verdict
	for i := range v.Processes {
		p := &v.Processes[i]
		if why := whyDropped(v, p); why != "" {
			verdicts = append(verdicts, Verdict{Pid: p.Pid, Potential: p.Best, To: -1, Rule: why})
		}
	}
	return verdicts
}

// whyDropped is why a process is not in the list of potentials, "" if it is.
func whyDropped(v View, p *Process) string {
	switch {
	case p.Pinned:
		return "its state cannot move"
	case p.Best.Set < 0 || p.Best.Set >= len(v.Platform.Sets):
		return "there is no other rank"
	case p.Best.PM() >= 0:
		return ""
	case p.Regularity < 0.5 && p.Time > 0:
		return fmt.Sprintf("not regular enough: PM %.3g s", p.Best.PM())
	default:
		return fmt.Sprintf("moving costs more than it brings: PM %.3g s", p.Best.PM())
	}
}
