package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
)

// claim is a checkable statement of a paper, and the result of the simulation in the same
// words: it is exact if the two are equal. Processes count from 1, as in the papers.
type claim struct {
	source    string // paper, and its section, table or figure
	about     string // run, and the subject of the claim
	published string
	here      string
}

// claims collects claims, for one source and run at a time.
type claims struct {
	all    []claim
	source string
	run    string
	cell   *cell
	trial  *trial
}

// of begins the claims on a run with a strategy.
func (l *claims) of(source, run string, c *cell, spec string) {
	l.source, l.run, l.cell, l.trial = source, run, c, c.moves[spec]
}

// add takes in a statement on the run.
func (l *claims) add(about, published, here string) {
	if about[0] != '@' && about[0] != '>' {
		about = strings.TrimSpace(l.run + " " + about)
	} else {
		about = l.run + about
	}
	l.all = append(l.all, claim{l.source, about, published, here})
}

// calls is a statement on the supersteps after which there are calls: all of them, or the
// first ones if it ends in "..".
func (l *claims) calls(published string) {
	var steps []string
	for i := range l.trial.calls {
		steps = append(steps, fmt.Sprint(l.trial.calls[i].Step))
	}
	here := strings.Join(steps, ",")
	if first, open := strings.CutSuffix(published, ".."); open {
		if n := strings.Count(first, ",") + 1; len(steps) > n {
			here = strings.Join(steps[:n], ",") + ".."
		}
	} else if len(steps) > 12 {
		here = fmt.Sprintf("%s,..(%d)", strings.Join(steps[:8], ","), len(steps))
	}
	l.add("calls", published, here)
}

// moves is a statement on all moves of the call after a superstep, such as "1-3,7>A" for
// four processes to a Set whose name begins with A. If the moves are made in another call, the result
// names that call.
func (l *claims) moves(step int, published string) {
	here := l.moved(step)
	if here != published && published != "none" {
		for i := range l.trial.calls {
			if d := &l.trial.calls[i]; l.sets(d.Moves) == published {
				here = fmt.Sprintf("%s@%d", published, d.Step)
			}
		}
	}
	l.add(fmt.Sprintf("@%d", step), published, here)
}

// movesMany is a statement on how many processes move to a Set in the call after a superstep,
// such as "14>A", where the paper does not say which.
func (l *claims) movesMany(step int, published string) {
	here := "no call"
	if d := l.at(step); d != nil {
		on, p := make(map[string]int), l.cell.config.Platform
		for _, m := range d.Moves {
			on[p.Sets[p.Hosts[m.To].Set].Name[:1]]++
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(on)) {
			parts = append(parts, fmt.Sprintf("%d>%s", on[name], name))
		}
		here = noneOr(parts)
	}
	l.add(fmt.Sprintf("@%d moves", step), published, here)
}

// none states that calls after some supersteps make no moves.
func (l *claims) none(steps ...int) {
	var names, some []string
	for _, step := range steps {
		names = append(names, fmt.Sprint(step))
		if here := l.moved(step); here != "none" {
			some = append(some, fmt.Sprintf("%s@%d", here, step))
		}
	}
	l.add("@"+strings.Join(names, ","), "none", noneOr(some))
}

// later states that calls later than the call after a superstep make no moves.
func (l *claims) later(step int) {
	var some []string
	for i := range l.trial.calls {
		if d := &l.trial.calls[i]; d.Step > step && len(d.Moves) > 0 {
			some = append(some, fmt.Sprintf("%s@%d", l.sets(d.Moves), d.Step))
		}
	}
	if len(some) > 2 {
		some = []string{some[0], fmt.Sprintf("..(%d calls)", len(some))}
	}
	l.add(fmt.Sprintf(">%d", step), "none", noneOr(some))
}

// noneOr lists the moves, if any.
func noneOr(some []string) string {
	if len(some) == 0 {
		return "none"
	}
	return strings.Join(some, ";")
}

// moved is all that moves in the call after a superstep.
func (l *claims) moved(step int) string {
	d := l.at(step)
	if d == nil {
		return "no call"
	}
	return l.sets(d.Moves)
}

// at returns the call after a superstep, nil if none.
func (l *claims) at(step int) *rebalancer.Decision {
	at := slices.IndexFunc(l.trial.calls, func(d rebalancer.Decision) bool { return d.Step == step })
	if at < 0 {
		return nil
	}
	return &l.trial.calls[at]
}

