//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A part is one start of the program of a trial.
type part struct {
	start    start
	cmd      *exec.Cmd
	out, err buffer
	deadly   []kind // injected faults that may end it
	hung     bool
}

// buffer is the output of a program, read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// programs are the paths of the built programs, and the launcher.
type programs struct {
	plain, mpi, tool string // victim without and with MPI, and migbsp
	launcher         []string
	hydra            bool
}

// line returns the command line of a part.
func (b *programs) line(t *trial, s start, first bool, program, checkpoints string) []string {
	victim := []string{program, "-seed", strconv.FormatUint(t.seed, 10), "-steps", strconv.Itoa(t.steps), "-procs", strconv.Itoa(t.procs),
		"-checkpoint", checkpoints, s.moves}
	if !first {
		victim = append(victim, "-restart", "auto")
	}
	if t.every != "" {
		victim = append(victim, "-checkpoint-every", t.every)
	}
	ranks := strconv.Itoa(s.ranks)
	survive := []string{b.tool, "run", "-survive", strconv.Itoa(len(t.faults) + 1)}
	launched := append(slices.Clone(b.launcher), "-n", ranks)
	switch s.engine {
	case mpirun:
		return append(launched, victim...)
	case surviving:
		return slices.Concat(survive, []string{"-launcher", strings.Join(b.launcher, " "), "-np", ranks}, victim)
	case survivingL:
		return slices.Concat(survive, []string{"--"}, launched, victim)
	}
	return append(victim, "-ranks", ranks)
}

// environment returns the environment of a part.
func environment(t *trial, socket, temporary string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MIGBSP_") })
	return append(kept, "MIGBSP_CONFIG="+os.DevNull, "MIGBSP_PROFILES=off", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"TMPDIR="+temporary, "TORTURE_SOCKET="+socket, "TORTURE_MOMENTS="+t.moments(), "TORTURE_PAUSE="+t.pause.String())
}

// run runs a part to its end and waits until no process of it is left. A part that takes longer than
// the patience hangs.
func (p *part) run(ctx context.Context, in *injector, patience time.Duration) error {
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.out, &p.err, 10*time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	in.run(p)
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		p.kill(in)
		<-ended
		return context.Cause(ctx)
	case <-time.After(patience):
		p.hung = true
		for _, pid := range in.processes() {
			syscall.Kill(pid, syscall.SIGQUIT) // Go prints all stacks
		}
		time.Sleep(time.Second)
		p.kill(in)
		<-ended
	}
	in.run(nil)
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed && !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	for end := time.Now().Add(patience); !p.hung && len(in.processes()) > 0; time.Sleep(5 * time.Millisecond) {
		if p.hung = time.Now().After(end); p.hung {
			fmt.Fprintf(&p.err, "processes %v are left\n", in.processes())
			p.kill(in)
		}
	}
	return nil
}

// kill ends all processes of the part.
func (p *part) kill(in *injector) {
	p.cmd.Process.Kill()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		left := in.processes()
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return
		}
	}
}

// An outcome is the end of a trial, or of a part.
type outcome int

const (
	ended     outcome = iota // by a fault; the run goes on with another part
	survived                 // the program ended with the right result
	excusable                // lost, as the pages say
	lost
	wrong
)

func (o outcome) String() string {
	return [...]string{"ended", "survived", "lost within the promises", "lost", "wrong"}[o]
}

// Exit codes of programs.
const (
	checkpointed = 75
	terminated   = 128 + int(syscall.SIGTERM)
)

// judge returns the outcome of a part that has ended, and the reason for a bad one.
func (p *part) judge(hydra bool) (outcome, string) {
	code, text := p.cmd.ProcessState.ExitCode(), p.err.String()
	killed := func(kinds ...kind) bool {
		return slices.ContainsFunc(p.deadly, func(k kind) bool { return slices.Contains(kinds, k) })
	}
	switch {
	case strings.Contains(text, "differs after superstep"):
		return wrong, "the program found a difference from the model"
	case p.hung:
		return lost, "it hangs"
	case code == 0 && strings.Contains(p.out.String(), "right\n"):
		return survived, ""
	case code == 0:
		return lost, "code 0 without a result"
	case code == checkpointed && killed(terminate, terminateTwice, request),
		code == terminated && killed(terminate, terminateTwice):
		return ended, ""
	case !p.start.engine.survives() && len(p.deadly) > 0 && code != 2:
		return ended, ""
	case p.start.engine.survives() && killed(killSupervisor) && code == -1:
		return ended, ""
	case p.start.engine.survives() && killed(killLauncher) && hydra && code == 255:
		return excusable, "a proxy of mpiexec was killed"
	}
	return lost, fmt.Sprintf("code %d after the faults %v", code, p.deadly)
}

// A result is the outcome of a trial.
type result struct {
	trial    *trial
	outcome  outcome
	reason   string
	injected []kind
	parts    []*part
}

// run runs a trial in a directory of its own.
func (t *trial) run(ctx context.Context, built *programs, dir string, patience time.Duration) (*result, error) {
	program, checkpoints, temporary := filepath.Join(dir, fmt.Sprint("victim-", t.seed)), filepath.Join(dir, "checkpoints"), filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "socket")
	in, err := newInjector(t, socket, program, checkpoints)
	if err != nil {
		return nil, err
	}
	defer in.listener.Close()
	r := &result{trial: t}
	next := t.first
	for {
		os.Remove(program)
		from := built.plain
		if next.engine != inProcess {
			from = built.mpi
		}
		if err := os.Link(from, program); err != nil {
			return nil, err
		}
		words := built.line(t, next, len(r.parts) == 0, program, checkpoints)
		p := &part{start: next, cmd: exec.Command(words[0], words[1:]...)}
		p.cmd.Dir, p.cmd.Env = dir, environment(t, socket, temporary)
		r.parts = append(r.parts, p)
		if err := p.run(ctx, in, patience); err != nil {
			return nil, err
		}
		r.outcome, r.reason = p.judge(built.hydra)
		if r.outcome != ended || len(r.parts) > len(t.faults) {
			break
		}
		next = t.faults[len(r.parts)-1].next
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	r.injected = in.injected
	if r.outcome == ended {
		r.outcome, r.reason = lost, "more parts than faults"
	}
	if in.thrown != "" && r.outcome < wrong {
		r.outcome, r.reason = lost, in.thrown
	}
	return r, nil
}
