package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// factsOf returns the facts in the head of a page; unknown ones are left out.
func factsOf(v *tell.View) []ledger.Detail {
	run := v.Account.Run()
	facts := []ledger.Detail{
		{Name: "Program", Value: strings.TrimSpace(run.Program + " " + run.Version)},
		{Name: "Started", Value: run.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{Name: "State", Value: v.State()},
		{Name: "Elapsed", Value: seconds(v.Whole.Elapsed) + clock(v)},
		{Name: "Supersteps", Value: fmt.Sprint(v.Whole.Step.Count)},
		{Name: "Processes", Value: fmt.Sprint(run.Procs)},
		{Name: "Ranks", Value: placesWords(run)},
		{Name: "Rescheduling", Value: run.Strategy},
		{Name: "Start", Value: run.Start()},
		{Name: "Engine", Value: run.Engine},
		{Name: "MPI", Value: run.MPI},
		{Name: "Platform", Value: run.Platform},
		{Name: "Job", Value: run.Job},
		{Name: "Go", Value: run.Go},
		{Name: "Commit", Value: run.Commit},
		{Name: "Record", Value: v.Record.Name},
	}
	if r := v.Account.Result; r != nil {
		facts = append(facts, resultFacts(r, clock(v))...)
	}
	return slices.DeleteFunc(facts, func(f ledger.Detail) bool { return f.Value == "" })
}

func resultFacts(r *ledger.Result, clock string) []ledger.Detail {
	var facts []ledger.Detail
	if r.Seconds > 0 && r.Work > 0 {
		rate, prefix := tell.Scaled(r.Work/r.Seconds, 1000)
		facts = append(facts, ledger.Detail{Name: "Rate", Value: fmt.Sprintf("%.3g %s%s/s in %s%s", rate, prefix, r.Unit, seconds(r.Seconds), clock)})
	}
	facts = append(facts, r.Details...)
	for _, c := range r.Checks {
		text := strings.TrimSpace(strings.TrimPrefix(c.String(), "check"))
		facts = append(facts, ledger.Detail{Name: "Check", Value: text})
	}
	return append(facts, ledger.Detail{Name: "Checksum", Value: r.Checksum})
}

// placesWords returns the numbers of ranks, hosts and Sets.
func placesWords(run *ledger.Run) string {
	hosts := make(map[string]bool)
	for _, r := range run.Ranks {
		hosts[r.Host] = true
	}
	return fmt.Sprintf("%d on %s in %s", len(run.Ranks), ledger.Count(len(hosts), "host"), ledger.Count(len(run.Sets), "Set"))
}

// commandLine returns the program's call, for a shell.
func commandLine(run *ledger.Run) string {
	return shell.QuoteAll(append([]string{run.Program}, run.Args...))
}

// notices returns sentences that a reader needs before the figures: which figures are
// missing, and why.
func notices(v *tell.View) []string {
	var all []string
	if v.End == nil {
		text := "The record has no end: the run goes on, or was killed. All figures are of what is recorded so far; times after the last superstep, the machine's g and l and the result are missing."
		if n := len(v.Record.Progress); n > 0 {
			p := &v.Record.Progress[n-1]
			text += fmt.Sprintf(" Last seen at superstep %d, %s after the start.", p.Step, time.Duration(p.At*float64(time.Second)).Round(time.Second))
		}
		all = append(all, text)
	} else if v.End.Machine == nil {
		all = append(all, "The machine's g and l are not in the record, so what communication should take is not known: its time is part of what is unexplained.")
	}
	if v.Account.Steps() == 0 {
		all = append(all, "The record has no superstep: there is nothing to draw.")
	}
	return all
}
