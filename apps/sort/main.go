// Sort sorts numbers by regular sampling: at the end each process has a part of about the
// same size, and all its numbers are smaller than the next process's.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Sort sorts n numbers. Each process sorts its own and offers samples of them at equal
distances; process 0 sorts the samples and chooses p-1 splitters; each process sends
what lies between two splitters to one process, which merges what it gets. With as
many samples as processes no part is larger than 2 n/p. Equal numbers are told apart
by where they were, so that they spread like any others.`

var (
	size    = flag.Int("n", 1<<20, "`numbers` to sort")
	lists   = flag.Int("lists", 1, "sort this many `lists`, one after another")
	dist    = flag.String("dist", "uniform", "how numbers are `distributed`: "+strings.Join(distributions, ", "))
	samples = flag.Int("samples", 0, "`number` of samples of each process; more make parts more equal (default: one for each process)")
	seed    = flag.Uint64("seed", 1, "of the random numbers")
	in      = flag.String("in", "", "sort the numbers in this `file`")
	out     = flag.String("out", "", "write the sorted numbers to this `file`, one in each line")
)

func main() {
	bsplib.Main(sampleSort, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

// state is all that a process carries from one stage to the next.
type state struct {
	Keys      []uint64
	Splitters []sample
	Parts     bsplib.Queue[struct{}, uint64] // of sorted numbers for this process

	Began, Took time.Duration // time of the current list, and of all of them
	Found       findings
}

// steps are the stages of each list.
const steps = 6

func sampleSort(b *bsplib.Proc, s *state) error {
	p, err := read(b.NProcs())
	if err != nil {
		return err
	}
	if b.Fresh() {
		s.Parts = bsplib.NewQueue[struct{}, uint64](b)
	}
	for k := range b.Stages(steps * p.lists) {
		switch list := k / steps; k % steps {
		case 0:
			if err := s.make(b, p, list); err != nil {
				return err
			}
		case 1:
			s.Began = b.Time()
			radixSort(s.Keys)
		case 2:
			s.Splitters = split(b, s.Keys, p.samples)
		case 3:
			s.send(b)
		case 4:
			s.receive()
			s.Took += b.Time() - s.Began
		case 5:
			s.check(b, p)
		}
	}
	return s.report(b, p)
}

// parameters is the values of the command line.
type parameters struct {
	n, lists, samples int
	dist              string
	seed              uint64
	in, out           string
}

// read returns the parameters of the command line, for a number of processes.
func read(procs int) (parameters, error) {
	p := parameters{n: *size, lists: *lists, samples: *samples, dist: *dist, seed: *seed, in: *in, out: *out}
	p.samples = cmp.Or(p.samples, procs)
	switch {
	case p.n < 0:
		return p, fmt.Errorf("-n %d: expected a number from 0 on", p.n)
	case p.lists < 1 || p.lists > 1e9:
		return p, fmt.Errorf("-lists %d: expected a number from 1 to 1000000000", p.lists)
	case p.samples < 1:
		return p, fmt.Errorf("-samples %d: at least one is needed", p.samples)
	case !slices.Contains(distributions, p.dist):
		return p, fmt.Errorf("-dist %s: it is one of %s", p.dist, strings.Join(distributions, ", "))
	case p.in != "" && p.lists > 1:
		return p, fmt.Errorf("-lists %d: -in has only one list", p.lists)
	case p.in != "":
		if err := flags.Unused("the numbers are those of -in", "n", "dist", "seed"); err != nil {
			return p, err
		}
		var err error
		p.n, err = lengths.Of(p.in)
		return p, err
	}
	return p, nil
}

func check(procs int) error {
	p, err := read(procs)
	if err == nil {
		err = lines.Writable("-out", p.out)
	}
	return err
}

// memory returns the bytes of all processes: the numbers, and three times as many while
// they are redistributed.
func memory(procs int) int64 {
	p, _ := read(procs) // which check has found right
	return 4 * 8 * int64(min(p.n, 1<<56))
}

// work returns all numbers of all lists, checked ones included.
func work(procs int) bsplib.Work {
	p, _ := read(procs) // which check has found right
	all := float64(p.n) * float64(p.lists)
	const supersteps = 8 // of a list
	return bsplib.Work{
		Amount: all, Unit: "numbers", PerSecond: 1e7,
		Supersteps: supersteps * p.lists, Sent: 8 * all / float64(procs),
	}
}

// report hands over the result; all processes agree whether it passed.
func (s *state) report(b *bsplib.Proc, p parameters) error {
	f := s.Found.all(b)
	checks := []bsplib.ResultCheck{
		{Name: "numbers out of order", Value: float64(f.Disorder), Passed: f.Disorder == 0},
		{Name: "lists that are not what they were", Value: float64(f.Changed), Passed: f.Changed == 0},
		{Name: "largest part / n * p", Value: f.share(p, b.NProcs()), Limit: bound(p, b.NProcs()), Passed: f.Oversized == 0},
	}
	b.Report(bsplib.Result{
		Title: "Sample sort, " + p.source(), Size: fmt.Sprintf("%d numbers", p.n),
		Seconds: s.Took.Seconds(), Work: float64(p.n) * float64(p.lists), Unit: "key",
		Details:  []bsplib.Detail{{Name: "Lists", Value: fmt.Sprint(p.lists)}, {Name: "Samples", Value: fmt.Sprintf("%d of each", p.samples)}},
		Checks:   checks,
		Checksum: fmt.Sprintf("%016x", f.Checksum),
	})
	for _, c := range checks {
		if !c.Passed {
			return bsplib.ErrNotVerified
		}
	}
	return s.write(b, p)
}

func (p parameters) source() string { return cmp.Or(p.in, p.dist) }
