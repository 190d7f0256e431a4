package bsplib_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// lasting builds the program of that name.
func lasting(t *testing.T, tags string) string {
	t.Helper()
	return filepath.Join(testrun.Build(t, tags, "./bsplib/testdata/lasting"), "lasting")
}

// ran runs a program with variables set and returns its exit code and output.
func ran(t *testing.T, environ []string, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), environ...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	hanging := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer hanging.Stop()
	cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), messages.String()
}

var checksumLine = regexp.MustCompile(`checksum  [0-9a-f]{16}`)

// A program that receives the signal writes a checkpoint and ends with code 75;
// run again, on other ranks, it continues and has the same result.
func TestSignalAndRestart(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	program, dir := lasting(t, ""), t.TempDir()
	_, want, _ := ran(t, nil, program, "-procs", "5", "-quiet")
	args := []string{program, "-checkpoint", dir, "-restart", "auto", "-run-dir", filepath.Join(dir, "runs", "a")}
	code, _, stderr := ran(t, []string{"LASTING_SIGNAL=7:all"}, append(args, "-procs", "5", "-ranks", "3")...)
	if code != bsplib.ExitCheckpointed || !strings.Contains(stderr, "lasting: no complete checkpoint in "+dir+": the program begins anew\n") ||
		!strings.Contains(stderr, "lasting: checkpointed: "+dir+"/lasting-") {
		t.Fatalf("code %d, %q", code, stderr)
	}
	records, _ := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if len(records) != 1 {
		t.Fatalf("records: %q", records)
	}
	h, err := ledger.Read(records[0])
	if err != nil || len(h.Problems) > 0 || h.End == nil || h.End.Code != 75 || h.Account.Steps() < 17 || !strings.Contains(h.End.Reason, "checkpointed: ") {
		t.Errorf("the record: %v, %+v", err, h)
	}
	code, stdout, stderr := ran(t, nil, append(args, "-ranks", "2")...)
	if code != 0 || checksumLine.FindString(stdout) != checksumLine.FindString(want) || checksumLine.FindString(want) == "" {
		t.Errorf("code %d, %q, %q, want %q", code, stdout, stderr, want)
	}
	if !strings.HasPrefix(stderr, "lasting: goes on from "+dir+"/lasting-") || !strings.Contains(stderr, " by 3 ranks: ") {
		t.Errorf("it says %q", stderr)
	}
	if h, err := ledger.Read(records[0] + "-2"); err != nil || len(h.Problems) > 0 || !strings.Contains(h.Account.Run().Restarted, dir) || h.Account.Steps() > 70 || len(h.Account.Check()) > 0 {
		t.Errorf("the record: %v, %+v", err, h)
	}
}

// If the newest checkpoint is damaged, auto restarts from the previous one and prints a message.
// A damaged checkpoint given by name is refused, and the message names the previous one.
func TestDamagedCheckpoint(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	_, want, _ := ran(t, nil, program, "-procs", "4", "-ranks", "2", "-balance", "off", "-quiet", "-checkpoint", dir, "-checkpoint-every", "15stages")
	all := checkpointsIn(t, dir)
	if len(all) != 2 {
		t.Fatalf("there is %q", all)
	}
	older, part := filepath.Join(dir, all[0]), filepath.Join(dir, all[1], "rank-00000.part")
	manifest := filepath.Join(dir, all[1], "manifest.json")
	auto := func(names string) {
		t.Helper()
		code, stdout, stderr := ran(t, nil, program, "-checkpoint", dir, "-restart", "auto", "-ranks", "3", "-quiet")
		if code != 0 || stdout != want || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, names+": damaged: ") || !strings.HasSuffix(stderr, "; the newest good one is "+older+"\n") {
			t.Errorf("code %d, %q, %q", code, stdout, stderr)
		}
	}
	changed(t, part, func(b []byte) []byte { b[len(b)/2]++; return b })
	code, _, stderr := ran(t, nil, program, "-checkpoint", dir, "-restart", dir)
	if code != 2 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, part+": damaged: ") || !strings.HasSuffix(stderr, "; the checkpoint before is "+older+"\n") {
		t.Errorf("code %d, %q", code, stderr)
	}
	auto(part)
	changed(t, manifest, func(b []byte) []byte { return bytes.Replace(b, []byte(`"procs": 4`), []byte(`"procs": 5`), 1) })
	auto(manifest + ":1:1")
	changed(t, filepath.Join(older, "rank-00000.part"), func(b []byte) []byte { b[len(b)/2]++; return b })
	if code, _, stderr := ran(t, nil, program, "-checkpoint", dir, "-restart", "auto"); code != 2 || !strings.HasSuffix(stderr, "damaged: process 0 has the digest") && !strings.Contains(stderr, older) {
		t.Errorf("there is no good one: code %d, %q", code, stderr)
	}
	changed(t, filepath.Join(older, "rank-00000.part"), func(b []byte) []byte { b[len(b)/2]--; return b })
	if code, stdout, stderr := ran(t, nil, program, "-restart", older, "-quiet"); code != 0 || stdout != want {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
}

