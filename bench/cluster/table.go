package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// of is the median of a figure of a scenario's runs.
func (r *result) of(scenario int, figure func(run) float64) float64 {
	return frame.Median(frame.Each(r.runs[scenario], figure))
}

func (r *result) seconds(scenario int) float64 {
	return r.of(scenario, func(x run) float64 { return x.seconds })
}

// possible is the part of the time without rescheduling that could be saved.
func (r *result) possible() float64 {
	return r.of(0, func(x run) float64 { return 1 - x.possible/x.seconds })
}

// saved returns the part of the time that a scenario saves.
func (r *result) saved(scenario int) float64 { return 1 - r.seconds(scenario)/r.seconds(0) }

// record enters the time of each run into the record.
func (r *result) record(session *frame.Session) {
	for i, s := range scenarios {
		figure := func(measure, unit string, value func(run) float64) {
			session.Record(r.experiment.name+", "+s.name, measure, unit, frame.Each(r.runs[i], value)...)
		}
		figure("time", "s", func(x run) float64 { return x.seconds })
		figure("possible", "s", func(x run) float64 { return x.possible })
		figure("calls", "", func(x run) float64 { return float64(x.calls) })
		figure("moves", "", func(x run) float64 { return float64(x.moves) })
		if r.experiment.event != nil {
			figure("superstep of the event", "", func(x run) float64 { return float64(x.event) })
			figure("calls to recover", "", func(x run) float64 { return float64(x.recovery) })
			figure("time to recover", "s", func(x run) float64 { return x.until })
			figure("supersteps to recover", "", func(x run) float64 { return float64(x.steps) })
		}
	}
	if len(r.launches) > 0 {
		for i, name := range launchNames {
			session.Record(r.experiment.name+", "+name, "time", "s", r.launchSeconds(i)...)
		}
	}
	if r.experiment.alone {
		session.Record(r.experiment.name+", one host", "time", "s", frame.Each(r.alone, wholeTime)...)
	}
}

// table returns the table of an experiment.
func (r *result) table() frame.Table {
	e := r.experiment
	title := fmt.Sprintf("%s\n%s %s -procs %d on %s", e.name, e.program, strings.Join(e.args, " "), e.procs, e.testbed)
	if e.event != nil {
		title += fmt.Sprintf("; after %.0f%% of the supersteps: %s", 100*e.event.after, strings.Join(e.event.command, " "))
	}
	title += fmt.Sprintf("\nat most %s can be saved; computing took %.3f of what the hosts' speeds say\n",
		frame.Percent(r.possible()), r.of(0, func(x run) float64 { return x.checked }))
	t := frame.Table{Title: title, Header: []string{"scenario", "time", "saved", "of possible", "deciding", "calls", "moves"}, Text: []int{0}}
	if e.event != nil {
		t.Header = append(t.Header, "recovered after")
	}
	for i, s := range scenarios {
		row := []string{
			s.name, ledger.Seconds(time.Duration(r.seconds(i) * 1e9)), "", "", frame.Percent(r.of(i, func(x run) float64 { return x.deciding / x.seconds })),
			fmt.Sprint(r.of(i, func(x run) float64 { return float64(x.calls) })), fmt.Sprint(r.of(i, func(x run) float64 { return float64(x.moves) })),
		}
		if i > 0 {
			row[2] = frame.Percent(r.saved(i))
			if r.possible() > littleToGain {
				row[3] = frame.Percent(r.saved(i) / r.possible())
			}
		}
		if e.event != nil {
			row = append(row, r.recovered(i))
		}
		t.Add(row...)
	}
	return t
}

// littleToGain is a part of the time; parts of a smaller one mean nothing.
const littleToGain = 0.05

// recovered returns after how many calls the runs of a scenario had recovered from the
// event.
func (r *result) recovered(scenario int) string {
	var calls []float64
	for _, run := range r.runs[scenario] {
		if run.recovery >= 0 {
			calls = append(calls, float64(run.recovery))
		}
	}
	runs, typical := len(r.runs[scenario]), frame.Median(calls)
	never := runs - len(calls)
	switch {
	case 2*never > runs:
		return "never"
	case never > 0:
		return fmt.Sprintf("%s, %d of %d never", counted(typical), never, runs)
	}
	return counted(typical)
}

func counted(calls float64) string {
	if calls == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%g calls", calls)
}

// targets sums up the experiments in which all hosts are worth having.
func targets(all []*result) frame.Table {
	t := frame.Table{
		Part: "saved", Title: fmt.Sprintf("Time saved against scenario i, in percent of it; and from when the event shows until supersteps take at most %.0f %% longer than at best, in each run", 100*near),
		Header: []string{"experiment", "i", "at most"}, Text: []int{0},
	}
	for _, s := range scenarios[1:] {
		t.Header = append(t.Header, s.name)
	}
	t.Header = append(t.Header, scenarios[len(scenarios)-1].balance+" of possible", "near the best again after")
	percent := func(part float64) string { return fmt.Sprintf("%.1f", 100*part) }
	for _, r := range all {
		if r.experiment.alone {
			continue
		}
		row := []string{r.experiment.name, fmt.Sprintf("%.1f s", r.seconds(0)), percent(r.possible())}
		for i := range scenarios[1:] {
			row = append(row, percent(r.saved(i+1)))
		}
		of := ""
		if r.possible() > littleToGain {
			of = fmt.Sprintf("%.0f %%", 100*r.saved(len(scenarios)-1)/r.possible())
		}
		t.Add(append(row, of, r.reactions())...)
	}
	return t
}

// reactions are the times and supersteps from when the event shows until supersteps take little
// longer than at best, in each run of the last scenario.
func (r *result) reactions() string {
	if r.experiment.event == nil {
		return ""
	}
	var texts []string
	for _, run := range r.runs[len(scenarios)-1] {
		text := "never"
		if run.steps >= 0 {
			text = fmt.Sprintf("%.2g s (%d)", run.until, run.steps)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
