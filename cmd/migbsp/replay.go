package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer"
)

var replayCommand = cli.Command{
	Name:    "replay",
	Summary: "decides the rescheduling calls of a run again",
	About: `A program that writes a record with -run-dir keeps with it, in calls.jsonl, what each
of its rescheduling calls was decided from. This command decides these calls again. With
the run's own strategy the same must come out; the table says how far its model of the
run was off, call by call. With -balance another strategy decides what it would have
moved at each call, with all else as it was in the run: what the run moved is what goes on.

  step      supersteps that were observed before the call
  took      seconds of a superstep since the call before, as measured
  foretold  what the call before had foretold, where its moves were the run's
  error     how much longer they took than that
  moved     processes that the run moved; same: the ones that are moved now too

RUN is the run's directory or the file itself, also compressed with gzip. The exit code
is 1 if the run's own strategy decides otherwise than it did.`,
	Args: []cli.Arg{{Name: "RUN", Values: cli.Values{Files: true, Directories: true}}},
	Examples: []cli.Example{
		{Line: "migbsp replay runs/4711", Does: "how good the model was, and whether decisions are still the same"},
		{Line: "migbsp replay runs/4711 -balance percent", Does: "what another strategy would have done at each call"},
		{Line: "migbsp replay runs/4711 -why", Does: "with the reason of every process"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		r := &replaying{format: formatFlag(flags)}
		r.strategy = cli.Suggest(flags, "balance", "", "decide with `strategy`[,key=value...] instead of the run's own", cli.OneOf(strategies()...))
		r.why = flags.Bool("why", false, "print why processes move or stay, call by call, before the table")
		return r.run
	},
}

// replaying has the flags of migbsp replay.
type replaying struct {
	format, strategy *string
	why              *bool
}

// replayedCall is a call as JSON has it.
type replayedCall struct {
	Call     int               `json:"call"`
	Step     int               `json:"step"`
	Took     float64           `json:"took"`
	Foretold float64           `json:"foretold,omitempty"`
	Was      []rebalancer.Move `json:"was"`
	Is       []rebalancer.Move `json:"is"`
	Same     bool              `json:"same"`
	WhyNone  string            `json:"why_none,omitempty"`
}

func (r *replaying) run(ctx context.Context, streams cli.Streams, args []string) error {
	if *r.why && *r.format == "json" {
		return cli.Usagef("-why prints text; -format json has the moves with their reasons")
	}
	var strategy *rebalancer.Spec
	if *r.strategy != "" {
		spec, err := rebalancer.Parse(*r.strategy)
		if err != nil {
			return cli.Usagef("-balance: %v", err)
		}
		strategy = &spec
	}
	name, err := callsOf(args[0])
	if err != nil {
		return err
	}
	file, err := ledger.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	replay, err := calls.Read(name, file, strategy)
	if err != nil {
		return err
	}
	var all []replayedCall
	differ := 0
	for ctx.Err() == nil {
		c, err := replay.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if *r.why {
			c.Decision.Why(streams.Out, &replay.Start.Platform)
		}
		if !c.Same() {
			differ++
		}
		all = append(all, replayedCall{c.Number, c.Step, c.Measured, c.Foretold, emptyNotNull(c.Was), emptyNotNull(c.Is), c.Same(), c.Decision.WhyNone})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = printAs(streams, *r.format, emptyNotNull(all), func() string { return r.text(replay, all) })
	if err == nil && differ > 0 && replay.Same() {
		err = fmt.Errorf("%s: %s of %d decided otherwise than in the run", name, ledger.Count(differ, "call"), len(all))
	}
	return err
}

// emptyNotNull has JSON print [] for none.
func emptyNotNull[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (r *replaying) text(replay *calls.Replay, all []replayedCall) string {
	start := &replay.Start
	head := fmt.Sprintf("%s on %s in %s, -balance %s\n", ledger.Count(len(start.Where), "process"),
		ledger.Count(len(start.Platform.Ranks), "rank"), ledger.Count(len(start.Platform.Sets), "Set"), start.Strategy)
	if len(all) == 0 {
		return head + "no call was made\n"
	}
	now := cmp.Or(*r.strategy, "now")
	var rows [][]string
	for _, c := range all {
		took, foretold, off, is := "-", "-", "-", fmt.Sprint(len(c.Is))
		if c.Took > 0 {
			took = seconds(c.Took)
		}
		if c.Foretold > 0 {
			foretold = seconds(c.Foretold)
			off = fmt.Sprintf("%+.0f %%", 100*(c.Took/c.Foretold-1))
		}
		if c.Same {
			is = "same"
		}
		rows = append(rows, []string{fmt.Sprint(c.Call), fmt.Sprint(c.Step), took, foretold, off, fmt.Sprint(len(c.Was)), is})
	}
	return head + text.Rows([]string{"call", "step", "took", "foretold", "error", "moved", now}, rows)
}

// callsOf returns the file of a run's calls; run is its directory or the file itself.
func callsOf(run string) (string, error) {
	is, err := os.Stat(run)
	if err != nil {
		return "", fmt.Errorf("%s: %w; expected a run's directory or its %s", run, settings.OfFile(run, err), calls.Name)
	}
	if !is.IsDir() {
		return run, nil
	}
	for _, name := range []string{calls.Name, calls.Name + ".gz"} {
		file := filepath.Join(run, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: there is no %s in this directory; programs write it with -run-dir DIR, once a rescheduling call is made", run, calls.Name)
}
