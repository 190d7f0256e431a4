//go:build linux

// Torture runs random programs and disturbs them: it kills ranks, launchers and supervisors, sends
// signals, stops processes, fills disks and damages checkpoints. Each program compares its memory and
// messages with a model in every superstep.
//
//	go run ./bench/torture
//	go run ./bench/torture -n 1000 -seed 100000
//	go run ./bench/torture -seed 17 -n 1 -v
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

const about = `
Torture runs random programs and injects faults at random moments. A program survives
if, started again after faults that end it, it has the memory and the messages of the
model in every superstep, and ends with code 0. Programs and faults follow from a seed.

The exit code is 1 if a program has a wrong result or is lost beyond the promises of
docs/guide/survive.md. The command that runs such a program again is printed.`

// settings holds the parsed command line.
type settings struct {
	seed     uint64
	n        int
	engine   string
	launcher string
	parallel int
	patience time.Duration
	verbose  bool
}

func main() {
	frame.Program{Name: "torture", About: about, Flags: func(flags *flag.FlagSet) func() (frame.Work, error) {
		s := new(settings)
		flags.Uint64Var(&s.seed, "seed", 1, "`seed` of the first program; the next ones have the following seeds")
		flags.IntVar(&s.n, "n", 50, "`number` of programs")
		flags.StringVar(&s.engine, "engine", "all", "`engines`: inprocess, mpi, or all (without a launcher: inprocess)")
		flags.StringVar(&s.launcher, "mpirun", "mpirun --oversubscribe", "`command` that starts ranks, with its options")
		flags.IntVar(&s.parallel, "parallel", runtime.NumCPU(), "`number` of programs that run at the same time")
		flags.DurationVar(&s.patience, "patience", 5*time.Minute, "`time` after which a program counts as hanging")
		flags.BoolVar(&s.verbose, "v", false, "print each program with its faults, and its messages")
		return func() (frame.Work, error) {
			if s.n < 1 || s.parallel < 1 {
				return nil, fmt.Errorf("-n %d -parallel %d: expected positive numbers", s.n, s.parallel)
			}
			if !slices.Contains([]string{"all", "inprocess", "mpi"}, s.engine) {
				return nil, fmt.Errorf("-engine %q: expected inprocess, mpi or all", s.engine)
			}
			return s.work, nil
		}
	}}.Main()
}

// work builds the programs, runs the trials and prints the summary.
func (s *settings) work(ctx context.Context, session *frame.Session) error {
	allowed, err := s.allowed(session)
	if err != nil {
		return err
	}
	built, err := s.build(ctx, session, allowed)
	if err != nil {
		return err
	}
	results, err := s.runAll(ctx, session, built, allowed)
	if err != nil {
		return err
	}
	sum := summarize(results)
	session.Table(sum.faults)
	session.Table(sum.programs)
	if sum.bad > 0 {
		return fmt.Errorf("%d of %d programs have a wrong result or are lost beyond the promises", sum.bad, s.n)
	}
	return nil
}

// allowed returns the engines of -engine that this machine has.
func (s *settings) allowed(session *frame.Session) ([]engine, error) {
	words := strings.Fields(s.launcher)
	if len(words) == 0 {
		return nil, errors.New("-mpirun: expected a command")
	}
	_, err := exec.LookPath(words[0])
	switch {
	case s.engine == "inprocess":
		return []engine{inProcess}, nil
	case err == nil && s.engine == "mpi":
		return []engine{mpirun, surviving, survivingL}, nil
	case err == nil:
		return []engine{inProcess, mpirun, surviving, survivingL}, nil
	case s.engine == "mpi":
		return nil, fmt.Errorf("-engine mpi: %w", err)
	}
	session.Print("SKIPPED: MPI ranks: no %s in PATH (-mpirun names another launcher)", words[0])
	return []engine{inProcess}, nil
}

// Packages of the programs.
const victim, tool = "./bench/torture/victim", "./cmd/migbsp"

func (s *settings) build(ctx context.Context, session *frame.Session, allowed []engine) (*programs, error) {
	if err := session.Build(ctx, victim, tool); err != nil {
		return nil, err
	}
	b := &programs{plain: session.Built(victim), tool: session.Built(tool), launcher: strings.Fields(s.launcher)}
	if len(allowed) == 1 {
		return b, nil
	}
	if err := session.BuildTagged(ctx, "mpi", victim); err != nil {
		return nil, err
	}
	b.mpi = session.Built(victim, "mpi")
	said, _ := exec.CommandContext(ctx, b.launcher[0], "--version").CombinedOutput()
	b.hydra = strings.Contains(string(said), "HYDRA")
	return b, nil
}

// runAll runs the trials, some at the same time.
func (s *settings) runAll(ctx context.Context, session *frame.Session, built *programs, allowed []engine) ([]*result, error) {
	results, failed := make([]*result, s.n), make([]error, s.n)
	places := make(chan bool, s.parallel)
	var all sync.WaitGroup
	var printing sync.Mutex
	for i := range s.n {
		places <- true
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-places }()
			t := draw(s.seed+uint64(i), allowed)
			dir := filepath.Join(session.Dir, fmt.Sprint(t.seed))
			results[i], failed[i] = t.run(ctx, built, dir, s.patience)
			os.RemoveAll(dir)
			printing.Lock()
			defer printing.Unlock()
			if r := results[i]; r != nil && (r.outcome > survived || s.verbose) {
				session.Print("%s", r.report(s.engine))
			} else if failed[i] == nil {
				session.Progress("program %d of %d: %v", i+1, s.n, r.outcome)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return results, errors.Join(failed...)
}
