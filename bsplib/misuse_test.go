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
)

// misuse is a program that ends with an error, and the error.
type misuse struct {
	name    string
	at      string // line of this program that {at} stands for; "" where there is none
	program func(b *bsplib.Proc, at *places) error
	kind    bsplib.Kind
	pid     int
	step    int
	// want is the whole text behind "superstep S, process P, rank R", with
	// {name} for a place in the program.
	want string
}

// places are lines of a program that messages name.
type places struct {
	mu   sync.Mutex
	line map[string]string
	rank map[int]int // by pid
}

// alone is a program in which process 1 does something, and all others go on to their Sync.
func alone(do func(b *bsplib.Proc)) func(*bsplib.Proc, *places) error {
	return func(b *bsplib.Proc, _ *places) error {
		if b.Pid() == 1 {
			do(b)
		}
		b.Sync()
		return nil
	}
}

// odd is one value on process 1, and another one on all others.
func odd[T any](b *bsplib.Proc, one, others T) T {
	if b.Pid() == 1 {
		return one
	}
	return others
}

// next gives the line below a name.
func (at *places) next(name string) {
	_, file, line, _ := runtime.Caller(1)
	at.mu.Lock()
	defer at.mu.Unlock()
	at.line[name] = fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
}

// text is the message that is wanted.
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

// misuses runs three processes on one rank, two, three and five, and checks
// everything about the error.
func misuses(t *testing.T, all []misuse) {
	bsptest.InProcess(t)
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			for _, ranks := range []int{1, 2, 3, 5} {
				if !t.Failed() {
					m.check(t, bsplib.Config{Procs: 3, Ranks: ranks})
				}
			}
		})
	}
}

func (m *misuse) check(t *testing.T, cfg bsplib.Config) {
	t.Helper()
	at := &places{line: map[string]string{}, rank: map[int]int{}}
	err := runOrHang(t, cfg, func(b *bsplib.Proc, _ *none) error {
		at.mu.Lock()
		at.rank[b.Pid()] = b.Rank()
		at.mu.Unlock()
		return m.program(b, at)
	})
	e, ok := errors.AsType[*bsplib.Error](err)
	if !ok {
		t.Errorf("on %d ranks: got error %v, want a *bsplib.Error", cfg.Ranks, err)
		return
	}
	if got, want := e.Error(), at.text(m); got != want {
		t.Errorf("on %d ranks:\n got %s\nwant %s", cfg.Ranks, got, want)
	}
	if e.Kind != m.kind || e.Pid != m.pid || e.Superstep != m.step {
		t.Errorf("on %d ranks: got kind %d, pid %d, superstep %d, want %d, %d, %d", cfg.Ranks, e.Kind, e.Pid, e.Superstep, m.kind, m.pid, m.step)
	}
}

// runOrHang is Run, but gives up after some seconds.
func runOrHang(t *testing.T, cfg bsplib.Config, program func(*bsplib.Proc, *none) error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- bsplib.Run(cfg, program) }()
	select {
	case err := <-result:
		return err
	case <-time.After(5 * time.Second):
		t.Fatalf("%s: hangs", bsptest.Describe(cfg))
		return nil
	}
}
