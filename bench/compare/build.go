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

// machineCores is the number of cores that the processes of all programs share.
var machineCores = runtime.NumCPU()

// engine is a method of running migbsp's programs.
type engine struct {
	name, launcher, tag string
	ranks               int // 0: one for each process
}

// engines returns the engines that the flags select. With more processes than cores MPI runs twice:
// with several processes in each rank, and with each in a rank of its own.
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

// our is the program of our measures.
const our = "./bench/bsp"

// buildOurs makes it for all engines that are wanted.
func (s *settings) buildOurs(ctx context.Context, session *frame.Session) error {
	if s.engine != "mpi" {
		if err := session.Build(ctx, our); err != nil {
			return err
		}
	}
	if s.engine == "inprocess" {
		return nil
	}
	if err := mustFind("mpirun", s.mpirun); err != nil {
		return err
	}
	return session.BuildTagged(ctx, "mpi", our)
}

// built returns the path of our program for an engine.
func (e *engine) built(session *frame.Session) string {
	if e.tag == "" {
		return session.Built(our)
	}
	return session.Built(our, e.tag)
}

// usual matches the measures that are compared unless -only is given, and usualBytes is the maximum
// number of bytes that they may move: more would take minutes each.
var usual = regexp.MustCompile(`^(empty|[pg][ue]t8_1|put8_1000|send8_(1|100000)|halo_.*|hpput2?_.*|get2?_.*|broadcast_.*|allreduce_.*|alltoall_.*|move_.*)$`)

const usualBytes = 1 << 30

// chosen returns the compared measures among all.
func (s *settings) chosen(all []string, procs int) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		if s.only != "" {
			return !s.wanted.MatchString(name)
		}
		return !usual.MatchString(name) || procs*sizeIn(name) > usualBytes
	})
}

var mebibytes = regexp.MustCompile(`_(\d+)MiB`)

// sizeIn returns the number of bytes in the name of a large transfer of each process, 0 of another.
func sizeIn(name string) int {
	found := mebibytes.FindStringSubmatch(name)
	if found == nil || strings.HasPrefix(name, "move_") {
		return 0
	}
	size, _ := strconv.Atoi(found[1])
	return size << 20
}

// ours returns our own programs for procs processes, and the measures that they take.
func (s *settings) ours(ctx context.Context, session *frame.Session, procs int) (all []*contender, err error) {
	engines := s.engines(procs)
	out, err := frame.Output(ctx, "", engines[0].built(session), "-list")
	if err != nil {
		return nil, err
	}
	names := strings.Fields(out)
	launches := []string{""} // the measures of each launch: a single move, because moves depend on earlier measures
	for _, name := range s.chosen(names, procs) {
		if strings.HasPrefix(name, "move_") {
			if procs > 1 {
				launches = append(launches, name)
			}
			continue
		}
		if launches[0] != "" {
			launches[0] += "|"
		}
		launches[0] += name
	}
	if launches[0] == "" {
		launches = launches[1:]
	}
	if len(launches) == 0 {
		return nil, fmt.Errorf("-only %s: no measure has such a name; there are %s", s.only, strings.Join(names, " "))
	}
	for _, e := range engines {
		c := &contender{name: e.name, launcher: e.launcher, ranks: e.ranks, nodeSize: s.nodeSize}
		common := []string{"-procs", strconv.Itoa(procs)}
		if e.launcher == "" {
			common = append(common, "-ranks", strconv.Itoa(e.ranks))
		}
		if s.quick {
			common = append(common, "-quick")
		}
		for _, only := range launches {
			if strings.HasPrefix(only, "move_") && e.launcher == "" && e.ranks < 2 {
				continue
			}
			c.calls = append(c.calls, call{path: e.built(session), args: append([]string{"-json", "-only", "^(" + only + ")$"}, common...)})
		}
		all = append(all, c)
	}
	return all, nil
}
