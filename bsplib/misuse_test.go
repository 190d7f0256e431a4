package bsplib_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/mpi"
)

// misuse is a program that ends with an error, and the expected error.
type misuse struct {
	name    string
	at      string // line of this program that {at} stands for, or ""
	program func(b *bsplib.Proc, at *places) error
	kind    bsplib.Kind
	pid     int
	step    int
	// want is the whole text after "superstep S, process P, rank R", with
	// {name} for a named line of the program.
	want string
}

// places records the lines of a program that messages name.
type places struct {
	mu   sync.Mutex
	line map[string]string
	rank map[int]int // by pid
}

// alone returns a program that calls do in process 1, while all others go on to their Sync.
func alone(do func(b *bsplib.Proc)) func(*bsplib.Proc, *places) error {
	return func(b *bsplib.Proc, _ *places) error {
		if b.Pid() == 1 {
			do(b)
		}
		b.Sync()
		return nil
	}
}

// odd returns one on process 1, and others on all other processes.
func odd[T any](b *bsplib.Proc, one, others T) T {
	if b.Pid() == 1 {
		return one
	}
	return others
}

// next records the line below its call under a name.
func (at *places) next(name string) {
	_, file, line, _ := runtime.Caller(1)
	at.mu.Lock()
	defer at.mu.Unlock()
	at.line[name] = fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
}

// text returns the expected message.
func (at *places) text(m *misuse) string {
	where := fmt.Sprintf("superstep %d, process %d, rank %d", m.step, m.pid, at.rank[m.pid])
	if m.pid < 0 {
		where = fmt.Sprintf("superstep %d", m.step)
	}
	text := where + strings.ReplaceAll(m.want, "{at}", m.at)
	for name, line := range at.line {
		text = strings.ReplaceAll(text, "{"+name+"}", line)
	}
	return text
}

// An engineUnderTest runs a program on three processes.
type engineUnderTest struct {
	name string
	run  func(program func(*bsplib.Proc, *none) error) error
}

// allEngines returns every engine that runs within this process: on fewer ranks than processes, as many
// and more; with moves after each stage; emulated; and on nodes that exchange data by messages,
// copies, runs and a tree.
func allEngines(t testing.TB) (all []engineUnderTest) {
	add := func(name string, run func(program func(*bsplib.Proc, *none) error) error) {
		all = append(all, engineUnderTest{name, run})
	}
	inProcess := func(name string, cfg bsplib.Config) {
		cfg.Procs = 3
		add(name, func(program func(*bsplib.Proc, *none) error) error { return bsplib.Run(cfg, program) })
	}
	for _, ranks := range []int{1, 2, 3, 5} {
		inProcess(fmt.Sprintf("%d ranks", ranks), bsplib.Config{Ranks: ranks})
	}
	for _, ranks := range []int{2, 3} {
		inProcess(fmt.Sprintf("%d ranks, shaken", ranks), bsplib.Config{Ranks: ranks, Shake: true})
	}
	inProcess("2 emulated ranks", bsplib.Config{Platform: platform(t, unequal)})
	add("nodes [0 0 1] by messages", func(program func(*bsplib.Proc, *none) error) error { return runOnNodes(3, []int{0, 0, 1}, program) })
	add("nodes [0 1 1] by copies", func(program func(*bsplib.Proc, *none) error) error {
		return runOn(3, []int{0, 1, 1}, func(c onNodes) mpi.Comm { return byCopies{c} }, program)
	})
	for _, node := range [][]int{{0, 0, 1}, {0, 1}} {
		name := fmt.Sprintf("nodes %v by ", node)
		add(name+"runs", func(program func(*bsplib.Proc, *none) error) error { return byTheirRuns(3, node, program) })
		add(name+"tree", func(program func(*bsplib.Proc, *none) error) error { return byTree(3, node, program) })
	}
	return all
}

// misuses runs each program on all engines, and checks everything about the error. Under the race
// detector, which makes panics slow, each program runs on a quarter of the engines.
func misuses(t *testing.T, all []misuse) {
	bsptest.InProcess(t)
	engines := allEngines(t)
	for i, m := range all {
		t.Run(m.name, func(t *testing.T) {
			for k, on := range engines {
				if !t.Failed() && (!raceEnabled || (i+k)%4 == 0) {
					m.check(t, on)
				}
			}
		})
	}
}

func (m *misuse) check(t *testing.T, on engineUnderTest) {
	t.Helper()
	at := &places{line: map[string]string{}, rank: map[int]int{}}
	err := on.orHang(t, func(b *bsplib.Proc, _ *none) error {
		at.mu.Lock()
		at.rank[b.Pid()] = b.Rank()
		at.mu.Unlock()
		return m.program(b, at)
	})
	e, ok := errors.AsType[*bsplib.Error](err)
	if !ok {
		t.Errorf("on %s: got error %v, want a *bsplib.Error", on.name, err)
		return
	}
	if got, want := e.Error(), at.text(m); got != want {
		t.Errorf("on %s:\n got %s\nwant %s", on.name, got, want)
	}
	if e.Kind != m.kind || e.Pid != m.pid || e.Superstep != m.step {
		t.Errorf("on %s: got kind %d, pid %d, superstep %d, want %d, %d, %d", on.name, e.Kind, e.Pid, e.Superstep, m.kind, m.pid, m.step)
	}
}

// orHang runs a program, but gives up after some time.
func (on engineUnderTest) orHang(t testing.TB, program func(*bsplib.Proc, *none) error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- on.run(program) }()
	select {
	case err := <-result:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s: hangs", on.name)
		return nil
	}
}

// runOrHang is Run, but gives up after some time.
func runOrHang(t *testing.T, cfg bsplib.Config, program func(*bsplib.Proc, *none) error) error {
	t.Helper()
	return engineUnderTest{bsptest.Describe(cfg), func(program func(*bsplib.Proc, *none) error) error {
		return bsplib.Run(cfg, program)
	}}.orHang(t, program)
}