// renumbered changes the number in a manifest, and its digest.
func renumbered(t *testing.T, path string, number int) {
	t.Helper()
	changed(t, filepath.Join(path, "manifest.json"), func(text []byte) []byte {
		text = regexp.MustCompile(`"number": \d+`).ReplaceAll(text, fmt.Appendf(nil, `"number": %d`, number))
		digest := regexp.MustCompile(`"digest": "([0-9a-f]{64})"`).FindSubmatchIndex(text)
		copy(text[digest[2]:], strings.Repeat("0", 64))
		copy(text[digest[2]:], fmt.Sprintf("%x", sha256.Sum256(text)))
		return text
	})
}

// A damaged checkpoint whose manifest has a higher number than its directory is skipped, with one
// line.
func TestRenumberedCheckpoint(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	_, want, _ := ran(t, nil, program, "-procs", "4", "-ranks", "2", "-balance", "off", "-quiet", "-checkpoint", dir, "-checkpoint-every", "10stages")
	all := checkpointsIn(t, dir)
	if len(all) != 2 {
		t.Fatalf("there is %q", all)
	}
	older, newest := filepath.Join(dir, all[0]), filepath.Join(dir, all[1])
	renumbered(t, newest, 9)
	changed(t, filepath.Join(newest, "rank-00000.part"), func(b []byte) []byte { b[len(b)/2]++; return b })
	line := newest + " was renamed or copied: its manifest is the manifest of " + all[1][:len(all[1])-1] + "9"
	code, stdout, stderr := ran(t, nil, program, "-checkpoint", dir, "-restart", "auto", "-ranks", "3", "-quiet")
	if code != 0 || stdout != want || stderr != "lasting: warning: "+line+"; the newest good one is "+older+"\n" {
		t.Errorf("code %d, %q, %.1000q", code, stdout, stderr)
	}
	for _, named := range []string{dir, newest} {
		if code, _, stderr := ran(t, nil, program, "-restart", named, "-quiet"); code != 2 || stderr != "lasting: -restart "+named+": "+line+"\n" {
			t.Errorf("code %d, %.1000q", code, stderr)
		}
	}
}

// A second run that writes checkpoints to a directory in use is refused, whether or not the first one
// has checkpoints yet. The directory is free when the first run is killed.
func TestDirectoryInUse(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	first := exec.Command(program, "-procs", "2", "-pause", "1h", "-checkpoint", dir, "-quiet")
	must.Do(t, first.Start())
	defer first.Wait()
	defer first.Process.Kill()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) { // until it has the lock
		if time.Since(begun) > 2*time.Minute {
			t.Fatal("the directory is not locked")
		}
		if all, _ := filepath.Glob(filepath.Join(dir, ".lock-*")); len(all) > 0 {
			if text, err := os.ReadFile(all[0]); err == nil && len(text) > 0 {
				break
			}
		}
	}
	host, _ := os.Hostname()
	for _, more := range []string{"-procs 2", "-procs 3 -checkpoint-every 1h"} {
		code, _, stderr := ran(t, nil, append([]string{program, "-quiet", "-checkpoint", dir}, strings.Fields(more)...)...)
		want := fmt.Sprintf("lasting: -checkpoint %s: another run writes checkpoints there: lasting, pid %d on %s, since ", dir, first.Process.Pid, host)
		if code != 2 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, want) || !strings.HasSuffix(stderr, "; name another directory, or end that run\n") {
			t.Errorf("code %d, %q, want %q", code, stderr, want)
		}
	}
	if code, _, stderr := ran(t, nil, program, "-quiet", "-procs", "2", "-n", "1"); code != 0 {
		t.Errorf("a run without checkpoints: code %d, %q", code, stderr)
	}
	first.Process.Kill()
	first.Wait()
	if code, _, stderr := ran(t, nil, program, "-quiet", "-procs", "2", "-checkpoint", dir); code != 0 || stderr != "" {
		t.Errorf("after the first run: code %d, %q", code, stderr)
	}
}

