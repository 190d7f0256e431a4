package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// build makes all programs of the comparison.
func (s *settings) build(ctx context.Context, session *frame.Session) (ours, theirs []*contender, err error) {
	if s.bspcc != "" {
		path, err := s.makeTheirs(ctx, session, "bspbench")
		if err != nil {
			return nil, nil, err
		}
		c := &contender{name: s.name, launcher: s.bsprun, path: path, inC: true, args: []string{"-library", s.name}}
		if s.quick {
			c.args = append(c.args, "-q")
		}
		theirs = []*contender{c}
	}
	engines, err := s.buildOurs(ctx, session, "./bench/bsp")
	for _, e := range engines {
		ours = append(ours, &contender{name: e.name, launcher: e.launcher, path: e.path, args: s.ourArgs()})
	}
	return ours, theirs, err
}

// engine is a way to run one of our programs.
type engine struct{ name, launcher, path string }

// buildOurs makes a program of ours for each engine that is wanted.
func (s *settings) buildOurs(ctx context.Context, session *frame.Session, program string) (all []engine, err error) {
	if s.engine != "mpi" {
		if err := session.Build(ctx, program); err != nil {
			return nil, err
		}
		all = append(all, engine{"in-process", "", session.Built(program)})
	}
	if s.engine != "inprocess" {
		launcher := s.mpiLauncher()
		if err := mustFind("mpirun", launcher); err != nil {
			return nil, err
		}
		if err := session.BuildTagged(ctx, "mpi", program); err != nil {
			return nil, err
		}
		all = append(all, engine{"MPI", launcher, session.Built(program, "mpi")})
	}
	return all, nil
}

// makeTheirs makes a program of bench/c with the other library.
func (s *settings) makeTheirs(ctx context.Context, session *frame.Session, name string) (path string, err error) {
	for _, c := range []struct{ flag, line string }{{"bspcc", s.bspcc}, {"bsprun", s.bsprun}} {
		if err := mustFind(c.flag, c.line); err != nil {
			return "", err
		}
	}
	root, err := frame.Root(ctx)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(session.Dir, "c") // beside ours, which may have the same name
	path = filepath.Join(dir, name)
	session.Progress("building bench/c/%s with %s", name, s.bspcc)
	_, err = frame.Output(ctx, root, "make", "-C", filepath.Join("bench", "c"), "BSPCC="+s.bspcc, "BSPFLAGS="+s.bspFlags, "OUT="+dir, path)
	if err != nil {
		return "", fmt.Errorf("building bench/c/%s with -bspcc %q: %w", name, s.bspcc, err)
	}
	return path, nil
}

// mpiLauncher is the command that runs ours under MPI.
func (s *settings) mpiLauncher() string {
	if s.mpirun != "" {
		return s.mpirun
	}
	return fmt.Sprintf("mpirun -np %d", min(s.procs, runtime.NumCPU()))
}

func (s *settings) ourArgs() []string {
	args := []string{"-json", "-procs", strconv.Itoa(s.procs)}
	if s.quick {
		args = append(args, "-quick")
	}
	if s.only != "" {
		args = append(args, "-only", s.only)
	}
	return args
}

// program is the first word of a command line behind its settings of the
// environment.
func program(line string) string {
	for _, word := range strings.Fields(line) {
		if !strings.Contains(word, "=") {
			return strings.Trim(word, `'"`)
		}
	}
	return ""
}

var advice = map[string]string{
	"bspcc":  "install a BSPlib (BSPonMPI, LPF, MulticoreBSP for C) and name its compiler with -bspcc, or say -bspcc '' to do without",
	"bsprun": "say how the other library's programs are started with -bsprun",
	"mpirun": "install Open MPI or an MPICH and name its launcher with -mpirun, or say -go inprocess",
}

// mustFind returns an error with advice if the program of a flag's command
// line does not exist.
func mustFind(name, line string) error {
	p := program(line)
	if strings.HasPrefix(p, "$") {
		return nil
	}
	if _, err := exec.LookPath(p); err != nil {
		if _, stat := os.Stat(p); stat == nil {
			return fmt.Errorf("-%s: %s is not an executable file", name, p)
		}
		return fmt.Errorf("-%s: there is no %s: %s", name, p, advice[name])
	}
	return nil
}
