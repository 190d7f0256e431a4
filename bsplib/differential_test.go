package bsplib_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/mpi"
)

var (
	firstSeed    = flag.Uint64("seed", 1, "first `seed` of the differential test")
	programCount = flag.Int("programs", 0, "`number` of programs of the differential test (0: as many as fit into some seconds)")
)

// TestDifferential runs random programs on the library and on a model that
// shares only the rules with it, and compares all memory and all messages of
// all processes after each superstep: once with a fixed mapping, once with all
// processes moving after each stage, and once with random ones moving.
func TestDifferential(t *testing.T) {
	count := *programCount
	if count == 0 {
		count = defaultPrograms()
	}
	for i := range count {
		seed := *firstSeed + uint64(i)
		p := generate(seed, sizeOf(seed))
		want := predict(p)
		for _, cfg := range bsptest.Configs(p.procs) {
			shaken := cfg
			shaken.Shake = true
			for _, cfg := range []bsplib.Config{cfg, shaken, cfg.Scattered(seed)} {
				if err := p.runOn(t, cfg, want); err != nil {
					p.report(t, cfg, err)
				}
			}
		}
	}
}

// TestDifferentialOnNodes runs on ranks that share memory, that copy from each other by a call, and
// that are on other nodes: there states and long Puts are runs, or sent in pieces.
func TestDifferentialOnNodes(t *testing.T) {
	bsptest.InProcess(t)
	layouts := [][]int{{0, 0, 0}, {0, 1, 2}, {0, 0, 1}, {0, 1, 1, 0, 2}}
	for i := range cmp.Or(*programCount, defaultPrograms()/2) {
		seed := *firstSeed + uint64(i)
		p := generate(seed, sizeOf(seed))
		want, runs := predict(p), newRunsOfAll()
		node := layouts[seed%uint64(len(layouts))]
		for name, as := range map[string]func(onNodes) mpi.Comm{
			"addressed": func(c onNodes) mpi.Comm { return c },
			"attached":  func(c onNodes) mpi.Comm { return attached{byCopies{c}} },
			"runs":      func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} },
		} {
			cfg := bsplib.Config{Procs: p.procs}
			for _, cfg := range []bsplib.Config{cfg, cfg.Scattered(seed)} {
				err := runAs(cfg, node, as, func(b *bsplib.Proc, s *carried) error { return p.run(b, s, want) })
				if err != nil {
					t.Fatalf("%s on nodes %v: %v\nagain: go test ./bsplib -run DifferentialOnNodes -seed %d -programs 1", name, node, err, seed)
				}
			}
		}
	}
}

// sizeOf makes every tenth program long and every hundredth huge.
func sizeOf(seed uint64) sizes {
	switch {
	case seed%100 == 50 && !testing.Short() && !raceEnabled:
		return huge
	case seed%10 == 5:
		return long
	}
	return small
}

func defaultPrograms() int {
	switch {
	case raceEnabled:
		return 25 // seeds are fixed, and all of them run without the detector
	case testing.Short():
		return 50
	}
	return 100
}

// runOn returns the difference found by the lowest process, or else the error
// that ended the run.
func (p *program) runOn(t *testing.T, cfg bsplib.Config, want [][]uint64) error {
	found := make([]error, p.procs)
	err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *carried) error {
		found[b.Pid()] = p.run(b, s, want)
		return found[b.Pid()]
	})
	return cmp.Or(append(found, err)...)
}

// report ends the test with the data needed to find the fault. Under MPI it
// prints the details only on the rank that has found the difference.
func (p *program) report(t *testing.T, cfg bsplib.Config, err error) {
	t.Helper()
	head := fmt.Sprintf("%s: %v\nagain: go test ./bsplib -run Differential -seed %d -programs 1", bsptest.Describe(cfg), err, p.seed)
	if !bsptest.UnderMPI() {
		p, err = p.shrink(t, cfg, err)
		head += fmt.Sprintf("\nshrunk: %v", err)
	}
	d, ok := errors.AsType[*difference](err)
	if !ok {
		t.Fatal(head)
	}
	t.Fatalf("%s\n%s", head, p.listing(d.step-1))
}

