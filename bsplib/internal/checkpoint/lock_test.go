package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// locked acquires a lock without patience, and returns the lines that Acquire prints.
func locked(t *testing.T, dir string) (l *Lock, said string, err error) {
	t.Helper()
	l, err = Acquire(dir, &Caller{Program: "program", Job: "12"}, 0, func(line string) { said += line + "\n" })
	return l, said, err
}

// A second run is refused, with a description of the first, until that has ended.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	first, said, err := locked(t, dir)
	if err != nil || said != "" {
		t.Fatalf("%v, %q", err, said)
	}
	_, _, err = locked(t, dir)
	inUse, is := errors.AsType[*InUse](err)
	host, _ := os.Hostname()
	if want := fmt.Sprintf("program, pid %d on %s, job 12, since ", os.Getpid(), host); !is || !strings.HasPrefix(inUse.Holder, want) {
		t.Errorf("%v, want a holder such as %s", err, want)
	}
	if _, _, err := locked(t, filepath.Join(dir, "other")); err != nil {
		t.Errorf("another directory: %v", err)
	}
	first.Release()
	if exists(first.name) {
		t.Error("the file stays")
	}
	second, said, err := locked(t, dir)
	if err != nil || said != "" {
		t.Errorf("after the first: %v, %q", err, said)
	}
	second.Release()
	(*Lock)(nil).Release()
	must.Do(t, (*Lock)(nil).confirm())
}

// A run with patience prints once that it waits, and continues when the other run has ended.
func TestLockWaits(t *testing.T) {
	dir := t.TempDir()
	first, _, _ := locked(t, dir)
	said := make(chan string, 10)
	go func() {
		<-said
		first.Release()
	}()
	second, err := Acquire(dir, &Caller{Program: "second"}, time.Hour, func(line string) { said <- line })
	if err != nil || len(said) > 0 {
		t.Errorf("%v, and %d more lines", err, len(said))
	}
	defer second.Release()
	_, err = Acquire(dir, &Caller{Program: "third"}, 3*lockPace, func(line string) { said <- line })
	if _, is := errors.AsType[*InUse](err); !is || len(said) != 1 {
		t.Fatalf("%v, and %d lines", err, len(said))
	}
	if line := <-said; !strings.HasPrefix(line, "another run writes checkpoints there: second, pid ") || !strings.HasSuffix(line, "; waiting up to 300ms for that run to end") {
		t.Errorf("it says %q", line)
	}
}

// Without locks a run continues with a warning. A run whose directory was taken over by another
// writes and removes no files there, and prints the reason.
func TestNoLocks(t *testing.T) {
	dir := t.TempDir()
	unlocked := func(program string) *Lock {
		said := ""
		l := must.Get(acquire(dir, &Caller{Program: program}, time.Hour, func(line string) { said += line + "\n" },
			func(*os.File) error { return errors.New("no locks available") }))(t)
		if want := "warning: files cannot be locked: no locks available; no other run may write checkpoints there now\n"; said != want {
			t.Errorf("it says %q, want %q", said, want)
		}
		return l
	}
	e := newEngine(t, 2, Settings{Dir: dir, EveryStages: 1})
	e.keepers[0].settings.Lock = unlocked("first")
	e.end(t, true)
	from := must.Get(Find(dir))(t)
	other := newEngine(t, 1, Settings{Dir: dir, EveryStages: 1, From: from})
	e.broken = func(rank, _ int) error { // while the first run writes its second checkpoint
		if rank == 0 && other.keepers[0].settings.Lock == nil {
			other.keepers[0].settings.Lock = unlocked("second")
		}
		return nil
	}
	e.end(t, true)
	other.end(t, true)
	other.end(t, true)
	names := must.Names(t, dir)
	e.end(t, true)
	if got := must.Names(t, dir); strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the first run changes %q to %q", names, got)
	}
	if !strings.Contains(e.tell.String(), "warning: an old checkpoint stays: another run writes checkpoints there: second, pid ") ||
		!strings.Contains(e.tell.String(), "warning: no checkpoint: another run writes checkpoints there: second, pid ") {
		t.Errorf("the first run says %q", &e.tell)
	}
	if s := must.Get(Newest(dir, nil))(t); readBack(s, all) != nil {
		t.Errorf("%v cannot be read", s)
	}
}

// A lock survives the removal of its directory.
func TestLockRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	l, _, _ := locked(t, dir)
	must.Do(t, os.RemoveAll(dir))
	must.Do(t, l.confirm())
	if _, _, err := locked(t, dir); err == nil {
		t.Error("the directory is free")
	}
	must.Do(t, os.RemoveAll(dir))
	l.Release()
	if exists(dir) {
		t.Error("the end of a run makes its directory again")
	}
}

// A lock file that is not a regular file is refused.
func TestLockFiles(t *testing.T) {
	for _, kind := range []string{"link", "directory"} {
		dir := t.TempDir()
		l, _, _ := locked(t, dir)
		l.Release()
		victim := filepath.Join(t.TempDir(), "victim")
		must.Write(t, victim, "precious", 0o600)
		if kind == "link" {
			must.Do(t, os.Symlink(victim, l.name))
		} else {
			must.Do(t, os.Mkdir(l.name, 0o700))
		}
		if _, _, err := locked(t, dir); err == nil || !strings.Contains(err.Error(), l.name) {
			t.Errorf("a %s: %v", kind, err)
		}
		if text := must.Get(os.ReadFile(victim))(t); string(text) != "precious" {
			t.Errorf("a %s: the file now contains %q", kind, text)
		}
	}
}

// Runs that resume from the same directory at the same time run one after the other, and lose no
// checkpoint.
func TestRunsInTurn(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, 1, Settings{Dir: dir, EveryStages: 1})
	e.end(t, true)
	const runs, each = 5, 3
	var all sync.WaitGroup
	for run := range runs {
		all.Go(func() {
			l, err := Acquire(dir, &Caller{Program: fmt.Sprint(run)}, time.Hour, func(string) {})
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Release()
			from, err := Newest(dir, nil)
			if err != nil {
				t.Error(err)
				return
			}
			e := newEngine(t, 2, Settings{Dir: dir, EveryStages: 1, From: from})
			e.keepers[0].settings.Lock = l
			for range each {
				e.end(t, true)
			}
			if e.tell.Len() > 0 {
				t.Errorf("run %d says %q", run, &e.tell)
			}
		})
	}
	all.Wait()
	if s := must.Get(Newest(dir, nil))(t); s.Manifest.Number != 1+runs*each || s.Before() == nil {
		t.Errorf("the newest is %v, want number %d", s, 1+runs*each)
	}
}
