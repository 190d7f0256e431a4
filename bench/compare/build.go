package main

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// machineCores are those that the processes of all programs share.
var machineCores = runtime.NumCPU()

// engine is a way to run one of our programs.
type engine struct {
	name, launcher, tag string
	ranks               int // 0 for as many as there are processes
}

// engines are those that are wanted. With more processes than cores there are two ways on
// MPI: several processes in each rank, and each in a rank of its own.
func (s *settings) engines(procs int) (all []engine) {
	if s.engine != "mpi" {
		all = append(all, engine{name: "in-process", ranks: min(procs, machineCores)})
	}
	if s.engine == "inprocess" {
		return all
	}
	ranks := min(procs, machineCores)
	if s.transport.threads && ranks < procs {
		all = append(all, engine{name: "MPI, " + count(ranks, "rank"), launcher: s.mpirun, tag: "mpi", ranks: ranks})
	}
	return append(all, engine{name: "MPI", launcher: s.mpirun, tag: "mpi"})
}

// buildOurs makes programs of ours for all engines that are wanted.
func (s *settings) buildOurs(ctx context.Context, session *frame.Session, programs ...string) error {
	if s.engine != "mpi" {
		if err := session.Build(ctx, programs...); err != nil {
			return err
		}
	}
	if s.engine == "inprocess" {
		return nil
	}
	if err := mustFind("mpirun", s.mpirun); err != nil {
		return err
	}
	return session.BuildTagged(ctx, "mpi", programs...)
}

// built is where a program of ours is for an engine.
func (e *engine) built(session *frame.Session, program string) string {
	if e.tag == "" {
		return session.Built(program)
	}
	return session.Built(program, e.tag)
}

// moves are the measures of bench/move, and its arguments.
var moves = []struct{ name, args string }{
	{"move_1MiB", "-bytes 1048576"}, {"move_1MiB_alloc", "-bytes 1048576 -alloc"},
	{"move_64MiB", "-bytes 67108864"}, {"move_64MiB_alloc", "-bytes 67108864 -alloc"},
}

// usual are the measures that are compared unless -only says something else, and
// usualBytes what they may move in all: more would take minutes each.
var usual = regexp.MustCompile(`^(empty|[pg][ue]t8_1|put8_1000|send8_(1|100000)|halo_.*|hpput2?_.*|get2?_.*|broadcast_.*|allreduce_.*|alltoall_.*|move_.*)$`)

const usualBytes = 1 << 30

// chosen are those of all measures that are compared.
func (s *settings) chosen(all []string, procs int) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		if s.only != "" {
			return !s.wanted.MatchString(name)
		}
		return !usual.MatchString(name) || procs*sizeIn(name) > usualBytes
	})
}

var mebibytes = regexp.MustCompile(`_(\d+)MiB`)

// sizeIn is the number of bytes in the name of a large transfer of each process, 0 of another.
func sizeIn(name string) int {
	found := mebibytes.FindStringSubmatch(name)
	if found == nil || strings.HasPrefix(name, "move_") {
		return 0
	}
	size, _ := strconv.Atoi(found[1])
	return size << 20
}

// ours are our own programs for so many processes, and the measures that they take.
func (s *settings) ours(ctx context.Context, session *frame.Session, procs int) (all []*contender, err error) {
	engines := s.engines(procs)
	out, err := frame.Output(ctx, "", engines[0].built(session, "./bench/bsp"), "-list")
	if err != nil {
		return nil, err
	}
	names := strings.Fields(out)
	chosen := s.chosen(names, procs)
	var moving []call
	for _, m := range moves {
		names = append(names, m.name)
		if procs > 1 && len(s.chosen([]string{m.name}, procs)) > 0 {
			moving = append(moving, call{args: append(strings.Fields(m.args), "-json")})
		}
	}
	if len(chosen)+len(moving) == 0 {
		return nil, fmt.Errorf("-only %s: no measure has such a name; there are %s", s.only, strings.Join(names, " "))
	}
	for _, e := range engines {
		c := &contender{name: e.name, launcher: e.launcher, ranks: e.ranks, nodeSize: s.nodeSize}
		common := []string{"-procs", strconv.Itoa(procs)}
		if e.launcher == "" {
			common = append(common, "-ranks", strconv.Itoa(e.ranks))
		}
		if len(chosen) > 0 {
			args := append([]string{"-json", "-only", "^(" + strings.Join(chosen, "|") + ")$"}, common...)
			if s.quick {
				args = append(args, "-quick")
			}
			c.calls = append(c.calls, call{path: e.built(session, "./bench/bsp"), args: args})
		}
		for _, m := range moving {
			if e.launcher == "" && e.ranks < 2 {
				continue
			}
			c.calls = append(c.calls, call{path: e.built(session, "./bench/move"), args: append(slices.Clone(m.args), common...)})
		}
		all = append(all, c)
	}
	return all, nil
}
