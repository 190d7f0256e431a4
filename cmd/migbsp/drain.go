package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

var drainCommand = cli.Command{
	Name:    "drain",
	Summary: "empties a host of a running job, and keeps it empty",
	About: `Has all processes of a run leave HOST when the stage that they are in has ended, and
none come there any more, until -undo. The run goes on on its other hosts. RUN is the
directory that the program was given with -run-dir: there drain makes the file
drain/HOST, and -undo removes it, which may also be done by hand. Without HOST the hosts
of the run are listed.

drain waits until the run has carried it out, and prints what has become of it; so do
the run's own output and its record. A stage may take long: after -wait the request
stands, and is carried out when the stage has ended.`,
	Args: []cli.Arg{
		{Name: "RUN", Values: cli.Values{Files: true, Directories: true}},
		{Name: "HOST", Optional: true},
	},
	Examples: []cli.Example{
		{Line: "migbsp drain runs/4711 node7", Does: "empties node7"},
		{Line: "migbsp drain -undo runs/4711 node7", Does: "lets the run use it again"},
		{Line: "migbsp drain runs/4711", Does: "lists the hosts of the run, with those that are drained"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		d := new(drainer)
		d.undo = flags.Bool("undo", false, "let the run use the host again")
		d.wait = flags.Duration("wait", 30*time.Second, "wait for so `long` until it has been carried out; 0: not at all")
		return d.run
	},
}

// drainer has the flags of migbsp drain.
type drainer struct {
	undo *bool
	wait *time.Duration
}

func (d *drainer) run(ctx context.Context, streams cli.Streams, args []string) error {
	if *d.wait < 0 {
		return cli.Usagef("-wait %v is less than nothing", *d.wait)
	}
	if len(args) == 1 && *d.undo {
		return cli.Usagef("-undo needs the HOST that is to be used again")
	}
	r := &running{follower: live.Follow(args[0])}
	defer r.follower.Close()
	if err := r.open(args[0]); err != nil {
		return err
	}
	if len(args) == 1 {
		return r.list(streams)
	}
	answer, err := d.request(ctx, r, args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return streams.Print(ledger.Printable(answer.String()) + "\n")
}

// request asks a run to leave a host, or to use it again, and returns its answer.
func (d *drainer) request(ctx context.Context, r *running, host string) (*ledger.Drain, error) {
	if err := d.check(r, host); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(r.Drained(), func(e ledger.Drain) bool { return e.Host == host }); i >= 0 && !*d.undo {
		return &r.Drained()[i], nil
	}
	asked := slices.Contains(r.asked(), host) // by another command, which may still wait
	if asked == *d.undo {
		if err := drain.Ask(r.dir, host, *d.undo); err != nil {
			return nil, err
		}
	}
	if *d.wait == 0 {
		return &ledger.Drain{Host: host, Undo: *d.undo, State: ledger.DrainAsked}, nil
	}
	answer, err := r.await(ctx, host, *d.undo, *d.wait)
	if err == nil && answer.State == ledger.DrainRefused {
		err = errors.New(answer.String())
	}
	if err != nil && !asked && !*d.undo && ctx.Err() == nil {
		err = errors.Join(err, drain.Ask(r.dir, host, true))
	}
	return answer, err
}

// check finds why a request makes no sense.
func (d *drainer) check(r *running, host string) error {
	hosts := r.hosts()
	asked := r.asked()
	switch {
	case !slices.Contains(hosts, host):
		return fmt.Errorf("the run is not on host %q; it is on %s", host, strings.Join(hosts, ", "))
	case r.end != nil:
		return fmt.Errorf("the run has ended, with code %d", r.end.Code)
	case *d.undo && !slices.Contains(asked, host):
		return fmt.Errorf("%s was not drained by migbsp drain", host)
	case *d.undo:
		return nil
	}
	for _, e := range r.Drained() {
		asked = append(asked, e.Host)
	}
	if !slices.ContainsFunc(hosts, func(name string) bool { return name != host && !slices.Contains(asked, name) }) {
		return fmt.Errorf("%s is the last host that the run may use; processes must run somewhere", host)
	}
	return nil
}

// running is a run by its record.
type running struct {
	ledger.Account
	follower *live.Follower
	dir      string // of the record
	end      *ledger.End
	answers  []ledger.Drain
}

// open reads the record so far.
func (r *running) open(path string) error {
	if _, err := ledger.Locate(path); err != nil {
		return err
	}
	if err := r.look(); err != nil {
		return err
	}
	if len(r.Run().Ranks) == 0 {
		return fmt.Errorf("%s: the record has not begun", path)
	}
	r.dir = filepath.Dir(r.follower.Name())
	return nil
}

// look reads new entries.
func (r *running) look() error {
	const most = 10000 // entries at once
	for {
		news, err := r.follower.Look(most, r.enter, func(error) {})
		if err != nil || !news.More {
			return err
		}
	}
}

func (r *running) enter(e ledger.Entry) {
	r.Account.Enter(e)
	switch e := e.(type) {
	case *ledger.Drain:
		r.answers = append(r.answers, *e)
	case *ledger.End:
		r.end = e
	}
}

// hosts returns the names of the run's hosts.
func (r *running) hosts() (names []string) {
	for _, rank := range r.Run().Ranks {
		if !slices.Contains(names, rank.Host) {
			names = append(names, rank.Host)
		}
	}
	return names
}

// asked returns the hosts that the run was asked to leave.
func (r *running) asked() []string {
	hosts, _ := drain.Asked(r.dir)
	return hosts
}

// unheard bounds the time until a living run notes a request: it looks twice a second, in a
// directory that may be on another machine.
var unheard = 15 * time.Second

// await waits until the run has carried out the request, for at most limit, and returns its last
// state.
//
// Errors: the run has ended, or no longer exists.
func (r *running) await(ctx context.Context, host string, undo bool, wait time.Duration) (*ledger.Drain, error) {
	const moment = 50 * time.Millisecond
	var last *ledger.Drain
	r.answers = nil
	for begun := time.Now(); ; {
		if err := r.look(); err != nil {
			return nil, err
		}
		for i := range r.answers {
			if a := &r.answers[i]; a.Host == host && a.Undo == undo {
				last = a
			}
		}
		waited := time.Since(begun)
		switch {
		case last != nil && (last.State != ledger.DrainAsked || waited >= wait):
			return last, nil
		case r.end != nil:
			return nil, fmt.Errorf("the run has ended first, with code %d", r.end.Code)
		case last == nil && waited >= unheard:
			return nil, fmt.Errorf("no run has noted the request within %v: it was killed, or does not see this directory", unheard)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(moment):
		}
	}
}

// list prints the run's hosts.
func (r *running) list(streams cli.Streams) error {
	procs := make(map[string]int)
	for _, rank := range r.Where() {
		procs[r.Run().Ranks[rank].Host]++
	}
	asked := r.asked()
	var rows [][]string
	for _, host := range r.hosts() {
		state := ""
		if slices.Contains(asked, host) {
			state = "to be drained"
		}
		for _, e := range r.Drained() {
			switch {
			case e.Host != host:
			case slices.Contains(asked, host) || e.By != "":
				state = strings.TrimPrefix(e.String(), host+" is ")
			default:
				state = "to be used again"
			}
		}
		rows = append(rows, []string{ledger.Printable(host), fmt.Sprint(procs[host]), state})
	}
	return streams.Print(text.Rows([]string{"host", "processes", "state"}, rows, 0, 2))
}
