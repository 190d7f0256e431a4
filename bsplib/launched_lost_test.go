//go:build !mpi && linux

package bsplib_test

import (
	"bufio"
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

	"github.com/migbsp/migbsp/internal/testrun"
)

// patientRun is a run of testdata/patient that has begun.
type patientRun struct {
	*exec.Cmd
	program string
	pids    []int // by rank
	stderr  testrun.Buffer
	out     chan struct{} // closed at the end of the output
}

// startPatient starts the program on ranks and waits until they compute.
func startPatient(t *testing.T, launcher testrun.Launcher, ranks int, c testrun.Command) *patientRun {
	t.Helper()
	c = launcher.On(ranks, c)
	l := &patientRun{Cmd: exec.Command(c.Words[0], c.Words[1:]...), program: c.Words[slices.IndexFunc(c.Words, func(w string) bool { return filepath.Base(w) == "patient" })], out: make(chan struct{})}
	l.Env = append(os.Environ(), "MIGBSP_CONFIG="+os.DevNull, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	l.Env = append(l.Env, c.Env...)
	l.Stderr = &l.stderr
	stdout, err := l.StdoutPipe()
	if err == nil {
		err = l.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	hanging := time.AfterFunc(5*time.Minute, func() { l.Process.Kill() })
	t.Cleanup(func() { hanging.Stop() })
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s: it says %q, %v\n%s", c, line, err, l.stderr.String())
	}
	go func() {
		io.Copy(io.Discard, lines)
		close(l.out)
	}()
	l.pids = make([]int, ranks)
	for _, pid := range l.processes() {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for v := range strings.SplitSeq(string(environ), "\x00") {
			name, value, _ := strings.Cut(v, "=")
			if name == "OMPI_COMM_WORLD_RANK" || name == "PMI_RANK" {
				rank := 0
				fmt.Sscan(value, &rank)
				l.pids[rank] = pid
			}
		}
	}
	if slices.Contains(l.pids, 0) {
		t.Fatalf("%s: the ranks are %v", c, l.pids)
	}
	return l
}

// processes returns the processes of this run's program.
func (l *patientRun) processes() []int { return ranksOf(l.program) }

// left returns the remaining processes of the run, including its watchers.
func (l *patientRun) left() []int {
	return processesOf(l.program, func([]string) bool { return true })
}

// ranksOf returns the processes of a program that are ranks, not watchers.
func ranksOf(program string) []int {
	return processesOf(program, func(words []string) bool { return words[0] == program })
}

// processesOf returns the processes of a program whose command line satisfies is.
func processesOf(program string, is func(words []string) bool) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range all {
		if at, err := os.Readlink(exe); err != nil || at != program {
			continue
		}
		line, _ := os.ReadFile(filepath.Dir(exe) + "/cmdline")
		if pid := 0; is(strings.Split(string(line), "\x00")) {
			fmt.Sscan(filepath.Base(filepath.Dir(exe)), &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// end waits for the run's end and returns its exit code and its messages about ranks.
func (l *patientRun) end(t *testing.T) (code int, said []string) {
	t.Helper()
	<-l.out
	l.Wait()
	for line := range strings.Lines(l.stderr.String()) {
		if strings.HasPrefix(line, "patient: ") {
			said = append(said, strings.TrimSuffix(line, "\n"))
		}
	}
	for limit := time.Now().Add(20 * time.Second); len(l.left()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("processes %v are left", l.left())
		}
	}
	return l.ProcessState.ExitCode(), said
}

// If a rank is killed, any rank at any time, one line soon names it and the remedy, and no
// process is left behind.
func TestUnderMPILost(t *testing.T) {
	launcher := testrun.MPI(t)
	if !launcher.Hydra() { // its ranks do not yield
		t.Parallel()
	}
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	nodes := []string{"MIGBSP_SHM=on", "MIGBSP_SHM=off", "MIGBSP_NODE_SIZE=2", "MIGBSP_NODE_SIZE=3"}
	checkpoints := filepath.Join(t.TempDir(), "some where")
	for i, flags := range []string{"-balance off", "-shake", "-checkpoint-every 5stages -balance off", "-balance percent,guard=0", "-checkpoint-every 1stage -shake", "-table none -balance off", "-pause 0s", "-procs 17 -balance off"} {
		ranks := 2 + random.IntN(4)
		victim := random.IntN(ranks)
		if i < 2 {
			victim = 0
		}
		c := testrun.Line(program, flags)
		kept, stays := strings.Contains(flags, "checkpoint"), strings.Contains(flags, "-balance off")
		if kept {
			c.Words = append(c.Words, "-checkpoint", checkpoints)
		}
		c.Env = []string{nodes[i%len(nodes)]}
		l := startPatient(t, launcher, ranks, c)
		time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
		syscall.Kill(l.pids[victim], syscall.SIGKILL)
		begun := time.Now()
		code, said := l.end(t)
		want := fmt.Sprintf(`^patient: rank %d on \S+ is lost: ended by signal 9 \(killed\) in superstep \d+(, after stage \d+ of stage loop 0)?; there is no checkpoint to go on from`, victim)
		if !stays { // its processes may have left the victim, which then takes no part
			want = strings.Replace(want, "in superstep", "(while it had no processes and took no part|in superstep", 1)
			want = strings.Replace(want, "stage loop 0)?", "stage loop 0)?)", 1)
		}
		if kept {
			want = strings.Replace(want, "there is no checkpoint to go on from", fmt.Sprintf(`(newest checkpoint: %[1]s/patient-\w+-\d+; to go on from it:  mpi\w+ \.\.\. %[2]s .*-restart '%[1]s/patient-\w+-\d+'$|there is no checkpoint yet)`, checkpoints, program), 1)
		}
		var lost []string
		for _, line := range said {
			if strings.Contains(line, " lost: ") {
				lost = append(lost, line)
			}
		}
		if len(lost) != 1 || !regexp.MustCompile(want).MatchString(lost[0]) || code == 0 {
			t.Errorf("%s, rank %d is killed: code %d, it says\n%s\nwant one line like %s\n%s", c, victim, code, strings.Join(said, "\n"), want, l.stderr.String())
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Logf("%s: %v until the end", c, took)
		}
	}
}

// A rank that cannot allocate memory is named with that cause.
func TestUnderMPIOutOfMemory(t *testing.T) {
	launcher := testrun.MPI(t)
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	c := launcher.On(3, testrun.Line(program, "-balance off -quiet -greedy 1"))
	c.Env = append(c.Env, "GOTRACEBACK=")
	r := c.Run(t)
	lost := regexp.MustCompile(`(?m)^patient: rank 1 on \S+ is lost: out of memory: ended by signal 6 \(aborted\) in superstep \d+`)
	if r.Code == 0 || r.Code == 2 || len(lost.FindAllString(r.Err, -1)) != 1 {
		t.Errorf("code %d, it says %.1000q and at the end %q", r.Code, r.Err, r.Err[max(0, len(r.Err)-2000):])
	}
}

// A request to all ranks to end is not reported as a loss.
func TestUnderMPIAskedToEnd(t *testing.T) {
	launcher := testrun.MPI(t)
	if !launcher.Hydra() { // its ranks do not yield
		t.Parallel()
	}
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		for _, nodes := range []string{"MIGBSP_SHM=on", "MIGBSP_SHM=off"} {
			c := testrun.Line(program, "")
			c.Env = []string{nodes}
			l := startPatient(t, launcher, 3, c)
			l.Process.Signal(s)
			if _, said := l.end(t); slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, " lost: ") }) {
				t.Errorf("%v to the launcher, %s: %q", s, nodes, said)
			}
		}
	}
}

// A rank that is stopped is named, and the run continues when the rank does.
func TestUnderMPIStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 35 s")
	}
	launcher := testrun.MPI(t)
	t.Parallel()
	program := filepath.Join(testrun.Build(t, "mpi", "./bsplib/testdata/patient"), "patient")
	c := testrun.Line(program, "-stages 300 -pause 5ms -quiet -balance off")
	c.Env = []string{"MIGBSP_NODE_SIZE=2"}
	l := startPatient(t, launcher, 3, c)
	syscall.Kill(l.pids[2], syscall.SIGSTOP)
	for ended := false; !ended && !strings.Contains(l.stderr.String(), "stopped"); { // which a busy host delays
		select {
		case <-l.out:
			ended = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	syscall.Kill(l.pids[2], syscall.SIGCONT)
	code, said := l.end(t)
	want := regexp.MustCompile(`^patient: rank 2 on \S+ has been stopped by a signal for \d\d s in superstep \d+, after stage \d+ of stage loop 0; (another rank waits|2 ranks wait) for it
patient: rank 2 goes on, after \d\d s$`)
	if text := strings.Join(said, "\n"); code != 0 || !want.MatchString(text) {
		t.Errorf("code %d, it says\n%s", code, text)
	}
}
