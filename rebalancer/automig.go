package rebalancer

import "github.com/migbsp/migbsp/rebalancer/internal/search"

// automigDefinition: the prediction function is not published; here it is the
// time of the next alpha supersteps by the cost model, moves included.
var automigDefinition = Definition{
	Name: "automig", About: "AutoMig: the prefix of the list of potentials that gives the best predicted schedule",
	Source: "jMigBSP dissertation, 6.3", Parameters: potentialParameters,
	New: func(values map[string]float64) Strategy { return autoMig{newWeighing(values)} },
}

type autoMig struct{ weight weighing }

// Choose tries the candidates in the order of their potentials, each for its
// Set, predicts the schedule after every one, and goes back to the best: later
// moves may be needed before earlier ones show, as where several ranks are
// equally slow.
func (s autoMig) Choose(v View) ([]Move, []Verdict) {
	list, verdicts := pmList(v)
	plan := newAlphaPlan(v)
	t := newTrial(v).weighing(s.weight)
	var moves []Move
	best, kept := plan.Total(), 0
	var tried []int // verdict of each move
	for _, c := range list {
		verdict, move := t.consider(c.p, c.p.Best.Set)
		if move != nil {
			plan.Move(move.Pid, move.To)
			moves = append(moves, *move)
			tried = append(tried, len(verdicts))
			if score := plan.Total(); score < best {
				best, kept = score, len(moves)
			}
		}
		verdicts = append(verdicts, verdict)
	}
	for _, i := range tried[kept:] {
		verdicts[i].Moves, verdicts[i].Rule = false, "the predicted schedule is no better with it"
	}
	sortVerdicts(verdicts)
	return moves[:kept], verdicts
}

// newAlphaPlan is a schedule whose total is the time of the supersteps until
// the next call, and of the moves.
func newAlphaPlan(v View) *search.Plan {
	in := newForecastModel(v).instance()
	in.Horizon, in.Trust, in.Call = max(v.Alpha, 1), 1, 0
	return search.NewPlan(in, v.Where)
}