// shrink removes ops while the program still fails in some of its runs. It
// returns the program's last failure too.
func (p *program) shrink(t *testing.T, cfg bsplib.Config, failure error) (*program, error) {
	deadline := time.Now().Add(10 * time.Second)
	fails := func(q *program) bool {
		want := predict(q)
		for range 20 {
			if err := q.runOn(t, cfg, want); err != nil {
				failure = err
				return true
			}
		}
		return false
	}
	for part := 1 << 6; part > 0; part /= 2 {
		for s := range p.steps {
			for pid := range p.procs {
				for at := len(p.steps[s].ops[pid]); at > 0 && time.Now().Before(deadline); at -= part {
					if q := p.without(s, pid, max(0, at-part), at); q != nil && fails(q) {
						p = q
					}
					at = min(at, len(p.steps[s].ops[pid])+part)
				}
			}
		}
	}
	return p, failure
}

// without returns a copy of p without the ops lo to hi-1 that the process can
// leave out alone. It returns nil if it can leave out none of them.
func (p *program) without(s, pid, lo, hi int) *program {
	ops := slices.Clone(p.steps[s].ops[pid])
	kept := ops[:lo:lo]
	for i := lo; i < hi; i++ {
		if ops[i].what >= register {
			kept = append(kept, ops[i])
		}
	}
	if len(kept) == hi {
		return nil
	}
	q := *p
	q.steps = slices.Clone(p.steps)
	q.steps[s].ops = slices.Clone(p.steps[s].ops)
	q.steps[s].ops[pid] = append(kept, ops[hi:]...)
	return &q
}

// maxLines is the maximum number of lines of a listing.
const maxLines = 60

// listing returns the end of a program: superstep last and the two before it,
// and the memory that they access.
func (p *program) listing(last int) string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	areas, blocks := make(map[int]bool), make(map[int]bool)
	for s := max(0, last-2); s <= last; s++ {
		st := &p.steps[s]
		for pid, ops := range st.ops {
			for _, o := range ops {
				if o.what >= register && pid > 0 {
					continue
				}
				say("superstep %d, process %d: %s", s, pid, &o)
				if o.usesArea() {
					areas[o.area], blocks[p.areas[o.area].block] = true, true
				}
				if o.what <= write && o.what != receive {
					blocks[o.block] = true
				}
			}
		}
		say("superstep %d ends with %s (root %d, n %d)", s, endingNames[st.end.what], st.end.root, st.end.n)
	}
	if len(lines) > maxLines {
		lines = append([]string{"..."}, lines[len(lines)-maxLines:]...)
	}
	for i, a := range p.areas {
		if areas[i] {
			say("area %d: block %d, from %v to %v", i, a.block, a.lo, a.hi)
		}
	}
	for i, b := range p.blocks {
		if blocks[i] {
			say("block %d: elements of %d bytes, counts %v, by Alloc: %v", i, kinds[b.kind].size(), b.count, b.fresh)
		}
	}
	return strings.Join(lines, "\n")
}

// usesArea reports whether the field area of an op has a meaning.
func (o *op) usesArea() bool {
	switch o.what {
	case put, hpPut, get, hpGet, keep, register, alloc, pop:
		return true
	}
	return false
}

func (o *op) String() string {
	name := verbNames[o.what]
	values := "new values"
	if o.block >= 0 {
		values = fmt.Sprintf("block %d from %d", o.block, o.local)
	}
	switch o.what {
	case ask:
		return fmt.Sprintf("asks in way %d, process %d, rank from %d", o.how, o.pid, o.fill)
	case keep:
		return fmt.Sprintf("Keep %d elements of area %d", o.n, o.area)
	case put, hpPut, get, hpGet:
		if o.each {
			name += " one by one"
		}
		return fmt.Sprintf("%s of %d elements at %d of process %d's area %d, %s", name, o.n, o.at, o.pid, o.area, values)
	case send:
		if o.each {
			name += " one by one"
		}
		return fmt.Sprintf("%s to process %d on queue %d of %d values", name, o.pid, o.queue, o.n)
	case receive:
		return fmt.Sprintf("%s %d messages of queue %d, way %d", name, o.n, o.queue, o.how)
	case write:
		return fmt.Sprintf("%s %d elements, %s", name, o.n, values)
	case makeQueue:
		return fmt.Sprintf("%s %d", name, o.queue)
	default:
		return fmt.Sprintf("%s area %d", name, o.area)
	}
}
