package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// A duel is one run of auto against a load made by an adversary, and the same run
// without moves. Its text describes it completely, so that it can be repeated:
//
//	hub/slow lines/punishes those who moved/17/1.5,4,0.1,3,1e+08,0.1
//
// that is the kind of load, family of platforms, reaction, seed, and the figures.
type duel struct {
	kind, platform, reaction int
	seed                     uint64
	figures                  [len(figures)]float64
}

// dial is something that an adversary turns. Where it is 0 a case is as its kind has it.
type dial struct {
	about     string
	low, high float64 // range from which it is drawn, evenly by its logarithm
	often     float64 // part of the duels drawn that have it
}

var figures = [...]dial{
	length:  {"times as many supersteps", 0.2, 5, 0.5},
	crowd:   {"processes on each host", 1, 60, 0.3},
	effort:  {"times the work", 0.01, 30, 0.5},
	speech:  {"times the bytes of messages", 0.01, 100, 0.5},
	baggage: {"bytes of a process's state", 1e3, 1e9, 0.6},
	jitter:  {"deviation of work from superstep to superstep", 0.01, 0.7, 0.3},
	wrong:   {"deviation of hosts' declared speeds from their own, as a logarithm", 0.02, 0.7, 0.3},
}

const (
	length = iota
	crowd
	effort
	speech
	baggage
	jitter
	wrong
)

// Limits of the size of a duel, so that thousands take a minute; and the least number of supersteps
// with a promised limit.
const (
	mostEntries  = 12_000 // processes times supersteps
	mostMessages = 60_000
	leastSteps   = 50
)

// String is the duel as text.
func (d *duel) String() string {
	list := frame.Each(d.figures[:], func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) })
	return fmt.Sprintf("%s/%s/%s/%d/%s", kinds[d.kind].name, platforms[d.platform].name, reactions[d.reaction].name, d.seed, strings.Join(list, ","))
}

// parseDuel parses the result of String.
func parseDuel(text string) (d duel, err error) {
	parts := strings.Split(text, "/")
	if len(parts) != 5 {
		return d, fmt.Errorf("%q: expected KIND/PLATFORM/REACTION/SEED/FIGURES, as -adversary prints it", text)
	}
	d.kind = slices.IndexFunc(kinds, func(k kind) bool { return k.name == parts[0] })
	d.platform = slices.IndexFunc(platforms, func(f family) bool { return f.name == parts[1] })
	d.reaction = slices.IndexFunc(reactions, func(r reaction) bool { return r.name == parts[2] })
	for i, at := range []int{d.kind, d.platform, d.reaction} {
		if at < 0 {
			return d, fmt.Errorf("%q: there is no %s %q", text, [...]string{"kind", "family of platforms", "reaction"}[i], parts[i])
		}
	}
	if d.seed, err = strconv.ParseUint(parts[3], 10, 64); err != nil {
		return d, fmt.Errorf("%q: %q is no seed", text, parts[3])
	}
	list := strings.Split(parts[4], ",")
	if len(list) != len(figures) {
		return d, fmt.Errorf("%q: %d figures; expected %d", text, len(list), len(figures))
	}
	for i, item := range list {
		if d.figures[i], err = strconv.ParseFloat(item, 64); err != nil || d.figures[i] < 0 || math.IsInf(d.figures[i], 0) || math.IsNaN(d.figures[i]) {
			return d, fmt.Errorf("%q: %q is no figure", text, item)
		}
	}
	return d, nil
}

// drawDuel draws one of a class.
func drawDuel(random *rand.Rand, c *class) (d duel) {
	for {
		d.kind, d.platform = random.IntN(len(kinds)), random.IntN(len(platforms))
		d.reaction = 0
		if c.reacts {
			d.reaction = 1 + random.IntN(len(reactions)-1)
		}
		if c.has(&d) {
			break
		}
	}
	d.seed = tuned + uint64(random.IntN(reported-tuned))
	for i := range figures {
		if random.Float64() < figures[i].often {
			d.figures[i] = figures[i].draw(random)
		}
	}
	return d
}

func (f *dial) draw(random *rand.Rand) float64 {
	return rounded(math.Exp(between(random, math.Log(f.low), math.Log(f.high))))
}

// rounded keeps three digits, as the text of a duel does.
func rounded(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return x
}

// mutated is a duel of the same class with one to three things changed.
func (d duel) mutated(random *rand.Rand, c *class) duel {
	for range 1 + random.IntN(3) {
		other := drawDuel(random, c)
		switch at := random.IntN(len(figures) + 4); {
		case at < len(figures):
			f := &figures[at]
			if d.figures[at] > 0 && random.IntN(4) > 0 {
				d.figures[at] = rounded(min(f.high, max(f.low, d.figures[at]*math.Exp(0.5*random.NormFloat64()))))
			} else if d.figures[at] = f.draw(random); random.IntN(5) == 0 {
				d.figures[at] = 0
			}
		case at == len(figures):
			d.seed = other.seed
		case at == len(figures)+1:
			d.kind = other.kind
		case at == len(figures)+2:
			d.platform = other.platform
		default:
			d.reaction = other.reaction
		}
	}
	return d
}

