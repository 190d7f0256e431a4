package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

// master is rank 0's part of a run: it has the bag and all results.
type master struct {
	b       *bsplib.Proc
	job     *job
	options options
	inputs  []string
	journal *journal
	quiet   bool

	all     *collection
	earlier []bag.Span // done in an earlier run
	stats   bag.Stats
	said    time.Duration // time of the last progress line
	bySet   map[int]int   // tasks done
	rows    []row         // of policies that have ended
	sums    []uint64
}

// status is the state of the run for a signal's message.
type status struct {
	done, tasks int
	journal     *journal
}

var current atomic.Pointer[status]

// begin reads the input of process 0, and returns the part of it that the others need.
func begin(b *bsplib.Proc) (*master, bagOf) {
	m := &master{b: b, quiet: flag.Lookup("quiet").Value.String() == "true", bySet: make(map[int]int)}
	if err := m.read(); err != nil {
		return m, bagOf{Problem: err.Error()}
	}
	about := bagOf{Job: *m.job, Manager: m.options.managers}
	for _, spec := range m.options.specs {
		about.Policy = append(about.Policy, spec.String())
	}
	return m, about
}

func (m *master) read() (err error) {
	if m.options, err = readOptions(); err != nil {
		return err
	}
	if m.job, err = readJob(flag.Args()); err != nil {
		return err
	}
	if len(m.job.Command) > 0 {
		if m.b.Runtime().Emulated() {
			return errors.New("-hosts: commands take the time that they take on this machine, and cannot be emulated")
		}
		if m.inputs, err = readInputs(flag.Args()); err != nil {
			return err
		}
		m.job.Tasks = len(m.inputs)
	}
	m.renew()
	if *journaled == "" {
		return nil
	}
	head := journalHead{Bag: m.job.fingerprint(m.inputs), Tasks: m.job.Tasks, What: m.job.text()}
	m.journal, err = openJournal(*journaled, head, *resumed, func(o *outcome) {
		if m.all.take(o) {
			m.earlier = append(m.earlier, bag.Span{First: o.Task, Count: 1})
		}
	})
	if err != nil {
		return fmt.Errorf("-journal: %w", err)
	}
	if n := m.all.done; n > 0 && !m.quiet {
		fmt.Fprintf(os.Stderr, "bot: %d of %d tasks were done before\n", n, m.job.Tasks)
	}
	return nil
}

// renew begins a collection of results.
func (m *master) renew() {
	var out, errs io.Writer
	if len(m.job.Command) > 0 && len(m.options.specs) == 1 {
		out, errs = os.Stdout, os.Stderr
	}
	m.all = newCollection(m.job.Tasks, out, errs)
	m.all.keep = len(m.job.Command) == 0
	clear(m.bySet)
}

// give distributes the whole bag.
func (m *master) give(f *farm, gets []int) {
	if f.number > 0 {
		m.renew()
	}
	g := newGiver(f, gets, m.options.works || len(gets) == 0)
	g.input = func(task int) string {
		if len(m.inputs) == 0 {
			return ""
		}
		return m.inputs[task]
	}
	var err error
	if g.bag, err = bag.New(m.job.Tasks, len(g.ranks), f.spec, bag.Options{Retries: m.options.retries, Done: m.earlier}); err != nil {
		f.b.Abort("%v", err)
	}
	m.note()
	m.said = f.b.Time()
	for g.start(); ; {
		if m.stats = g.bag.Stats(); m.stats.Left+m.stats.Given == 0 {
			break
		}
		rank, message := f.post.next(g.patience(progressEvery))
		if rank >= 0 {
			m.enter(g.hear(rank, message), f.b.Runtime().Set(rank))
		}
		m.enter(g.work(), f.tally.Set)
		g.giveUp(func(rank, tasks int) {
			fmt.Fprintf(os.Stderr, "bot: rank %d on %s has been silent for too long: its %d tasks go to others\n", rank, f.b.Runtime().Host(rank), tasks)
		})
		g.again()
		for _, task := range g.bag.Failed() {
			m.all.fail(task)
		}
		m.note()
		m.progress(f)
	}
	g.endAll()
	if f.b.Pid() == 0 && m.all.err != nil {
		f.b.Abort("writing what the commands have written: %v", m.all.err)
	}
}

// enter adds results of tasks.
func (m *master) enter(results []outcome, set int) {
	var done []*outcome
	for i := range results {
		o := &results[i]
		if m.all.take(o) {
			done = append(done, o)
			m.bySet[set]++
		}
	}
	if len(done) > 0 {
		m.journal.add(done)
	}
}

// note keeps the state for a signal's message.
func (m *master) note() { current.Store(&status{m.all.done, m.job.Tasks, m.journal}) }

// progress prints the progress of the bag from time to time.
func (m *master) progress(f *farm) {
	now := f.b.Time()
	if m.quiet || now-m.said < progressEvery {
		return
	}
	m.said = now
	elapsed := f.now()
	rate := float64(m.all.done-len(m.earlier)) / elapsed
	text := fmt.Sprintf("bot: %d of %d tasks done, %.3g/s", m.all.done, m.job.Tasks, rate)
	if left := m.job.Tasks - m.all.done - m.all.failed; rate > 0 {
		text += fmt.Sprintf(", %v left", time.Duration(float64(left)/rate*1e9).Round(time.Second))
	}
	if m.all.failed > 0 {
		text += fmt.Sprintf(", %d failed", m.all.failed)
	}
	if len(m.bySet) > 1 {
		var parts []string
		for set, n := range m.bySet {
			parts = append(parts, fmt.Sprintf("Set %d: %d", set, n))
		}
		slices.Sort(parts)
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	fmt.Fprintln(os.Stderr, text)
}

// interrupted ends a rank's running tasks when a signal ends the program, and prints how to
// continue.
func interrupted() {
	running.killAll()
	s := current.Load()
	if s == nil {
		return
	}
	text := fmt.Sprintf("bot: %d of %d tasks are done", s.done, s.tasks)
	if s.journal == nil {
		fmt.Fprintln(os.Stderr, text+"; nothing is kept of them (-journal FILE)")
		return
	}
	if err := s.journal.close(); err != nil {
		fmt.Fprintf(os.Stderr, "%s; the journal is not complete: %v\n", text, err)
		return
	}
	fmt.Fprintf(os.Stderr, "%s; to go on with the rest:  %s\n", text, resumeLine())
}

// resumeLine returns the command that continues the run.
func resumeLine() string {
	words := slices.Clone(os.Args)
	if !*resumed {
		words = slices.Insert(words, 1, "-resume")
	}
	return shell.QuoteAll(words)
}