// sets is moves by Set.
func (l *claims) sets(moves []rebalancer.Move) string {
	p := l.cell.config.Platform
	var parts []string
	for set := range p.Sets {
		var pids []int
		for _, m := range moves {
			if p.Hosts[m.To].Set == set {
				pids = append(pids, m.Pid+1)
			}
		}
		if len(pids) > 0 {
			parts = append(parts, ranges(pids)+">"+p.Sets[set].Name[:1])
		}
	}
	return noneOr(parts)
}

// nodes is a statement on the nodes to which processes go in the call after a superstep, or
// in all calls if that is 0.
func (l *claims) nodes(step int, published string) {
	var all []string
	for i := range l.trial.calls {
		if d := &l.trial.calls[i]; step == 0 || d.Step == step {
			for _, m := range d.Moves {
				all = append(all, fmt.Sprintf("%d>%s", m.Pid+1, strings.ToLower(l.cell.config.Platform.Hosts[m.To].Name)))
			}
		}
	}
	about := "nodes"
	if step > 0 {
		about = fmt.Sprintf("@%d nodes", step)
	}
	l.add(about, published, noneOr(all))
}

// candidates is a statement on which processes are compared with a destination in a call.
func (l *claims) candidates(step int, published string) {
	here := "no call"
	if d := l.at(step); d != nil {
		var pids []int
		for i := range d.Verdicts {
			if d.Verdicts[i].T1 > 0 {
				pids = append(pids, d.Verdicts[i].Pid+1)
			}
		}
		if here = "none"; len(pids) > 0 {
			here = ranges(pids)
		}
	}
	l.add(fmt.Sprintf("@%d candidates", step), published, here)
}

// onSet returns the final number of processes on a Set, and on its most loaded node.
func (l *claims) onSet(name string) (processes, most int) {
	p, on := l.cell.config.Platform, make(map[int32]int)
	for _, host := range l.trial.Where {
		if strings.HasPrefix(p.Sets[p.Hosts[host].Set].Name, name) {
			on[host]++
			processes, most = processes+1, max(most, on[host])
		}
	}
	return processes, most
}

// gain is a statement on the saving of moves, and cost on the cost of decisions, in per cent of
// the plain program's time.
func (l *claims) gain(published string, saved float64) {
	l.add("gain", published, as(published, saved))
}
func (l *claims) cost(published string, takes float64) { l.add("ii", published, as(published, takes)) }

// as is a part of a whole in as many digits as a published one has.
func as(published string, x float64) string {
	digits := 0
	if _, behind, found := strings.Cut(strings.TrimSuffix(published, "%"), "."); found {
		digits = len(behind)
	}
	return fmt.Sprintf("%.*f%%", digits, 100*x)
}

// times is a statement on all times of one column of a table: how many are equal as printed,
// and how far the others are off at most. Those that were not published are NaN.
func (l *claims) times(about string, published, here []float64) {
	n, same, most := 0, 0, 0.0
	for k, x := range published {
		if math.IsNaN(x) {
			continue
		}
		n++
		if fmt.Sprintf("%.2f", x) == fmt.Sprintf("%.2f", here[k]) {
			same++
		}
		most = max(most, math.Abs(here[k]/x-1))
	}
	l.run = ""
	text := fmt.Sprint(same)
	if same < n {
		text += ",±" + frame.Percent(most)
	}
	l.add(about, fmt.Sprint(n), text)
}

// ranges is numbers in ascending order, such as "1-3,7".
func ranges(numbers []int) string {
	slices.Sort(numbers)
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if part := fmt.Sprint(numbers[i]); j == i {
			parts = append(parts, part)
		} else {
			parts = append(parts, fmt.Sprintf("%s-%d", part, numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// gainsRow is a line of the table of gains: means over cells that stand for one experiment.
func gainsRow(name string, off, published, theirs, own, most []float64) []string {
	row := []string{name}
	for _, all := range [][]float64{off, published, theirs, own, most} {
		row = append(row, fmt.Sprintf("%+.1f%%", 100*frame.Mean(all)))
	}
	return row
}

// gained counts the cells that a strategy makes shorter.
func gained(cells []*cell, spec string) (n int) {
	for _, c := range cells {
		if c.saved(spec) > 0 {
			n++
		}
	}
	return n
}