// Runs that restart in the same directory at once compute one after the other, and none loses a
// checkpoint.
func TestRestartsAtOnce(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	_, want, _ := ran(t, nil, program, "-procs", "4", "-quiet")
	if code, _, stderr := ran(t, []string{"LASTING_SIGNAL=3:all"}, program, "-procs", "4", "-quiet", "-checkpoint", dir); code != 75 {
		t.Fatalf("code %d, %q", code, stderr)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			code, stdout, stderr := ran(t, nil, program, "-quiet", "-checkpoint", dir, "-checkpoint-every", "1stages", "-restart", "auto")
			if code != 0 || stdout != want || strings.Contains(stderr, "warning: ") {
				t.Errorf("code %d, %q, %q", code, stdout, stderr)
			}
		})
	}
	all.Wait()
}

// Invalid flags, and flags that contradict the checkpoint, are refused with
// code 2; a signal that cannot lead to a checkpoint is reported.
func TestCheckpointFlags(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	if code, _, stderr := ran(t, []string{"LASTING_SIGNAL=3:all"}, program, "-procs", "2", "-checkpoint", dir); code != 75 {
		t.Fatalf("code %d, %s", code, stderr)
	}
	path := filepath.Join(dir, checkpointsIn(t, dir)[0])
	for _, c := range []struct {
		environ, args string
		code          int
		stderr        string // the one line printed; PATH is the checkpoint's, DIR its directory
	}{
		{"", "-restart PATH -n 41", 2, `-restart PATH: -n is "41" here, "40" in PATH`},
		{"", "-restart PATH -procs 3", 2, "-restart PATH: -procs is 3 here, 2 in PATH"},
		{"", "-restart nowhere", 2, "-restart nowhere: no such file or directory"},
		{"", "-checkpoint /dev/null/x", 2, "-checkpoint /dev/null/x: no checkpoint can be written there: /dev/null: not a directory"},
		{"", "-restart auto", 2, "-restart auto: there is no -checkpoint directory to look in (see lasting -help)"},
		{"", "-checkpoint-every 5m", 2, "-checkpoint-every 5m: there is no -checkpoint directory to write to (see lasting -help)"},
		{"", "-checkpoint DIR -checkpoint-every 5", 2, "-checkpoint-every 5: \"5\", expected a time such as 10m, a number of stages such as 100stages, or auto (see lasting -help)"},
		{"", "-checkpoint DIR/%t", 2, "-checkpoint DIR/%t: %t would be another directory in each run (see lasting -help)"},
		{"LASTING_FIXED=1", "-checkpoint DIR", 1, "-checkpoint DIR: values of type struct { Stop chan int } cannot move:\n\tstate.Stop: chan int: a channel belongs to one process"},
		{"LASTING_SIGNAL=3:all", "-quiet", 0, "SIGUSR1 asks for a checkpoint, but there is no -checkpoint directory for it; the run goes on"},
		{"", "-quiet -restart DIR", 0, ""},
		{"", "-quiet -checkpoint DIR/new -restart auto", 0, ""},
	} {
		args := strings.Fields(strings.NewReplacer("PATH", path, "DIR", dir).Replace(c.args))
		want := strings.NewReplacer("PATH", path, "DIR", dir).Replace(c.stderr)
		if want != "" {
			want = "lasting: " + want + "\n"
		}
		if code, _, stderr := ran(t, []string{c.environ}, append([]string{program}, args...)...); code != c.code || stderr != want {
			t.Errorf("%s: code %d, %q, want %d, %q", c.args, code, stderr, c.code, want)
		}
	}
}

