//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// summary is the account of all trials.
type summary struct {
	faults, programs frame.Table
	bad              int // programs that are wrong, or lost beyond the promises
}

func summarize(results []*result) *summary {
	s := &summary{
		faults:   frame.Table{Title: "Faults", Header: []string{"fault", "injected", "survived", "lost", "wrong"}, Text: []int{0}},
		programs: frame.Table{Title: "Programs", Header: []string{"started by", "programs", "starts", "survived", "lost within the promises", "lost", "wrong"}, Text: []int{0}},
	}
	for k := range kinds {
		var injected int
		var by [wrong + 1]int
		for _, r := range results {
			for _, one := range r.injected {
				if one == k {
					injected++
					by[r.outcome]++
				}
			}
		}
		s.faults.Add(k.String(), fmt.Sprint(injected), fmt.Sprint(by[survived]), fmt.Sprint(by[excusable]+by[lost]), fmt.Sprint(by[wrong]))
	}
	for e := range engines {
		s.addPrograms(e.String(), slices.DeleteFunc(slices.Clone(results), func(r *result) bool { return r.trial.first.engine != e }))
	}
	s.addPrograms("all", results)
	for _, r := range results {
		if r.outcome >= lost {
			s.bad++
		}
	}
	return s
}

// addPrograms adds a row of programs, by the engine of their first start.
func (s *summary) addPrograms(name string, results []*result) {
	var by [wrong + 1]int
	starts := 0
	for _, r := range results {
		by[r.outcome]++
		starts += len(r.parts)
	}
	s.programs.Add(name, fmt.Sprint(len(results)), fmt.Sprint(starts), fmt.Sprint(by[survived]), fmt.Sprint(by[excusable]), fmt.Sprint(by[lost]), fmt.Sprint(by[wrong]))
}

// mostText is the length of the end of a part's messages in a report.
const mostText = 4000

// report describes a trial, its parts and their messages.
func (r *result) report(engine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n%v", r.trial, r.outcome)
	if r.reason != "" {
		fmt.Fprintf(&b, ": %s", r.reason)
	}
	for i, p := range r.parts {
		said := strings.TrimSpace(p.err.String())
		if len(said) > mostText {
			said = "..." + said[len(said)-mostText:]
		}
		fmt.Fprintf(&b, "\n  start %d: %v: code %d\n    %s", i+1, p.start, p.cmd.ProcessState.ExitCode(), strings.ReplaceAll(said, "\n", "\n    "))
	}
	fmt.Fprintf(&b, "\nagain: go run ./bench/torture -seed %d -n 1 -engine %s -v", r.trial.seed, engine)
	return b.String()
}
