package drain

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// lookEvery is the time between a Watcher's looks into the control directory: a system
// call, also if the directory is on another machine.
const lookEvery = 500 * time.Millisecond

// The Slurm controller answers everybody's questions: no run asks more often than each
// LeastSlurm, nor waits longer than slurmPatience for an answer.
const (
	LeastSlurm    = 10 * time.Second
	slurmPatience = 30 * time.Second
)

// bySlurm is the source of requests of Slurm.
const bySlurm = "Slurm"

// Watcher collects requests to leave hosts and passes them to the run.
type Watcher struct {
	Record  *ledger.Recorder     // its control directory is read; may be nil
	Before  string               // directory of the record of the part before, whose requests hold; may be ""
	Kept    func(hosts []string) // reports the hosts that stay drained
	Slurm   time.Duration        // how often to ask Slurm, 0 for never
	Ranks   func() []ledger.Rank // of the run, once the record has begun
	Movable func() error         // why processes cannot move, nil if they can
	Tell    func(list []Host)    // gives the list to the run
	Silent  func(err error)      // reports the first failure to reach Slurm since its last answer

	told    []Host // last
	kept    bool   // the requests of the part before were copied
	bySlurm []Host
	failed  bool // Slurm did not answer the last time
}

// Start begins to watch. The result function ends that.
func (w *Watcher) Start() (stop func()) {
	if w.Record == nil && w.Slurm == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		look, ask := time.NewTicker(lookEvery), time.NewTicker(max(w.Slurm, lookEvery))
		defer look.Stop()
		defer ask.Stop()
		for w.ask(ctx); ; {
			w.tell()
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			case <-ask.C:
				w.ask(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// tell reads the control directory, and calls Tell if hosts have been added or removed. It records
// the change at once, for the sender of the request.
func (w *Watcher) tell() {
	if w.Record != nil && !w.Record.Begun() {
		return
	}
	w.keep()
	list := w.named()
	for _, h := range w.bySlurm {
		if indexOf(list, h.Host) < 0 {
			list = append(list, h)
		}
	}
	if slices.Equal(list, w.told) {
		return
	}
	if w.Record != nil {
		w.enter(list, w.told, false)
		w.enter(w.told, list, true)
		w.Record.FlushNow()
	}
	w.told = list
	if w.Movable() == nil {
		w.Tell(list)
	}
}

// keep copies the requests of the part before to the control directory, once, except for hosts
// that this part does not use.
func (w *Watcher) keep() {
	if w.kept || w.Record == nil || w.Before == "" {
		return
	}
	w.kept = true
	asked, _ := Asked(w.Before)
	var hosts []string
	for _, host := range asked {
		if w.uses(host) && Ask(w.Record.Dir(), host, false) == nil {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) > 0 {
		w.Kept(hosts)
	}
}

// uses reports whether the run has ranks on a host.
func (w *Watcher) uses(host string) bool {
	return slices.ContainsFunc(w.Ranks(), func(rank ledger.Rank) bool { return rank.Host == host })
}

// enter records requests for hosts, except hosts in without: Slurm lists all its nodes.
func (w *Watcher) enter(list, without []Host, undo bool) {
	for _, h := range list {
		known := w.uses(h.Host)
		if slices.Contains(without, h) || !known && h.By != "" {
			continue
		}
		e := ledger.Drain{Host: h.Host, By: h.By, Undo: undo, State: ledger.DrainAsked}
		if !known {
			e.State, e.Why = ledger.DrainRefused, "the run is not on this host"
		} else if err := w.Movable(); err != nil {
			e.State, e.Why = ledger.DrainRefused, fmt.Sprintf("processes of this program cannot move: %v", err)
		}
		w.Record.Enter(&e)
	}
}

// named returns the hosts that have a file; the last ones if the directory cannot be read.
func (w *Watcher) named() (list []Host) {
	if w.Record == nil {
		return nil
	}
	names, err := Asked(w.Record.Dir())
	if err != nil {
		return slices.DeleteFunc(slices.Clone(w.told), func(h Host) bool { return h.By != "" })
	}
	for _, name := range names {
		list = append(list, Host{Host: name})
	}
	return list
}

// ask asks Slurm which nodes are drained. While it does not answer, its last word counts.
func (w *Watcher) ask(ctx context.Context) {
	if w.Slurm == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, slurmPatience)
	defer cancel()
	names, err := drainedBySlurm(ctx)
	if err != nil {
		if !w.failed && ctx.Err() == nil {
			w.Silent(err)
		}
		w.failed = true
		return
	}
	w.failed, w.bySlurm = false, nil
	for _, name := range names {
		w.bySlurm = append(w.bySlurm, Host{name, bySlurm})
	}
}

// drainedBySlurm asks Slurm for the nodes that are drained, or are being drained.
func drainedBySlurm(ctx context.Context) ([]string, error) {
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