// A program that is killed while it writes one checkpoint after the other can
// restart from the last complete one.
func TestKilledWhileWriting(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	program, dir := lasting(t, ""), t.TempDir()
	const size = "-words=200000"
	_, want, _ := ran(t, nil, program, "-procs", "4", size, "-quiet")
	kills := 8
	if testing.Short() {
		kills = 3
	}
	for range kills {
		cmd := exec.Command(program, "-procs", "4", size, "-checkpoint", dir, "-checkpoint-every", "1stage", "-restart", "auto", "-quiet")
		must.Do(t, cmd.Start())
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}
	code, stdout, stderr := ran(t, nil, program, size, "-procs", "4", "-checkpoint", dir, "-checkpoint-every", "5stages", "-restart", "auto", "-quiet", "-ranks", "3")
	if code != 0 || stdout != want {
		t.Errorf("code %d, %q, %q, want %q", code, stdout, stderr, want)
	}
	if all := checkpointsIn(t, dir); len(all) > 2 {
		t.Errorf("there is %q", all)
	}
}

// On a disk with space for only one checkpoint, the first stays, and the run
// goes on with one warning.
func TestDiskIsFull(t *testing.T) {
	bsptest.InProcess(t)
	program, dir := lasting(t, ""), t.TempDir()
	script := `mount -t tmpfs -o size=3m none "$1" || exit 99
"$0" -procs 4 -words 50000 -checkpoint "$1" -checkpoint-every 3stages -quiet || exit
"$0" -words 50000 -ranks 3 -restart "$1" -quiet
`
	cmd := exec.Command("sh", "-c", script, program, dir)
	cmd.SysProcAttr = privateMounts()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 {
		t.Skipf("a small disk cannot be made: %v %s", err, &stderr)
	}
	sums := checksumLine.FindAllString(stdout.String(), -1)
	if code := cmd.ProcessState.ExitCode(); code != 0 || len(sums) != 2 || sums[0] != sums[1] {
		t.Errorf("code %d, %s", code, &stdout)
	}
	if !strings.Contains(stderr.String(), "warning: no checkpoint: rank ") || !strings.Contains(stderr.String(), "no space left on device; the run goes on") || strings.Count(stderr.String(), "\n") > 4 {
		t.Errorf("it says %q", &stderr)
	}
}

// The programs of this module have the same result from each checkpoint that a
// run has left, on other ranks, also with all processes moving.
func TestAppsGoOn(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	bin := testrun.Build(t, "", "./apps/lu", "./apps/fractal", "./apps/prefixsum")
	for _, c := range []struct{ program, args, every string }{
		{"lu", "-n 150 -block 8", "7stages"},
		{"lu", "-n 60 -block 1 -pivot none", "20stages"},
		{"prefixsum", "-show", "2stages"},
		{"fractal", "-size 70", "4stages"},
	} {
		dir, words := t.TempDir(), append([]string{filepath.Join(bin, c.program), "-quiet"}, strings.Fields(c.args)...)
		code, want, stderr := ran(t, nil, append(words, "-procs", "9", "-checkpoint", dir, "-checkpoint-every", c.every)...)
		all := checkpointsIn(t, dir)
		if code != 0 || len(all) != 2 {
			t.Errorf("%s %s: code %d, %q, checkpoints %q", c.program, c.args, code, stderr, all)
		}
		for _, name := range all {
			for _, more := range []string{"-ranks 1", "-ranks 4 -shake", "-ranks 9 -balance off"} {
				args := append(append(words[:len(words):len(words)], "-restart", filepath.Join(dir, name)), strings.Fields(more)...)
				code, got, stderr := ran(t, nil, args...)
				if code != 0 || timeless(got) != timeless(want) {
					t.Errorf("%q: code %d, %q, %q, want %q", args, code, got, stderr, want)
				}
			}
		}
	}
}

// timeless returns a program's output without the line of its speed.
func timeless(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "time ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
