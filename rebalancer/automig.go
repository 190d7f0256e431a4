package rebalancer

// automigDefinition: the prediction function is not published; here it is the
// time of the next alpha supersteps by the cost model, moves included.
var automigDefinition = Definition{
	Name: "automig", About: "AutoMig: the prefix of the list of potentials that gives the best predicted schedule",
	Source: "jMigBSP dissertation, 6.3", Parameters: []Parameter{viabilityParameter},
	New: func(values map[string]float64) Strategy {
		return autoMig{alpha: values["alpha"], test: values["viability"] != 0}
	},
}

type autoMig struct {
	alpha float64
	test  bool
}

// Choose takes the candidates in the order of their potentials, each for its
// Set, goes back over those that make the schedule worse, and keeps the best
// prefix of what remains.
func (s autoMig) Choose(v View) ([]Move, []Verdict) {
	list := pmList(v)
	verdicts := dropped(v)
	t := newTrial(v)
	var moves []Move
	best, kept := s.predicted(t, moves), 0
	for _, c := range list {
		before := *t
		before.load, before.count, before.state, before.came = clone(t.load), clone(t.count), clone(t.state), clone(t.came)
		before.where = clone(t.where)
		verdict, move := t.consider(c.p, c.p.Best.Set, s.test)
		if move != nil {
			tried := append(moves[:len(moves):len(moves)], *move)
			if score := s.predicted(t, tried); score < best {
				best, moves, kept = score, tried, len(tried)
			} else {
				*t = before
				verdict.Moves, verdict.Rule = false, "the predicted schedule is no better with it"
			}
		}
		verdicts = append(verdicts, verdict)
	}
	sortVerdicts(verdicts)
	return moves[:kept], verdicts
}

// predicted is the time of the next alpha supersteps and of the moves.
func (s autoMig) predicted(t *trial, moves []Move) float64 {
	longest := 0.0
	for rank, load := range t.load {
		if rate := t.v.Rates[rank]; rate > 0 {
			longest = max(longest, load/rate)
		} else if load > 0 {
			return 1e300
		}
	}
	cost := 0.0
	for _, m := range moves {
		cost = max(cost, t.v.Platform.Transfer(m.From, m.To, m.Bytes))
	}
	return s.alpha*longest + cost
}

func clone[T any](s []T) []T { return append([]T(nil), s...) }
