//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// survivor is a run of a waiter under migbsp run -survive.
type survivor struct {
	*exec.Cmd
	program string // of this run only
	exe     string // of its processes
	out     testrun.Buffer
	err     testrun.Buffer
}

// A waiter is a program that takes 5 s at least on three ranks, and no time without its pauses. It prints
// a checksum.
type waiter struct {
	path           string
	exe            string   // that runs it, "" for the program itself
	patient, quick []string // arguments
}

// goWaiter returns testdata/patient.
func goWaiter(libexec string) waiter {
	work := []string{"-stages", "2500", "-procs", "6", "-quiet"}
	return waiter{
		path:    filepath.Join(libexec, "patient"),
		patient: slices.Concat([]string{"-pause", "1ms", "-checkpoint-every", "200ms"}, work),
		quick:   slices.Concat([]string{"-ranks", "1", "-pause", "0s"}, work),
	}
}

// cWaiter compiles a program in C.
func cWaiter(t *testing.T) waiter {
	t.Helper()
	dir := testrun.Build(t, "mpi", "./cmd/bspcc")
	w := waiter{
		path:    filepath.Join(t.TempDir(), "patient"),
		exe:     filepath.Join(dir, "bspcc"),
		patient: []string{"-procs", "6", "-quiet", "-checkpoint-every", "200ms", "--", "2500", "1000"},
		quick:   []string{"-ranks", "1", "-procs", "6", "-quiet", "--", "2500", "0"},
	}
	testrun.Command{Words: []string{filepath.Join(dir, "bspcc"), "-Wall", "-Wextra", "-Werror", "-o", w.path, "testdata/patient.c"}}.Must(t)
	return w
}

// checksum returns the checksum of a run in one process.
func (w *waiter) checksum(t *testing.T) string {
	t.Helper()
	out := testrun.Command{Words: append([]string{w.path}, w.quick...)}.Must(t)
	found := checksum.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no checksum in %q", out)
	}
	return found[1]
}

// startSurvivor starts the program on three ranks, by words between -survive and its arguments. PROGRAM
// stands for it in them.
func startSurvivor(t *testing.T, tool string, w waiter, words []string, more ...string) *survivor {
	t.Helper()
	s := &survivor{program: filepath.Join(t.TempDir(), "patient")}
	must.Do(t, os.Link(w.path, s.program)) // whose processes are found by its path
	s.exe = cmp.Or(w.exe, s.program)
	line := []string{"run", "-survive", "6"}
	for _, word := range words {
		line = append(line, strings.ReplaceAll(word, "PROGRAM", s.program))
	}
	s.Cmd = exec.Command(tool, slices.Concat(line, more, w.patient)...)
	s.Dir = t.TempDir()
	s.Env = append(os.Environ(), "MIGBSP_CONFIG="+os.DevNull, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	s.Stdout, s.Stderr, s.WaitDelay = &s.out, &s.err, 10*time.Second
	must.Do(t, s.Start())
	hanging := time.AfterFunc(4*time.Minute, func() { s.Process.Kill() })
	t.Cleanup(func() { hanging.Stop() })
	return s
}

// ranks returns the processes of the program that are ranks, all those with the watchers.
func (s *survivor) ranks() (ranks, all []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range found {
		if at, err := os.Readlink(exe); err != nil || at != s.exe {
			continue
		}
		pid := 0
		fmt.Sscan(filepath.Base(filepath.Dir(exe)), &pid)
		all = append(all, pid)
		if line, _ := os.ReadFile(filepath.Dir(exe) + "/cmdline"); strings.HasPrefix(string(line), s.program) {
			ranks = append(ranks, pid)
		}
	}
	return ranks, all
}

// running waits until three ranks run and are watched, not counting others. It returns nil if the
// run has ended.
func (s *survivor) running(t *testing.T, others []int) []int {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		ranks, all := s.ranks()
		news := slices.DeleteFunc(ranks, func(pid int) bool { return slices.Contains(others, pid) })
		if len(news) == 3 && len(all) > len(ranks) {
			return news
		}
		if syscall.Kill(s.Process.Pid, 0) != nil || s.ended() {
			return nil
		}
		if time.Now().After(end) {
			t.Fatalf("the ranks do not run: %v of %v\n%s", news, all, s.err.String())
		}
	}
}

