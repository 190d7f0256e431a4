package bsplib_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

func init() {
	mainPrograms["paced"] = func(b *bsplib.Proc, _ *none) error {
		stages := 100
		fmt.Sscan(os.Getenv("PACED_STAGES"), &stages)
		for range b.Stages(stages) {
			time.Sleep(50 * time.Millisecond)
		}
		if b.Pid() == 0 {
			fmt.Println("short")
		}
		return nil
	}
}

// On a terminal a run shows its progress in a line, which is removed before any other output:
// the program's, the account, or the error that ended the run.
func TestProgressOnATerminal(t *testing.T) {
	bsptest.InProcess(t)
	if testing.Short() {
		t.Skip("in real time, of other programs")
	}
	t.Parallel()
	p := livetest.NewPane(t, 100, 30)
	dir := t.TempDir()
	script := filepath.Join(dir, "paced")
	command := fmt.Sprintf("#!/bin/sh\nexec env %s=paced %s -procs 3 -ranks 2 \"$@\"\n", programEnv, os.Args[0])
	must.Do(t, os.WriteFile(script, []byte(command), 0o700))
	line := regexp.MustCompile(`: stage \d+ of \d+, \d+%, [0-9hms]+ to go, efficiency [01]\.\d\d`)
	shows := func(shown string) bool { return line.MatchString(shown) }
	gone := func(shown string) {
		t.Helper()
		if shows(shown) || strings.Contains(shown, "to go") {
			t.Errorf("the line is still there:\n%s", shown)
		}
	}

	p.Type("PACED_STAGES=80 " + script)
	p.Until("a line on progress", shows)
	gone(p.Until("the end", func(shown string) bool {
		return strings.Contains(shown, "\nshort\n") && strings.Contains(shown, "efficiency  ")
	}))

	p.Type("clear; PACED_STAGES=2000 " + script + "; echo code $?")
	p.Until("a line on progress", shows)
	p.Resize(40, 30)
	p.Until("a line of the new width", func(shown string) bool {
		return strings.Contains(shown, ": stage ") && !shows(shown) && within40(shown)
	})
	p.Press("C-c")
	gone(p.Shows("ended by signal 2", "code 130"))
	p.Resize(100, 30)

	// At once, because they mostly wait.
	p.Type(fmt.Sprintf("clear; (export PACED_STAGES=30; for how in quiet dumb file; do {\n"+
		"case $how in quiet) %[1]s -quiet ;; dumb) TERM=dumb %[1]s ;; file) %[1]s 2> %[2]s/said ;; esac\n"+
		"echo $how ends with $?; } & done; wait)", script, dir))
	p.Until("the end of all", func(shown string) bool {
		gone(shown)
		return strings.Count(shown, " ends with 0\n") == 3
	})
	if said, err := os.ReadFile(dir + "/said"); err != nil || strings.ContainsAny(string(said), "\r\x1b") {
		t.Errorf("%v, a file has %q", err, said)
	}
}

// within40 reports whether progress takes one line of 40 columns.
func within40(shown string) bool {
	for line := range strings.Lines(shown) {
		if strings.Contains(line, ": stage ") && len(strings.TrimSpace(line)) > 39 {
			return false
		}
	}
	return true
}

// heldScreen is a Progress that overwrites one line, and records whether it is shown.
type heldScreen struct {
	mu    sync.Mutex
	shown bool
	lines int
}

func (s *heldScreen) Show(string)                    { s.set(true, 1) }
func (s *heldScreen) Erase()                         { s.set(false, 0) }
func (s *heldScreen) Write(text []byte) (int, error) { return len(text), nil }

func (s *heldScreen) set(shown bool, lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown, s.lines = shown, s.lines+lines
}

func (s *heldScreen) now() (shown bool, lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown, s.lines
}

// The line is removed when a loop has ended, also if rank 0, which shows it, has lost its last
// process within the loop.
func TestProgressWhereRank0HasNoProcess(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	var screen heldScreen
	cfg := bsplib.Config{Procs: 2, Ranks: 2, Account: new(ledger.Account), Progress: &screen}
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, _ *none) error {
		later := 0 // stages with a line, which may come late on a busy machine
		for range b.Stages(2000) {
			if later < 30 {
				time.Sleep(50 * time.Millisecond)
			}
			if _, lines := screen.now(); lines > 0 {
				later++
				if b.Pid() == 0 {
					b.Migrate(bsplib.OnRank(1))
				}
			}
		}
		if shown, lines := screen.now(); shown || lines == 0 || b.Rank() != 1 {
			t.Errorf("process %d on rank %d: %d lines, one is there: %t", b.Pid(), b.Rank(), lines, shown)
		}
		return nil
	}))
}
