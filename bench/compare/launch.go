package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

// contender is a column of the comparison: programs and their measurements.
type contender struct {
	name     string
	library  string // from its output
	launcher string // with NP for the number of ranks; "" if it needs none
	ranks    int    // 0: one for each process
	nodeSize int    // that our ranks form nodes of, see transport
	calls    []call
	spins    bool   // its processes do not give up their cores
	left     string // why it is left out, "" if it is not
	file     string // of results, for those that are not launched

	merged results.Merged
}

// call is a program of a contender with its arguments, in which NP stands for the number of
// processes. A call with list set takes the measures that ours have taken.
type call struct {
	path string
	args []string
	list bool
}

// turns launches all contenders in turns, with procs processes.
type turns struct {
	settings *settings
	procs    int
	ours     []*contender
	idle     idleness
}

// launched is a row that names its library itself, and the launch that gave it.
type launched struct {
	Library string `json:"library"`
	Round   int    `json:"round"`
	results.Row
}

// errTooLong is the error of a program that has been ended for its time.
var errTooLong = errors.New("it took longer")

// launchAll runs all programs in turns. One of theirs that takes too long is left out.
func (t *turns) launchAll(ctx context.Context, session *frame.Session, theirs []*contender) error {
	for round := range session.Rounds {
		for _, c := range slices.Concat(t.ours, theirs) {
			if c.left != "" {
				continue
			}
			used := awaitIdle(ctx, t.settings.wait)
			t.idle.add(used)
			rows, err := t.launch(ctx, c)
			if errors.Is(err, errTooLong) && slices.Contains(theirs, c) {
				c.left, c.merged = fmt.Sprintf("a launch took longer than %v (-limit)", t.settings.limit), results.Merged{}
				session.Progress("%s: %s is left out: %s", count(t.procs, "process"), c.name, c.left)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, count(t.procs, "process"), err)
			}
			for _, row := range rows {
				session.Line(launched{c.name, round + 1, row})
			}
			session.Progress("%s, round %d of %d: %s; before it others used %.0f%% of the cores", count(t.procs, "process"), round+1, session.Rounds, c.name, used)
		}
	}
	return nil
}

// list returns the argument of -only that restricts a contender to the measures of ours.
func (t *turns) list() string {
	var names []string
	for _, r := range t.ours[0].merged.Rows() {
		for _, name := range candidates(r.Measure) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ",")
}

// launch runs the programs of a contender once, records their rows and returns them.
func (t *turns) launch(ctx context.Context, c *contender) (rows []results.Row, err error) {
	before := loopback()
	for _, one := range c.calls {
		args := slices.Clone(one.args)
		for i, arg := range args {
			if arg == "NP" {
				args[i] = strconv.Itoa(t.procs)
			}
		}
		if one.list {
			args = append(args, "-only", t.list())
		}
		launcher := strings.ReplaceAll(c.launcher, "NP", strconv.Itoa(cmp.Or(c.ranks, t.procs)))
		out, err := output(ctx, t.settings.limit, t.settings.transport.environment(c.nodeSize), launcher, one.path, args)
		if err != nil {
			return nil, err
		}
		runs, err := results.Read(strings.NewReader(out))
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, errors.New("it printed no results")
		}
		for _, r := range runs {
			c.library = cmp.Or(c.library, r.Library)
			rows = append(rows, r.Rows...)
		}
	}
	if t.settings.transport.overTCP() && before > 0 && c.nodeSize < 2 { // data within a node need not cross the loopback
		if err := wentThrough(loopback()-before, rows); err != nil {
			return nil, err
		}
	}
	c.merged.Add(rows...)
	return rows, nil
}

// wentThrough returns an error unless so many bytes can be the data of the rows. Each measure takes
// more than one step, and even a single step has more bytes than launchers exchange with each
// other.
func wentThrough(bytes int64, rows []results.Row) error {
	var least int64
	for _, r := range rows {
		if r.P > 1 {
			least += r.Bytes
		}
	}
	if bytes < least {
		return fmt.Errorf("only %d bytes went through the loopback while it moved at least %d: its processes exchange data in another way, which -transport node allows", bytes, least)
	}
	return nil
}

// output runs a program, behind a launcher's command line in shell syntax, and returns its output.
//
// Errors: it takes longer than the limit, and is ended with all processes that it has started.
func output(ctx context.Context, limit time.Duration, env []string, launcher, path string, args []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w than %v (-limit)", errTooLong, limit))
	defer cancel()
	if launcher != "" {
		path, args = "sh", append([]string{"-c", launcher + ` "$0" "$@"`, path}, args...)
	}
	return frame.OutputWith(ctx, append(os.Environ(), env...), path, args...)
}
