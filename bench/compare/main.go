// Compare runs bench/bsp and the same measures in C on another BSPlib in turns,
// and prints both side by side.
//
//	go run ./bench/compare -bspcc bspcc -bsprun 'bsprun -n 2'
//	go run ./bench/compare -bspcc 'lpfcc -engine pthread -lbsplib' -bsprun 'lpfrun -engine pthread -n 2' -name LPF
//	go run ./bench/compare -bspcc '' -with OTHER=results.jsonl
//	go run ./bench/compare -fft 20:25 -go both
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	bspcc, bsprun string // command lines, in the words of a shell
	bspFlags      string
	mpirun        string
	name          string // of the other library
	procs         int
	engine        string // inprocess, mpi or both
	only          string
	quick         bool
	limit         time.Duration // for a launch
	idle          time.Duration // to wait for an idle machine before each
	with          []string      // NAME=file
	fft           *sizes        // of Fourier transforms to compare instead
}

func main() { measurement.Main() }

var measurement = frame.Program{
	Name: "compare", Rounds: 3, Flags: define, MPI: true, Uses: []string{"./bench/bsp", "./apps/fft", "bench/c"},
	About: "Runs our benchmark and the same in C on another BSPlib, in turns. With -o FILE the rows of\n" +
		"all launches are kept, for -with NAME=FILE another time.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.StringVar(&s.bspcc, "bspcc", "bspcc", "the other BSPlib's compiler `command`; '' for none")
	flags.StringVar(&s.bspFlags, "bspflags", "", "more `flags` for it (see bench/c/dialect.h)")
	flags.StringVar(&s.bsprun, "bsprun", "", "`command` that runs its programs on -np processes (default 'bsprun -n NP')")
	flags.StringVar(&s.name, "name", "", "`name` of the other BSPlib in the table (default: its compiler)")
	flags.StringVar(&s.mpirun, "mpirun", "", "`command` that runs ours under MPI (default: mpirun with one rank for each core)")
	flags.StringVar(&s.engine, "go", "inprocess", "run ours `inprocess`, with mpi, or both")
	flags.IntVar(&s.procs, "np", 2, "number of `processes`")
	flags.StringVar(&s.only, "only", "", "compare only what this `regexp` matches")
	flags.BoolVar(&s.quick, "quick", false, "spend a quarter of the time on each measure")
	flags.DurationVar(&s.limit, "limit", 10*time.Minute, "end a launch that takes longer than this `duration`")
	flags.DurationVar(&s.idle, "idle", 0, "wait at most this `duration` before each launch for an idle machine")
	flags.Func("with", "put the results in `NAME=file` beside them; may be repeated", func(v string) error {
		s.with = append(s.with, v)
		return nil
	})
	flags.Func("fft", "compare Fourier transforms of 2^FROM to 2^TO numbers instead: apps/fft with bench/c/fft; `FROM:TO`", func(v string) error {
		got, err := sizesOf(v)
		s.fft = &got
		return err
	})
	return func() (frame.Work, error) { return s.run, s.check() }
}

// check looks for mistakes and completes the settings.
func (s *settings) check() error {
	switch {
	case s.procs < 1:
		return fmt.Errorf("-np %d: at least one is needed", s.procs)
	case s.engine != "inprocess" && s.engine != "mpi" && s.engine != "both":
		return fmt.Errorf("-go %s: it is inprocess, mpi or both", s.engine)
	case s.fft != nil && (s.only != "" || s.quick || len(s.with) > 0):
		return errors.New("-fft has no use for -only, -quick and -with")
	case s.fft != nil && strings.TrimSpace(s.bspcc) == "":
		return errors.New("-fft compares with another library: give -bspcc")
	case strings.TrimSpace(s.bspcc) == "" && len(s.with) == 0:
		return errors.New("nothing to compare with: give -bspcc or -with")
	}
	for _, w := range s.with {
		if name, file, ok := strings.Cut(w, "="); !ok || name == "" || file == "" {
			return fmt.Errorf("-with %s: it is NAME=file", w)
		}
	}
	if _, err := regexp.Compile(s.only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if s.bsprun == "" {
		s.bsprun = fmt.Sprintf("bsprun -n %d", s.procs)
	}
	if s.name == "" && s.bspcc != "" {
		s.name = filepath.Base(program(s.bspcc))
	}
	return nil
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	if s.fft != nil {
		return s.compareFFT(ctx, session)
	}
	others, err := readAll(s.with, s.procs)
	if err != nil {
		return err
	}
	ours, theirs, err := s.build(ctx, session)
	if err != nil {
		return err
	}
	idle, err := s.launchAll(ctx, session, ours, theirs)
	if err != nil {
		return err
	}
	for _, o := range slices.Concat(ours, theirs) {
		for _, row := range o.merged.Rows() {
			session.Record(o.name, row.Measure, "us", o.merged.Minima(row.Measure, row.P)...)
		}
	}
	c := comparison{procs: s.procs, rounds: session.Rounds, idle: idle, ours: ours, others: append(theirs, others...)}
	session.Table(c.table())
	return nil
}
