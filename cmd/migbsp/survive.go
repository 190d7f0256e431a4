package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
)

// A starter starts the ranks of a program.
type starter interface {
	// prepare returns the command line of the next start, and the hosts that cannot be reached.
	prepare(ctx context.Context) (line []string, lost []string, err error)
	// leave takes hosts out of the next starts.
	leave(hosts []string) error
	// launcher returns the launcher of the command line.
	launcher() launch.Launcher
	// named gives the program's name, once it is known.
	named(program string)
}

// A supervisor starts the ranks of a program again after losses, from the newest checkpoint.
type supervisor struct {
	starter
	most  int    // losses
	dir   string // of the losses and, by default, of the checkpoints
	err   io.Writer
	box   *loss.Inbox
	begun time.Time
}

func (s *supervisor) say(format string, args ...any) {
	fmt.Fprintf(s.err, "migbsp run: "+format+"\n", args...)
}

// losses returns the path of the file of losses.
func (s *supervisor) losses() string { return filepath.Join(s.dir, loss.Name) }

// note reports that the account of the run will lack a part.
func (s *supervisor) note(err error) {
	if err != nil {
		s.say("warning: the account of the run lacks a part: %v", err)
	}
}

// newSupervisor makes a supervisor and its directory, which all hosts share: it is in the working
// directory.
func newSupervisor(by starter, most int, err io.Writer) (*supervisor, error) {
	made, failed := os.MkdirTemp(".", "migbsp-survive-")
	if failed != nil {
		return nil, fmt.Errorf("-survive %d: no directory for checkpoints can be made in the working directory: %w", most, failed)
	}
	dir, failed := filepath.Abs(made)
	if failed != nil {
		return nil, failed
	}
	box, failed := loss.Open(filepath.Join(dir, loss.Name))
	if failed != nil {
		os.RemoveAll(dir)
		return nil, failed
	}
	os.Setenv(loss.Variable, filepath.Join(dir, loss.Name))
	os.Setenv(loss.SurviveVariable, dir)
	return &supervisor{starter: by, most: most, dir: dir, err: err, box: box, begun: time.Now()}, nil
}

// run starts the ranks until the program ends, or one loss too many. It returns the exit code.
func (s *supervisor) run(ctx context.Context) (code int, err error) {
	s.say("the run goes on after up to %s; checkpoints are in %s unless -checkpoint names another directory", ledger.Count(s.most, "loss"), s.dir)
	var last *loss.Loss
	for losses := 0; ; losses++ {
		o, err := s.start(ctx)
		if err != nil {
			s.end(launch.Outcome{Code: bsplib.ExitUsage}, losses)
			return 0, err
		}
		gone, cause := s.judge(o, last)
		s.note(loss.EndStart(s.losses(), time.Now(), o.Loss, cause))
		if cause == "" {
			return s.end(o, losses), nil
		}
		if losses == s.most {
			s.say("%s; the limit of -survive %d is reached", cause, s.most)
			return s.end(o, losses), nil
		}
		if o.Loss != nil {
			last = o.Loss
			s.named(last.Program)
		}
		if err := s.leave(gone); err != nil {
			s.say("%s; the run cannot go on: %v", cause, err)
			return s.end(o, losses), nil
		}
		s.say("%s (%d of %d); the program goes on from %s%s", cause, losses+1, s.most, from(o.Loss), except(gone))
	}
}

// judge returns the hosts that the next start leaves out, and the cause for that start, "" if the
// program has ended.
func (s *supervisor) judge(o launch.Outcome, last *loss.Loss) (gone []string, cause string) {
	switch {
	case o.Asked || o.Code == 0:
		return nil, ""
	case o.Loss != nil:
		return o.Loss.GoneHosts(), "loss"
	case o.Killed:
		return nil, "the launcher was killed"
	case o.Code == 128+int(syscall.SIGKILL):
		// No watcher has seen it: the run has one rank, or the rank died before the watchers were connected.
		return nil, "a rank was killed"
	case last != nil && !o.Ran && o.Code != bsplib.ExitUsage:
		// The ranks were not started, so a host may be down whose ranks were seen to end before.
		for _, h := range last.Hosts {
			gone = append(gone, h.Name)
		}
		return gone, fmt.Sprintf("the launcher ended with code %d before ranks ran", o.Code)
	}
	return nil, ""
}

