package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/ledger"
)

// score is the median of several runs. Each run's gain is over the same run
// without moves: the same work, the same messages, the first mapping.
type score struct {
	spec     string
	time     float64 // seconds of the run
	gain     float64 // part of the time without moves that was saved
	possible float64 // upper bound of it
	overhead float64 // part of the time without moves that deciding took
	moving   float64 // and moving
}

func scoreOf(spec string, runs []emulated.Outcome) score {
	return score{
		spec:     spec,
		time:     median(runs, func(o emulated.Outcome) float64 { return o.With }),
		gain:     median(runs, func(o emulated.Outcome) float64 { return o.Gain() }),
		possible: median(runs, func(o emulated.Outcome) float64 { return o.Possible() }),
		overhead: median(runs, func(o emulated.Outcome) float64 { return o.Calls / o.Without }),
		moving:   median(runs, func(o emulated.Outcome) float64 { return o.Moves / o.Without }),
	}
}

func median(runs []emulated.Outcome, of func(emulated.Outcome) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func writeScores(w io.Writer, load emulated.Workload, hosts string, scores []score) error {
	fmt.Fprintf(w, "\n %s %v on %s (emulated)\n", load.Name, load.Args, filepath.Base(hosts))
	var rows [][]string
	for _, s := range scores {
		rows = append(rows, []string{
			s.spec, ledger.Seconds(time.Duration(s.time * 1e9)), percent(s.gain), percent(s.possible), percent(s.possible - s.gain),
			percent(s.overhead), percent(s.moving),
		})
	}
	return ledger.WriteRows(w, []string{"balance", "time", "saved", "possible", "gap", "deciding", "moving"}, rows, 0)
}

// writeSummary prints the mean over all workloads and platforms.
func writeSummary(w io.Writer, specs []string, all []score) error {
	fmt.Fprintf(w, "\n mean over %d workloads and platforms (emulated)\n", len(all)/len(specs))
	var rows [][]string
	for _, spec := range specs {
		var sum score
		n := 0.0
		worst := 1.0
		for _, s := range all {
			if s.spec == spec {
				sum.gain += s.gain
				sum.possible += s.possible
				sum.overhead += s.overhead
				worst = min(worst, s.gain)
				n++
			}
		}
		rows = append(rows, []string{spec, percent(sum.gain / n), percent(worst), percent(sum.possible / n), percent(sum.overhead / n)})
	}
	return ledger.WriteRows(w, []string{"balance", "saved", "worst", "possible", "deciding"}, rows, 0)
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