// ended reports whether the tool is a zombie.
func (s *survivor) ended() bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	return strings.Contains(string(text), ") Z ")
}

// gone checks that no process of the program is left.
func (s *survivor) gone(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, all := s.ranks()
		if len(all) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("processes %v are left", all)
			return
		}
	}
}

func parentOf(t *testing.T, pid int) (parent int) {
	text := string(must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t))
	must.Get(fmt.Sscan(strings.Fields(text[strings.LastIndexByte(text, ')')+1:])[1], &parent))(t)
	return parent
}

var checksum = regexp.MustCompile(`checksum[ :]+(\S+)`)

// A run whose ranks, or whose launcher, are killed at random moments ends with the checksum of an
// undisturbed run, and leaves no processes or files.
func TestUnderMPISurvive(t *testing.T) {
	launcher := testrun.MPI(t)
	tool, libexec := installation(t, "mpi", "./bsplib/testdata/patient")
	inGo, inC := goWaiter(libexec), cWaiter(t)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	line := append([]string{"--"}, launcher.On(3, testrun.Command{Words: []string{"PROGRAM"}}).Words...)
	for _, c := range []struct {
		name   string
		waiter waiter
		words  []string
		kills  int
		parent bool // the launcher is killed
	}{
		{"ranks of -np", inGo, []string{"-np", "3", "PROGRAM"}, 3, false},
		{"ranks of a command line", inGo, line, 3, false},
		{"the launcher", inGo, line, 1, true},
		{"ranks of a program in C", inC, line, 3, false},
	} {
		if c.parent && launcher.Hydra() {
			continue // a rank's parent is a proxy of mpiexec, which then ends with 255, as programs may
		}
		t.Run(c.name, func(t *testing.T) {
			records := t.TempDir()
			w := c.waiter
			w.patient = slices.Concat([]string{"-run-dir", filepath.Join(records, "run")}, w.patient)
			want, s := c.waiter.checksum(t), startSurvivor(t, tool, w, c.words)
			var before []int
			kills := 0
			for ; kills < c.kills; kills++ {
				ranks := s.running(t, before)
				if ranks == nil {
					break
				}
				before = append(before, ranks...)
				time.Sleep(time.Duration(200+random.IntN(800)) * time.Millisecond)
				victim := ranks[random.IntN(3)]
				if c.parent {
					victim = parentOf(t, victim)
				}
				syscall.Kill(victim, syscall.SIGKILL)
			}
			s.Wait()
			text := s.err.String()
			if got := checksum.FindStringSubmatch(s.out.String()); got == nil || got[1] != want || s.ProcessState.ExitCode() != 0 {
				t.Errorf("seed %d: code %d, %q, want checksum %s\n%s", seed, s.ProcessState.ExitCode(), s.out.String(), want, text)
			}
			if n := strings.Count(text, "; the program goes on from "); n != kills || kills == 0 {
				t.Errorf("seed %d: %d kills, it goes on %d times\n%s", seed, kills, n, text)
			}
			checkParts(t, records, kills+1)
			s.gone(t)
			if left := must.Names(t, s.Dir); len(left) > 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
}

// checkParts checks that the record of the last part has all parts, with the times of the losses.
func checkParts(t *testing.T, records string, n int) {
	t.Helper()
	names := must.Names(t, records)
	record := filepath.Join(records, names[len(names)-1])
	h, err := ledger.Read(record)
	if err != nil || len(h.Problems) > 0 {
		t.Errorf("%v, %+v", err, h)
		return
	}
	parts := h.Account.Parts
	if len(parts) != n || ledger.Span(parts, 0) <= 0 {
		t.Errorf("%s has the parts %+v, want %d", record, parts, n)
		return
	}
	for i, p := range parts[:n-1] {
		l := p.LossOf(&parts[i+1])
		if l.Starting <= 0 || p.Cause == "" || p.Began.IsZero() || strings.Contains(p.Cause, "is lost") && (p.Ranks != 3 || p.Last < p.First || l.Ending <= 0) {
			t.Errorf("part %d is %+v, its loss took %+v", i+1, p, l)
		}
	}
}

// refusing is a job that cannot be started.
type refusing struct{ starter }

func (refusing) prepare(context.Context) (line, lost []string, err error) {
	return nil, nil, errors.New("refused")
}

// A run that cannot be started leaves no directory.
func TestSurviveRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{loss.Variable, loss.SurviveVariable} {
		t.Setenv(name, "")
	}
	s := must.Get(newSupervisor(refusing{}, 2, io.Discard))(t)
	if _, err := s.run(context.Background()); err == nil || err.Error() != "refused" {
		t.Errorf("error %v, want refused", err)
	}
	if left := must.Names(t, "."); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// The program starts again if a rank was killed and no watcher saw it, but not after an error.
func TestSurviveKilledUnseen(t *testing.T) {
	s := &supervisor{most: 2, err: io.Discard}
	for code, want := range map[int]string{0: "", 1: "", 2: "", 137: "a rank was killed", 139: ""} {
		if gone, cause := s.judge(launch.Outcome{Code: code, Ran: true}, nil); cause != want || len(gone) > 0 {
			t.Errorf("code %d: cause %q, without hosts %v; want %q", code, cause, gone, want)
		}
	}
	if _, cause := s.judge(launch.Outcome{Code: 137, Ran: true, Asked: true}, nil); cause != "" {
		t.Errorf("a run that a signal has ended starts again: %s", cause)
	}
}

// A first SIGTERM ends the run with a checkpoint, from which it goes on. A second one ends it at
// once. Without the tool the ranks end. In no case a process is left.
func TestUnderMPISurviveSignals(t *testing.T) {
	testrun.MPI(t)
	tool, libexec := installation(t, "mpi", "./bsplib/testdata/patient")
	program := goWaiter(libexec)
	words := []string{"-np", "3", "PROGRAM"}
	for _, c := range []struct {
		name    string
		signals []syscall.Signal
		code    int
	}{
		{"once", []syscall.Signal{syscall.SIGTERM}, 75},
		{"twice", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 143},
		{"killed", []syscall.Signal{syscall.SIGKILL}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startSurvivor(t, tool, program, words)
			if s.running(t, nil) == nil {
				t.Fatal("it has ended")
			}
			time.Sleep(500 * time.Millisecond)
			for _, signal := range c.signals {
				s.Process.Signal(signal)
				time.Sleep(10 * time.Millisecond) // two signals of a kind at once are one
			}
			s.Wait()
			code := s.ProcessState.ExitCode()
			if code != c.code && !(c.name == "twice" && code == 75) { // the checkpoint was complete before
				t.Errorf("code %d, want %d\n%s", code, c.code, s.err.String())
			}
			s.gone(t)
			if code != 75 {
				return
			}
			from := must.Get(filepath.Glob(filepath.Join(s.Dir, "migbsp-survive-*", "checkpoints")))(t)
			if len(from) != 1 || !strings.Contains(s.err.String(), "-checkpoint "+from[0]+" -restart auto") {
				t.Fatalf("checkpoints in %v, it says\n%s", from, s.err.String())
			}
			next := startSurvivor(t, tool, program, words, "-checkpoint", from[0], "-restart", "auto")
			next.Wait()
			want := program.checksum(t)
			if got := checksum.FindStringSubmatch(next.out.String()); got == nil || got[1] != want {
				t.Errorf("it goes on to %v, want %v\n%s", got, want, next.err.String())
			}
		})
	}
}