// entry makes the case; nil if it is too large, or too short for a promise.
func (d *duel) entry() (*entry, error) {
	e := &entry{kind: kinds[d.kind].name, platform: platforms[d.platform].name, seed: d.seed}
	random := e.random()
	p, err := machine(platforms[d.platform].sets(random))
	if err != nil {
		return nil, err
	}
	t := newDraft(p, random)
	f := &d.figures
	if f[crowd] > 0 {
		t.procs = len(p.Hosts) * int(math.Ceil(f[crowd]))
	}
	t.steps = int(float64(t.steps) * cmp.Or(f[length], 1))
	t.grain *= cmp.Or(f[effort], 1)
	if t.steps < leastSteps || t.procs > mostProcs || t.steps*t.procs > mostEntries {
		return nil, nil
	}
	kinds[d.kind].draw(t)
	if t.steps < leastSteps || t.steps*t.procs > mostEntries || len(t.messages)*t.steps > mostMessages {
		return nil, nil
	}
	t.bytes *= cmp.Or(f[speech], 1)
	for i := range t.messages {
		t.messages[i].Bytes *= cmp.Or(f[speech], 1)
	}
	if f[baggage] > 0 {
		t.state = f[baggage]
	}
	if f[jitter] > 0 {
		steady, noise := t.work, t.table()
		t.work = func(step, pid int) float64 { return steady(step, pid) * max(0, 1+f[jitter]*noise(step, pid)) }
	}
	if f[wrong] > 0 {
		t.declareWrong(f[wrong])
	}
	where := t.start()
	h := &hostile{
		Workload: t.workload(), random: random, react: reactions[d.reaction], hosts: len(p.Hosts), home: where, where: slices.Clone(where),
		pick: [2]int{1 + random.IntN(30), 5 + random.IntN(60)},
	}
	e.config = sim.Config{Platform: p, Workload: h, Where: where}
	return e, nil
}

// fought is the result of a duel. Times are in seconds.
type fought struct {
	duel          duel
	with, without float64
	moves         int
}

// lost is the part of the time without moves that auto took longer.
func (f *fought) lost() float64 { return f.with/f.without - 1 }

// fight runs a duel, with and without moves; it returns nil if the duel is too large. It passes
// all calls to call, which may be nil.
func (d duel) fight(ctx context.Context, balance rebalancer.Spec, call func(*sim.CallRecord)) (*fought, error) {
	e, err := d.entry()
	if e == nil || err != nil {
		return nil, err
	}
	h := e.config.Workload.(*hostile)
	e.config.Balance = balance
	with, err := sim.Run(ctx, &e.config, sim.Report{Call: func(r *sim.CallRecord) {
		h.moved(r.Decision.Moves)
		if call != nil {
			call(r)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", &d, err)
	}
	e.config.Workload, e.config.Balance = replay{h.Workload, h.done}, rebalancer.Spec{}
	without, err := sim.Run(ctx, &e.config, sim.Report{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", &d, err)
	}
	return &fought{duel: d, with: with.Time, without: without.Time, moves: with.Moves}, nil
}

// again runs a duel and prints its calls.
func (s *settings) again(ctx context.Context, session *frame.Session) error {
	t := frame.Table{
		Title:  "Calls",
		Header: []string{"superstep", "at", "moves", "moving", "saves, as predicted", "the last moves saved", "the bank says", "why nothing moves, or the first does"}, Text: []int{7},
	}
	f, err := s.duel.fight(ctx, s.spec(), func(r *sim.CallRecord) {
		d := &r.Decision
		row := []string{fmt.Sprint(d.Step), seconds(r.At), fmt.Sprint(len(d.Moves)), seconds(r.Moved), seconds(d.Forecast.Before - d.Forecast.After), "", "", d.WhyNone}
		if len(d.Moves) > 0 {
			row[7] = d.Moves[0].Reason
		}
		if d.Outcome != nil {
			row[5] = seconds(d.Outcome.Realised)
		}
		if d.Learned.Bank != nil {
			row[6] = seconds(d.Learned.Bank.Saved)
		}
		t.Add(row...)
	})
	switch {
	case err != nil:
		return err
	case f == nil:
		return fmt.Errorf("%s: the case is too large, or has fewer than %d supersteps", s.duel, leastSteps)
	}
	session.Print("SIMULATED: all times are those of simulated platforms.")
	session.Table(t)
	session.Print("With moves %s, without %s: %s", seconds(f.with), seconds(f.without), frame.Percent(-f.lost()))
	return nil
}

func seconds(x float64) string { return fmt.Sprintf("%.3g s", x) }
