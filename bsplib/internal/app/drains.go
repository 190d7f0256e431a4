package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Hosts that a run is to leave are named by files in the directory ledger.DrainDir of its
// record, which migbsp drain writes, and where a setting says so by Slurm. Rank 0's Go
// program looks for both while the run goes on, and no other.

// lookEvery is how often it looks into the directory: a call of the system, also where it is
// on another machine.
const lookEvery = 500 * time.Millisecond

// The Slurm controller answers everybody's questions: no run asks more often than each
// leastSlurm, nor waits longer than slurmPatience for an answer.
const (
	leastSlurm    = 10 * time.Second
	slurmPatience = 30 * time.Second
)

// bySlurm is who drains a host that Slurm drains.
const bySlurm = "Slurm"

// drains is what is known of hosts that are to be left.
type drains struct {
	dir  string        // that is looked into, "" if there is none
	told []DrainedHost // what the run was told last
	// slurm is how often Slurm is asked, 0 for never, and sinfo the command that does.
	slurm time.Duration
	sinfo func(ctx context.Context) (hosts []string, err error)

	bySlurm []DrainedHost
	failed  bool // it did not answer the last time
}

// watchDrains tells the run which hosts to leave, for as long as it goes on. The result
// function stops that.
func (app *application) watchDrains() (stop func()) {
	d := drains{slurm: app.leaveDrained, sinfo: askSlurm}
	if r := app.recorder.Load(); r != nil {
		d.dir = filepath.Join(r.Dir(), ledger.DrainDir)
	}
	if !app.lead || d.dir == "" && d.slurm == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		look, ask := time.NewTicker(lookEvery), time.NewTicker(max(d.slurm, lookEvery))
		defer look.Stop()
		defer ask.Stop()
		for d.askSlurm(ctx, app); ; {
			d.tell(app)
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			case <-ask.C:
				d.askSlurm(ctx, app)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// tell looks for files, and tells the run if hosts have been added or left out. That it knows
// stands in the record at once, for whoever has asked.
func (d *drains) tell(app *application) {
	r := app.recorder.Load()
	if r != nil && !r.Begun() {
		return
	}
	hosts := d.named()
	for _, h := range d.bySlurm {
		if !slices.ContainsFunc(hosts, func(other DrainedHost) bool { return other.Host == h.Host }) {
			hosts = append(hosts, h)
		}
	}
	if slices.Equal(hosts, d.told) {
		return
	}
	if r != nil {
		d.enter(app, r, hosts, d.told, false)
		d.enter(app, r, d.told, hosts, true)
		r.FlushNow()
	}
	d.told = hosts
	if app.runner.Movable() == nil {
		app.runner.Drain(hosts)
	}
}

// enter notes in the record that hosts are asked for, without those that were before. Slurm
// speaks of all nodes that it has.
func (d *drains) enter(app *application, r *ledger.Recorder, hosts, without []DrainedHost, undo bool) {
	for _, h := range hosts {
		known := slices.ContainsFunc(app.book.Run.Ranks, func(rank ledger.Rank) bool { return rank.Host == h.Host })
		if slices.Contains(without, h) || !known && h.By != "" {
			continue
		}
		e := ledger.Drain{Host: h.Host, By: h.By, Undo: undo, State: ledger.DrainAsked}
		if !known {
			e.State, e.Why = ledger.DrainRefused, "the run is not on this host"
		} else if err := app.runner.Movable(); err != nil {
			e.State, e.Why = ledger.DrainRefused, fmt.Sprintf("processes of this program cannot move: %v", err)
		}
		r.Enter(&e)
	}
}

// named returns the hosts that have a file.
func (d *drains) named() (hosts []DrainedHost) {
	if d.dir == "" {
		return nil
	}
	files, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return slices.DeleteFunc(slices.Clone(d.told), func(h DrainedHost) bool { return h.By != "" }) // nothing has changed, as far as is known
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), ".") {
			hosts = append(hosts, DrainedHost{Host: f.Name()})
		}
	}
	return hosts
}

// askSlurm asks which nodes are drained. One that does not answer has its last word.
func (d *drains) askSlurm(ctx context.Context, app *application) {
	if d.slurm == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, slurmPatience)
	defer cancel()
	names, err := d.sinfo(ctx)
	if err != nil {
		if !d.failed && ctx.Err() == nil && !app.flags.quiet {
			app.warn(fmt.Sprintf("%s: Slurm does not say which nodes are drained, and is asked again: %v", app.written("leave-drained"), err))
		}
		d.failed = true
		return
	}
	d.failed, d.bySlurm = false, nil
	for _, name := range names {
		d.bySlurm = append(d.bySlurm, DrainedHost{name, bySlurm})
	}
}

// askSlurm asks Slurm for the nodes that are drained, or are being drained.
func askSlurm(ctx context.Context) ([]string, error) {
	var complaint strings.Builder
	cmd := exec.CommandContext(ctx, "sinfo", "--noheader", "--Node", "--states=drain", "--format=%N")
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(complaint.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, ledger.Printable(text))
		}
		return nil, fmt.Errorf("sinfo: %w", err)
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return slices.Compact(names), nil
}

// readLeaveDrained finds out how often Slurm is to be asked.
func (app *application) readLeaveDrained() error {
	text := app.flags.leaveDrained
	if text == "off" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < leastSlurm {
		return fmt.Errorf("%s: expected how often to ask, as 1m, at least %v, or off", app.written("leave-drained"), leastSlurm)
	}
	app.leaveDrained = d
	return nil
}
