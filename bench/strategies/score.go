package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// score is the median of several runs. Each run's gain is over the same run
// without moves: the same work, the same messages, the first mapping.
type score struct {
	spec     string
	time     float64 // seconds of the run
	without  float64 // and of the same without moves
	gain     float64 // part of the time without moves that was saved
	possible float64 // upper bound of it
	overhead float64 // part of the time without moves that deciding took
	moving   float64 // and moving
}

// scoreOf records what the runs with a strategy came to.
func scoreOf(session *frame.Session, of, spec string, runs []emulated.Outcome) score {
	median := func(measure, unit string, value func(emulated.Outcome) float64) float64 {
		return session.Record(of, measure, unit, frame.Each(runs, value)...).Center
	}
	return score{
		spec:     spec,
		time:     median("time", "s", func(o emulated.Outcome) float64 { return o.With }),
		without:  median("time without moves", "s", func(o emulated.Outcome) float64 { return o.Without }),
		gain:     median("saved", "", func(o emulated.Outcome) float64 { return o.Gain() }),
		possible: median("possible", "", func(o emulated.Outcome) float64 { return o.Possible() }),
		overhead: median("deciding", "", func(o emulated.Outcome) float64 { return o.Calls / o.Without }),
		moving:   median("moving", "", func(o emulated.Outcome) float64 { return o.Moves / o.Without }),
	}
}

func tableOf(load emulated.Workload, hosts string, scores []score) frame.Table {
	t := frame.Table{
		Title:  fmt.Sprintf("%s %v on %s (emulated)", load.Name, load.Args, filepath.Base(hosts)),
		Header: []string{"balance", "time", "saved", "possible", "gap", "deciding", "moving"}, Text: []int{0},
	}
	for _, s := range scores {
		t.Add(s.spec, ledger.Seconds(time.Duration(s.time*1e9)), frame.Percent(s.gain), frame.Percent(s.possible), frame.Percent(s.possible-s.gain),
			frame.Percent(s.overhead), frame.Percent(s.moving))
	}
	return t
}

// overviewOf is a table of what each strategy saves, with a row for each workload and
// platform.
func overviewOf(specs []string) frame.Table {
	t := frame.Table{
		Part: "saved", Title: "Part of the time without moves that each strategy saves (emulated)",
		Header: []string{"program", "platform", "without"}, Text: []int{0, 1},
	}
	for _, spec := range specs {
		if spec != "off" {
			t.Header = append(t.Header, spec)
		}
	}
	t.Header = append(t.Header, "at most")
	return t
}

// rowOf is one of it. Without moves, a run takes what that of the first strategy would have
// taken; what could be saved at most differs as little between them.
func rowOf(load emulated.Workload, hosts string, scores []score) []string {
	row := []string{load.Name, emulated.Short(hosts), ledger.Seconds(time.Duration(scores[0].without * 1e9))}
	for _, s := range scores {
		if s.spec != "off" {
			row = append(row, frame.Percent(s.gain))
		}
	}
	return append(row, frame.Percent(scores[len(scores)-1].possible))
}

// summary is the mean over all workloads and platforms.
func summary(specs []string, all []score) frame.Table {
	t := frame.Table{
		Part:   "means",
		Title:  fmt.Sprintf("mean over %d workloads and platforms (emulated)", len(all)/len(specs)),
		Header: []string{"balance", "saved", "worst", "possible", "deciding"}, Text: []int{0},
	}
	for i, spec := range specs {
		var sum score
		n, worst := 0.0, 1.0
		for k := i; k < len(all); k += len(specs) {
			s := all[k]
			sum.gain += s.gain
			sum.possible += s.possible
			sum.overhead += s.overhead
			worst = min(worst, s.gain)
			n++
		}
		t.Add(spec, frame.Percent(sum.gain/n), frame.Percent(worst), frame.Percent(sum.possible/n), frame.Percent(sum.overhead/n))
	}
	return t
}
