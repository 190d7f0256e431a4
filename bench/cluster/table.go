package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// of is the median of a figure of a scenario's runs.
func (r *result) of(scenario int, figure func(run) float64) float64 {
	var values []float64
	for _, run := range r.runs[scenario] {
		values = append(values, figure(run))
	}
	return median(values)
}

func (r *result) seconds(scenario int) float64 {
	return r.of(scenario, func(x run) float64 { return x.seconds })
}

// possible is the part of the time without rescheduling that could be saved.
func (r *result) possible() float64 {
	return r.of(0, func(x run) float64 { return 1 - x.possible/x.seconds })
}

// saved is the part of it that a scenario saves.
func (r *result) saved(scenario int) float64 { return 1 - r.seconds(scenario)/r.seconds(0) }

// write prints the table of an experiment.
func (r *result) write(w io.Writer) error {
	e := r.experiment
	fmt.Fprintf(w, "\n %s\n %s %s -procs %d on %s", e.name, e.program, strings.Join(e.args, " "), e.procs, e.testbed)
	if e.event != nil {
		fmt.Fprintf(w, "; after %.0f%% of the supersteps: %s", 100*e.event.after, strings.Join(e.event.command, " "))
	}
	fmt.Fprintf(w, "\n at most %s can be saved; computing took %.3f of what the hosts' speeds say\n\n", percent(r.possible()), r.of(0, func(x run) float64 { return x.checked }))
	head := []string{"scenario", "time", "saved", "of possible", "deciding", "calls", "moves"}
	if e.event != nil {
		head = append(head, "recovered after")
	}
	var rows [][]string
	for i, s := range scenarios {
		row := []string{
			s.name, ledger.Seconds(time.Duration(r.seconds(i) * 1e9)), "", "", percent(r.of(i, func(x run) float64 { return x.deciding / x.seconds })),
			fmt.Sprint(r.of(i, func(x run) float64 { return float64(x.calls) })), fmt.Sprint(r.of(i, func(x run) float64 { return float64(x.moves) })),
		}
		if i > 0 {
			row[2] = percent(r.saved(i))
			if r.possible() > littleToGain {
				row[3] = percent(r.saved(i) / r.possible())
			}
		}
		if e.event != nil {
			row = append(row, r.recovered(i))
		}
		rows = append(rows, row)
	}
	return ledger.WriteRows(w, head, rows, 0)
}

// littleToGain is the part of the time below which parts of it mean nothing.
const littleToGain = 0.05

// recovered says after how many calls the runs of a scenario had dealt with the
// event.
func (r *result) recovered(scenario int) string {
	var calls []float64
	for _, run := range r.runs[scenario] {
		if run.recovery >= 0 {
			calls = append(calls, float64(run.recovery))
		}
	}
	runs, typical := len(r.runs[scenario]), median(calls)
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

// writeTargets sums up all experiments.
func writeTargets(w io.Writer, all []*result) error {
	fmt.Fprintf(w, "\n all experiments\n")
	head := []string{"experiment", "possible"}
	for _, s := range scenarios[1:] {
		head = append(head, s.name)
	}
	var rows [][]string
	for _, r := range all {
		row := []string{r.experiment.name, percent(r.possible())}
		for i := range scenarios[1:] {
			row = append(row, percent(r.saved(i+1)))
		}
		rows = append(rows, row)
	}
	return ledger.WriteRows(w, head, rows, 0)
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
