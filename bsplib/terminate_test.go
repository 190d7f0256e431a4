//go:build unix

package bsplib_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// terminated starts the program lasting, sends it signals, each once a text is on its standard error
// ("" once it runs), and returns its exit code and messages.
func terminated(t *testing.T, args string, signals map[string]syscall.Signal, texts ...string) (code int, said string) {
	t.Helper()
	record := filepath.Join(t.TempDir(), "run")
	run := exec.Command(lasting(t, ""), append(strings.Fields(args), "-procs", "4", "-ranks", "2", "-run-dir", record)...)
	var out testrun.Buffer
	run.Stderr = &out
	must.Do(t, run.Start())
	hanging := time.AfterFunc(2*time.Minute, func() { run.Process.Kill() })
	defer hanging.Stop()
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	for _, text := range texts {
		for ready := false; !ready; time.Sleep(2 * time.Millisecond) {
			_, err := os.Stat(filepath.Join(record, "run.jsonl"))
			ready = err == nil && strings.Contains(out.String(), text) || len(ended) > 0
		}
		run.Process.Signal(signals[text])
	}
	<-ended
	return run.ProcessState.ExitCode(), out.String()
}

// A first SIGTERM or interrupt ends a program with a checkpoint, if it has a directory for one. Another
// one ends it at once, and so does the first after SIGUSR1.
func TestTerminateWithACheckpoint(t *testing.T) {
	bsptest.InProcess(t)
	const asked = "the run ends when it has written a checkpoint"
	once := map[string]syscall.Signal{"": syscall.SIGTERM}
	for name, c := range map[string]struct {
		args       string
		checkpoint bool
		signals    map[string]syscall.Signal
		texts      []string
		code       int
		says       string
	}{
		"SIGTERM":      {"-pause 5ms -n 400", true, once, []string{""}, 75, "lasting: checkpointed: "},
		"interrupt":    {"-pause 5ms -n 400", true, map[string]syscall.Signal{"": syscall.SIGINT}, []string{""}, 75, "lasting: signal 2 (interrupt): the run ends when"},
		"twice":        {"-pause 20s", true, map[string]syscall.Signal{"": syscall.SIGTERM, asked: syscall.SIGTERM}, []string{"", asked}, 143, "ended by signal 15"},
		"another":      {"-pause 20s", true, map[string]syscall.Signal{"": syscall.SIGTERM, asked: syscall.SIGINT}, []string{"", asked}, 130, "ended by signal 2"},
		"no directory": {"-pause 20s", false, once, []string{""}, 143, "ended by signal 15"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := c.args
			if c.checkpoint {
				args += " -checkpoint " + t.TempDir()
			}
			code, said := terminated(t, args, c.signals, c.texts...)
			if code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("code %d, want %d\n%s", code, c.code, said)
			}
		})
	}
}

// Before its time ends a program writes a checkpoint and ends with code 75.
func TestTimeLimit(t *testing.T) {
	bsptest.InProcess(t)
	args := []string{lasting(t, ""), "-pause", "20ms", "-n", "150", "-procs", "4", "-ranks", "2", "-checkpoint", t.TempDir()}
	begun := time.Now()
	code, _, said := ran(t, nil, append(args, "-time-limit", "7s")...)
	if took := time.Since(begun); code != 75 || took < 100*time.Millisecond || !strings.Contains(said, "lasting: checkpointed: ") {
		t.Errorf("code %d after %v\n%s", code, took, said)
	}
	code, _, said = ran(t, nil, append(args, "-restart", "auto")...)
	if code != 0 || !strings.Contains(said, "goes on from ") {
		t.Errorf("code %d\n%s", code, said)
	}
}
