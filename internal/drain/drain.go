// Package drain keeps the hosts that a run has to leave because an operator of the machines
// or a batch system asks for it.
//
// The course of a request:
//
//   - migbsp drain makes a file in the control directory of the run's record (Ask); Slurm
//     marks a node.
//   - The Go program of rank 0 looks for both during the run (Watcher), notes in the record
//     that it has seen the request, and gives the list to the run (Hosts).
//   - A rank that finds a new list makes the next end of a stage a rescheduling call, and
//     gives the call the ranks of the list (Emptying). The decision empties them (package
//     rebalancer).
//   - Rank 0 writes the result of each request into the record.
package drain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// Host is a host that a run has to leave, and the source of that request, "" for the
// control directory.
type Host struct{ Host, By string }

// Dir is the control directory in a run's directory: it has a file by the name of each host
// that the run has to leave, while it has to stay away. The contents of files do not count.
const Dir = "drain"

// Ask creates the file that requests the run recorded in dir to leave a host; if undo is true, it
// removes the file. It follows no link, and changes no file outside dir, even if the record is
// forged.
func Ask(dir, host string, undo bool) error {
	if host != filepath.Base(host) || strings.HasPrefix(host, ".") || !filepath.IsLocal(host) {
		return fmt.Errorf("host %q cannot be the name of a file in %s", host, filepath.Join(dir, Dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if is, err := root.Lstat(Dir); err != nil || !is.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is not a directory", filepath.Join(dir, Dir)))
	}
	file := filepath.Join(Dir, host)
	if undo {
		return root.Remove(file)
	}
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Asked returns the hosts that the files in the control directory of the record dir ask the run to
// leave.
//
// Errors: the control directory cannot be read. A missing directory is not an error.
func Asked(dir string) (hosts []string, err error) {
	files, err := os.ReadDir(filepath.Join(dir, Dir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), ".") {
			hosts = append(hosts, f.Name())
		}
	}
	return hosts, err
}

// Hosts is the list of hosts that a run must leave. It is safe for concurrent use.
type Hosts struct {
	version atomic.Int64
	mu      sync.Mutex
	list    []Host
}

// Set replaces the list.
func (h *Hosts) Set(list ...Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = slices.Clone(list)
	h.version.Add(1)
}

// latest returns the list, and the number of times that it has been set.
func (h *Hosts) latest() ([]Host, int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.list, h.version.Load()
}

// Emptying is a rank's part in leaving hosts. A nil one never has anything to do.
type Emptying struct {
	wanted   *Hosts
	hosts    []string // by rank
	lead     bool     // this is rank 0
	seen     int64    // the last list of this rank that a call used
	answered int64    // on rank 0: the list that the last call had
	pending  bool     // rank 0, which is away, has a list that no call used
	empty    []Host   // on rank 0: the hosts left empty, if that was possible
	answers  []ledger.Drain
}

// NewEmptying makes the part of a rank, given each rank's host; nil without a list.
func NewEmptying(wanted *Hosts, hosts []string, rank int) *Emptying {
	if wanted == nil {
		return nil
	}
	return &Emptying{wanted: wanted, hosts: hosts, lead: rank == 0}
}

// Due reports whether the current list has not been used by a call.
func (e *Emptying) Due() bool {
	return e != nil && (e.pending || e.wanted.version.Load() != e.seen)
}

// SetPending notes whether any rank has a list that no call has used.
func (e *Emptying) SetPending(is bool) { e.pending = is }

// Ranks returns the ranks on the hosts of this rank's list, and the list's number. The call
// that is about to begin uses them.
func (e *Emptying) Ranks() (ranks []int, version int64) {
	if e == nil {
		return nil, 0
	}
	list, version := e.wanted.latest()
	e.seen = version
	for rank, name := range e.hosts {
		if indexOf(list, name) >= 0 {
			ranks = append(ranks, rank)
		}
	}
	return ranks, version
}

func indexOf(list []Host, name string) int {
	return slices.IndexFunc(list, func(h Host) bool { return h.Host == name })
}

// Decided records the ranks that a call leaves for a request, from the list with that number; refused
// means that the list would have left no rank. On rank 0 it finds the requests that the call answers.
func (e *Emptying) Decided(ranks []int, version int64, refused bool) {
	if e == nil {
		return
	}
	news := e.answered != version
	e.pending, e.answered, e.answers = false, version, nil
	if !e.lead {
		return
	}
	leaves := func(h Host) bool {
		return slices.ContainsFunc(ranks, func(rank int) bool { return e.hosts[rank] == h.Host })
	}
	answer := func(h Host, a ledger.Drain) {
		a.Host, a.By = h.Host, h.By
		e.answers = append(e.answers, a)
	}
	wanted, _ := e.wanted.latest()
	empty := slices.DeleteFunc(slices.Clone(e.empty), func(h Host) bool { return !leaves(h) })
	for _, h := range wanted {
		switch {
		case indexOf(empty, h.Host) >= 0 || !slices.Contains(e.hosts, h.Host):
		case leaves(h):
			empty = append(empty, h)
			answer(h, ledger.Drain{State: ledger.DrainDone})
		case news && refused:
			answer(h, ledger.Drain{State: ledger.DrainRefused, Why: "no host would be left to the run"})
		}
	}
	for _, h := range e.empty {
		if !leaves(h) {
			answer(h, ledger.Drain{Undo: true, State: ledger.DrainDone})
		}
	}
	e.empty = empty
}

// Answers returns, on rank 0, the states of the requests answered by the last call, after its moves.
// where is the rank of each process, and rule returns the rule that placed it.
func (e *Emptying) Answers(moves []rebalancer.Move, where []int32, rule func(pid int) string) []ledger.Drain {
	if e == nil {
		return nil
	}
	answers := e.answers
	e.answers = nil
	for i := range answers {
		a := &answers[i]
		if a.State != ledger.DrainDone || a.Undo {
			continue
		}
		for _, m := range moves {
			if e.hosts[m.From] == a.Host && e.hosts[m.To] != a.Host {
				a.Left++
			}
		}
		for pid, rank := range where {
			if e.hosts[rank] == a.Host {
				if a.Stay++; a.Why == "" {
					a.Why = rule(pid)
				}
			}
		}
	}
	return answers
}
