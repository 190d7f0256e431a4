package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// build makes all programs of the comparison in dir.
func (s *settings) build(ctx context.Context, dir string, log io.Writer) (ours, theirs []*contender, err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s.bspcc != "" {
		c, err := s.buildTheirs(ctx, root, dir, log)
		if err != nil {
			return nil, nil, err
		}
		theirs = []*contender{c}
	}
	if s.engine != "mpi" {
		path := filepath.Join(dir, "bsp")
		if err := goBuild(ctx, root, log, "-o", path, "./bench/bsp"); err != nil {
			return nil, nil, err
		}
		ours = append(ours, &contender{name: "in-process", path: path, args: s.ourArgs()})
	}
	if s.engine != "inprocess" {
		c, err := s.buildMPI(ctx, root, dir, log)
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, c)
	}
	return ours, theirs, nil
}

// moduleRoot is where this program's source is; it must be run from within.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/migbsp/migbsp").Output()
	if err != nil {
		return "", fmt.Errorf("this program builds others from source: run it in a checkout, with go in PATH (%w)", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (s *settings) buildTheirs(ctx context.Context, root, dir string, log io.Writer) (*contender, error) {
	path, err := s.makeTheirs(ctx, root, dir, "bspbench", log)
	if err != nil {
		return nil, err
	}
	c := &contender{name: s.name, launcher: s.bsprun, path: path, inC: true}
	c.args = append(c.args, "-library", s.name)
	if s.quick {
		c.args = append(c.args, "-q")
	}
	return c, nil
}

// makeTheirs makes a program of bench/c with the other library.
func (s *settings) makeTheirs(ctx context.Context, root, dir, name string, log io.Writer) (path string, err error) {
	for _, c := range []struct{ flag, line string }{{"bspcc", s.bspcc}, {"bsprun", s.bsprun}} {
		if err := mustFind(c.flag, c.line); err != nil {
			return "", err
		}
	}
	path = filepath.Join(dir, name)
	fmt.Fprintf(log, "building bench/c/%s with %s\n", name, s.bspcc)
	err = command(ctx, root, "make", "-C", filepath.Join("bench", "c"), "BSPCC="+s.bspcc, "BSPFLAGS="+s.bspFlags, "OUT="+dir, path)
	if err != nil {
		return "", fmt.Errorf("building bench/c/%s with -bspcc %q: %w", name, s.bspcc, err)
	}
	return path, nil
}

func (s *settings) buildMPI(ctx context.Context, root, dir string, log io.Writer) (*contender, error) {
	launcher := s.mpiLauncher()
	if err := mustFind("mpirun", launcher); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "bsp-mpi")
	if err := goBuild(ctx, root, log, "-tags", "mpi", "-o", path, "./bench/bsp"); err != nil {
		return nil, err
	}
	return &contender{name: "MPI", launcher: launcher, path: path, args: s.ourArgs()}, nil
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

func goBuild(ctx context.Context, root string, log io.Writer, args ...string) error {
	fmt.Fprintf(log, "building %s\n", args[len(args)-1])
	if err := command(ctx, root, "go", append([]string{"build"}, args...)...); err != nil {
		return fmt.Errorf("go build %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// command runs a program in dir; its error has what the program said.
func command(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
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
