package rebalancer

import "github.com/migbsp/migbsp/rebalancer/internal/search"

// automigDefinition is AutoMig. Its prediction function is not published; this implementation uses the
// time of the next alpha supersteps by the cost model, including moves.
var automigDefinition = Definition{
	Name: "automig", About: "AutoMig: the prefix of the list of potentials that gives the best predicted schedule",
	Source: "jMigBSP dissertation, 6.3", Parameters: potentialParameters,
	New: func(values map[string]float64) Strategy { return autoMig{newWeighing(values)} },
}

type autoMig struct{ weight weighing }

// Choose moves the candidates in the order of their potentials, each within its Set, predicts the
// schedule after every move, and reverts to the best. It tries all of them because an early move may
// pay only after later ones, for instance if several ranks are equally slow.
func (s autoMig) Choose(v View) ([]Move, []Verdict) {
	// The plan predicts the time of the supersteps until the next call, including moves.
	in := newForecastModel(v).instance()
	in.Horizon, in.Trust, in.Call = max(v.Alpha, 1), 1, 0
	plan := search.NewPlan(in, v.Where)
	t := newTrial(v).weighing(s.weight)
	best, kept := plan.Total(), 0
	var tried []int // verdict of each move
	for _, p := range t.candidates() {
		if !t.consider(p) {
			continue
		}
		tried = append(tried, len(t.verdicts)-1)
		plan.Move(p.Pid, int(t.where[p.Pid]))
		if score := plan.Total(); score < best {
			best, kept = score, len(t.moves)
		}
	}
	for _, i := range tried[kept:] {
		t.verdicts[i].Moves, t.verdicts[i].Rule = false, "the predicted schedule is no better with it"
	}
	t.moves = t.moves[:kept]
	return t.chosen()
}
