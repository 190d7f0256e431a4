// Bsp measures the cost of supersteps: empty ones, rates of small puts, gets and sends, the
// bandwidth of large transfers, and moves. The parameters r, g and l are migbsp bench's. Measures,
// loops and JSON lines are the same as in bench/c.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/mpi"
)

const about = `
Bsp measures what supersteps cost: an empty one, small and large transfers, halo
exchanges, collectives, and moves of a process to another rank and back. Without MPI it
does so for each number of processes in -p; under mpirun for -procs processes on all
ranks. Times are minimum and median over batches of supersteps, on process 0.`

// settings are the values of the command line.
type settings struct {
	procs   []int          // numbers of processes to measure, nil for the run's own
	only    *regexp.Regexp // measures, nil for all
	seconds float64        // spent on each measure
	json    bool
	list    bool // of the measures instead
}

const (
	usualSeconds = 0.2
	quickSeconds = 0.05
)

func main() {
	s := &settings{seconds: usualSeconds}
	s.define(flag.CommandLine)
	// The account would be of the benchmark's own supersteps.
	bsplib.Main(s.program, bsplib.Options{Description: about, CheckFlags: s.check, DefaultTable: "none"})
}

func (s *settings) define(flags *flag.FlagSet) {
	flags.Var(frame.Numbers(&s.procs, 1, math.MaxInt), "p", "measure with each of these `numbers` of processes, without MPI (default 2,4,16,64 unless -procs is given)")
	flags.Func("only", "measure only what this `regexp` matches, such as '^put8' or '64MiB$'",
		func(expr string) (err error) { s.only, err = regexp.Compile(expr); return })
	flags.Float64Var(&s.seconds, "seconds", usualSeconds, "spend so many `seconds` on each measure")
	flags.BoolFunc("quick", "spend a quarter of the time on each measure", s.hurry)
	flags.BoolVar(&s.list, "list", false, "print the names of all measures instead")
	flags.BoolVar(&s.json, "json", false, "print JSON lines, as bench/c does, instead of tables")
}

func (s *settings) hurry(value string) error {
	quick, err := strconv.ParseBool(value)
	if err == nil && quick {
		s.seconds = quickSeconds
	}
	return err
}

// check finds mistakes on the command line, and completes the settings.
func (s *settings) check(int) error {
	if s.only != nil && !slices.ContainsFunc(names(), s.only.MatchString) {
		return fmt.Errorf("-only %s: no measure has such a name; there are %s", s.only, strings.Join(names(), " "))
	}
	if !(s.seconds > 0) {
		return fmt.Errorf("-seconds %g: expected more than 0", s.seconds)
	}
	if underMPI() {
		if s.procs != nil {
			return errors.New("-p: under MPI the ranks are there from the start; say -procs N for N processes on them")
		}
		return nil
	}
	if s.procs == nil && !frame.Given(flag.CommandLine, "procs") {
		s.procs = []int{2, 4, 16, 64}
	}
	return nil
}

// program is the function for Main: it runs the measures on its own processes or, without MPI, one
// run after the other while its own ranks sleep.
func (s *settings) program(p *bsplib.Proc, own *state) error {
	if s.list {
		if p.Pid() == 0 {
			fmt.Println(strings.Join(names(), "\n"))
		}
		return nil
	}
	if s.procs == nil {
		return (&suite{settings: *s, w: os.Stdout}).run(p, own)
	}
	if p.Pid() != 0 {
		return nil
	}
	for _, n := range s.procs {
		u := &suite{settings: *s, w: os.Stdout}
		if err := bsplib.Run(bsplib.Config{Procs: n, Ranks: min(n, p.NRanks())}, u.run); err != nil {
			return err
		}
	}
	return nil
}

// underMPI reports whether a launcher has started other ranks of this run.
func underMPI() bool {
	tasks, _ := mpi.Launched()
	return tasks != 0 && tasks != 1
}