// from describes the checkpoint that the program resumes after a loss, nil if no watcher has seen one.
func from(l *loss.Loss) string {
	switch {
	case l == nil:
		return "its newest checkpoint"
	case l.Checkpointed() == "":
		return "the beginning"
	}
	return l.Checkpointed()
}

func except(gone []string) string {
	if len(gone) == 0 {
		return ""
	}
	return ", without " + strings.Join(gone, ", ")
}

// start starts the ranks once, on the hosts that can be reached.
func (s *supervisor) start(ctx context.Context) (o launch.Outcome, err error) {
	for {
		line, lost, err := s.prepare(ctx)
		if err != nil {
			return o, err
		}
		if len(lost) == 0 {
			if err := s.box.Reopen(); err != nil {
				return o, err
			}
			s.note(loss.AddStart(s.losses(), time.Now()))
			return s.launcher().Start(line, s.box, true)
		}
		if err := s.leave(lost); err != nil {
			return o, err
		}
		s.say("the run begins without %s", strings.Join(lost, ", "))
	}
}

// end removes the directory, or names it if it has the checkpoints of a run that has not succeeded.
func (s *supervisor) end(o launch.Outcome, losses int) int {
	s.box.Close()
	if losses > 0 && o.Code == 0 {
		s.say("the program has ended after %s and %s", ledger.Count(losses, "loss"), ledger.Seconds(time.Since(s.begun)))
	}
	checkpoints := filepath.Join(s.dir, "checkpoints")
	if o.Code != 0 && hasCheckpoint(checkpoints) {
		s.say("checkpoints stay in %s; to go on give the program  %s", s.dir, shell.QuoteAll([]string{"-checkpoint", checkpoints, "-restart", "auto"}))
		return o.Code
	}
	os.RemoveAll(s.dir)
	return o.Code
}

// hasCheckpoint reports whether a directory has a complete checkpoint.
func hasCheckpoint(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	return len(found) > 0
}

// jobStarter starts a job of migbsp run.
type jobStarter struct {
	job   *launch.Job
	needs launch.Needs
	dir   string // for the launcher's files
	first bool
}

func (s *jobStarter) launcher() launch.Launcher  { return s.job.Launcher }
func (s *jobStarter) leave(hosts []string) error { return s.job.Leave(hosts) }
func (s *jobStarter) named(string)               {}

func (s *jobStarter) prepare(ctx context.Context) (line, lost []string, err error) {
	first := s.first
	s.first = false
	if s.job.Hosts != nil {
		for _, failure := range launch.Reach(ctx, s.job.SSH, s.job.Hosts, s.needs) {
			host, is := errors.AsType[*launch.HostError](failure)
			if !is || host.Missing && first {
				return nil, nil, cli.Usagef("%v", failure)
			}
			fmt.Fprintf(os.Stderr, "migbsp run: %v\n", failure)
			lost = append(lost, host.Host)
		}
	}
	if len(lost) > 0 {
		return nil, lost, nil
	}
	if s.job.Environ = os.Environ(); s.job.Hosts != nil {
		err = s.job.Prepare(s.dir)
	}
	return s.job.Line(), nil, err
}

// lineStarter starts a launcher by the command line that the user gives.
type lineStarter struct{ command *launch.Command }

func (s *lineStarter) launcher() launch.Launcher  { return s.command.Launcher }
func (s *lineStarter) leave(hosts []string) error { return s.command.Leave(hosts) }
func (s *lineStarter) named(program string)       { s.command.Program = program }

func (s *lineStarter) prepare(context.Context) (line, lost []string, err error) {
	line, err = s.command.Line()
	return line, nil, err
}

// surviveLine runs the command line of a launcher, and starts it again after losses.
func (f *runFlags) surviveLine(ctx context.Context, streams cli.Streams, words []string) error {
	dir, err := os.MkdirTemp("", "migbsp-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command, err := launch.Here(ctx).NewCommand(words, dir, os.Getenv)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	return f.supervise(ctx, streams, &lineStarter{command})
}

// supervise runs a program's ranks, and starts them again after losses.
func (f *runFlags) supervise(ctx context.Context, streams cli.Streams, by starter) error {
	s, err := newSupervisor(by, f.survive.value, streams.Err)
	if err != nil {
		return err
	}
	code, err := s.run(ctx)
	if err != nil || code == 0 {
		return err
	}
	return cli.Exit(code)
}

// isStarter reports whether a program is a launcher.
func isStarter(name string) bool { return slices.Contains(launch.Starters, filepath.Base(name)) }
