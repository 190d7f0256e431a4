package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

// contender is a program of the comparison and what it has measured.
type contender struct {
	name     string
	library  string // as its output says
	launcher string // "" if it needs none
	path     string
	args     []string
	inC      bool
	file     string // of results, for those that are not launched

	merged results.Merged
}

// launchAll runs all programs in turns. Those in C measure what ours have
// measured.
func (s *settings) launchAll(ctx context.Context, session *frame.Session, ours, theirs []*contender) (idle idleness, err error) {
	for round := range session.Rounds {
		for _, c := range slices.Concat(ours, theirs) {
			used := awaitIdle(ctx, s.idle)
			idle.add(used)
			rows, err := c.launch(ctx, s.limit, s.list(ours))
			if err != nil {
				return idle, fmt.Errorf("%s: %w", c.name, err)
			}
			for _, row := range rows {
				session.Line(results.Launched{Library: c.name, Round: round + 1, Row: row})
			}
			session.Progress("round %d of %d: %s; before it others used %.0f%% of the cores", round+1, session.Rounds, c.name, used)
		}
	}
	return idle, nil
}

// longestList is the longest argument of -only that bench/c takes.
const longestList = 255

// list is the argument of -only that makes a program in C measure what ours
// have measured, "" if that is all or too much to say.
func (s *settings) list(ours []*contender) string {
	if s.only == "" {
		return ""
	}
	var names []string
	for _, r := range ours[0].merged.Rows() {
		if name := inC(r.Measure); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	list := strings.Join(names, ",")
	if len(list) > longestList {
		return ""
	}
	return list
}

// inC is the name of a measure in C, where all memory is the heap's.
func inC(measure string) string { return strings.TrimSuffix(measure, "_heap") }

// launch runs the program once and takes in its rows.
func (c *contender) launch(ctx context.Context, limit time.Duration, only string) (rows []results.Row, err error) {
	args := c.args
	if c.inC && only != "" {
		args = append(slices.Clone(args), "-only", only)
	}
	out, err := output(ctx, limit, c.launcher, c.path, args)
	if err != nil {
		return nil, err
	}
	runs, err := results.Read(strings.NewReader(out))
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		c.library = cmp.Or(c.library, r.Library)
		rows = append(rows, r.Rows...)
	}
	if len(rows) == 0 {
		return nil, errors.New("it printed no results")
	}
	c.merged.Add(rows...)
	return rows, nil
}

// output runs a program, behind a launcher's command line in the words of a
// shell, and returns what it prints.
//
// Errors: it takes longer than the limit, and is ended with all that it has started.
func output(ctx context.Context, limit time.Duration, launcher, path string, args []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v (-limit)", limit))
	defer cancel()
	if launcher != "" {
		path, args = "sh", append([]string{"-c", launcher + ` "$0" "$@"`, path}, args...)
	}
	return frame.Output(ctx, "", path, args...)
}
