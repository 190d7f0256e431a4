package bsplib_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

func init() {
	mainPrograms["staged"] = func(b *bsplib.Proc, _ *none) error {
		for range b.Stages(40) {
			b.Sync()
		}
		b.Report(bsplib.Result{Title: "Stages", Size: "40", Seconds: 1, Work: 3e6, Unit: "flop",
			Checks: []bsplib.ResultCheck{{Name: "wrong", Passed: true}}, Checksum: "0123"})
		return nil
	}
}

func said(t *testing.T, code int, program string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd, out, messages := started(program, args...)
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%s %v: exit code %d, want %d; stderr %q", program, args, got, code, messages)
	}
	return out.String(), messages.String()
}

// A program writes a record on request, which contains its printed output.
func TestRunDirectory(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs", "1")
	out, _ := said(t, 0, "staged", "-run-dir", dir, "-table", "full")
	h, err := ledger.Read(dir)
	if err != nil || len(h.Problems) > 0 || h.End == nil {
		t.Fatal(err, h)
	}
	if h.Account.Run().Program != "program" || h.Account.Run().Procs != 3 || len(h.Account.Run().Ranks) != 2 || h.Account.Steps() != 81 || h.End.Result.Checksum != "0123" || h.End.Machine == nil {
		t.Errorf("run %+v, %d supersteps, end %+v", h.Account.Run(), h.Account.Steps(), h.End)
	}
	for _, want := range []string{"Stages", "Supersteps         = 81", "Mflop/s total      = 3", "SUCCESSFUL", "EFFICIENCY", "recording_test.go:24", "checksum  0123\n", "migbsp report " + dir} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ledger.SummaryName)); err != nil {
		t.Error(err)
	}
	_, stderr := said(t, 2, "staged", "-run-dir", dir)
	if !strings.Contains(stderr, "has the record of a run already") {
		t.Errorf("a second run in one directory: %q", stderr)
	}
	if out, _ := said(t, 0, "staged"); strings.Contains(out, "record:") {
		t.Errorf("a run that was not to be recorded:\n%s", out)
	}
}

// Without an account, only the result is printed; so it is with -quiet, but a
// record is kept.
func TestQuiet(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	dir := t.TempDir()
	want := "Stages  40\ntime      1 s, 3 Mflop/s\ncheck     wrong = 0  PASSED\nchecksum  0123\n"
	for _, args := range [][]string{{"-quiet"}, {"-table", "none"}, {"-quiet", "-run-dir", dir}} {
		if out, stderr := said(t, 0, "staged", args...); out != want || stderr != "" {
			t.Errorf("%v: stdout %q, stderr %q", args, out, stderr)
		}
	}
	if h, err := ledger.Read(dir); err != nil || h.Account.Steps() != 81 {
		t.Errorf("%v: %+v", err, h)
	}
}

func TestFormats(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	var s tell.Summary
	out, _ := said(t, 0, "staged", "-format", "json")
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.Supersteps != 81 || s.Result == nil || len(s.Wrong) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	out, _ = said(t, 0, "staged", "-format", "csv", "-table", "ranks")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "rank,host,set,speed,procs,work_s,") {
		t.Errorf("CSV of ranks:\n%s", out)
	}
	if out, _ = said(t, 0, "staged", "-color", "always"); !strings.Contains(out, "\x1b[1m") {
		t.Errorf("no colours:\n%s", out)
	}
	_, stderr := said(t, 2, "staged", "-format", "xml")
	if !strings.Contains(stderr, "-format xml: there is no such format; there are text, csv, json") {
		t.Errorf("stderr %q", stderr)
	}
}

// A directory that cannot be written to is refused before the program runs.
func TestReadOnlyDirectory(t *testing.T) {
	bsptest.InProcess(t)
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o666))
	dirs := []string{filepath.Join(file, "run"), "/proc/run"}
	if os.Getuid() != 0 {
		closed := filepath.Join(t.TempDir(), "closed")
		os.Mkdir(closed, 0o555)
		dirs = append(dirs, closed)
	}
	for _, dir := range dirs {
		if out, stderr := said(t, 2, "staged", "-run-dir", dir); out != "" || !strings.HasPrefix(stderr, "program: -run-dir: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: stdout %q, stderr %q", dir, out, stderr)
		}
	}
}

// On a full disk the run goes on and prints a message; the result and the exit code are unaffected.
func TestFullDisk(t *testing.T) {
	bsptest.InProcess(t)
	dir := t.TempDir()
	program, stdout, stderr := started("staged", "-run-dir", dir)
	script := `mount -t tmpfs -o size=4k none "$1" && dd if=/dev/zero of="$1/full" bs=4k count=1 2>/dev/null || exit 99
shift; exec -a program "$@"`
	cmd := exec.Command("bash", append([]string{"-c", script, "sh", dir, program.Path}, program.Args[1:]...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = program.Env, stdout, stderr, privateMounts()
	if cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 {
		t.Skipf("a full disk cannot be made: %s", stderr)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	out, said := stdout.String(), stderr.String()
	if !strings.Contains(out, "checksum  0123") || strings.Contains(out, "record:") {
		t.Errorf("stdout:\n%s", out)
	}
	if strings.Count(said, "the run goes on") != 1 || !strings.Contains(said, "the result stands, but the record of the run is not complete") {
		t.Errorf("stderr %q", said)
	}
}

// The record of a run that fails or is interrupted has the reason.
func TestRecordOfRunsThatFail(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		program, reason string
	}{
		{"error", "the sum is wrong"}, {"abort", "enough"}, {"panic", "panic: here"}, {"notVerified", "the result is not verified"},
	} {
		dir := t.TempDir()
		said(t, 1, c.program, "-run-dir", dir)
		h, err := ledger.Read(dir)
		if err != nil || h.End == nil || h.End.Code != 1 || !strings.Contains(h.End.Reason, c.reason) {
			t.Errorf("%s: %v, end %+v", c.program, err, h.End)
		}
	}
}

// The record grows while a program runs, and ends with an entry for a signal.
func TestRecordGrows(t *testing.T) {
	bsptest.InProcess(t)
	dir := t.TempDir()
	cmd, _, _ := started("forever", "-quiet", "-run-dir", dir)
	must.Do(t, cmd.Start())
	defer cmd.Process.Kill()
	hanging := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer hanging.Stop()
	for steps := 0; steps < 2; {
		h, err := ledger.Read(dir)
		if err == nil && h.End != nil {
			t.Fatalf("it has ended: %+v", h.End)
		}
		if err == nil {
			steps = len(h.Steps)
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	h, err := ledger.Read(dir)
	if err != nil || h.End == nil || h.End.Code != 128+15 || !strings.Contains(h.End.Reason, "signal 15") || h.End.Supersteps != h.Account.Steps() || h.End.At <= 0 || len(h.Problems) > 0 {
		t.Errorf("%v: end %+v, %d supersteps, problems %q", err, h.End, h.Account.Steps(), h.Problems)
	}
}

// The last report of process 0 counts, on any rank.
func TestReport(t *testing.T) {
	for _, cfg := range bsptest.Configs(4) {
		var result bsplib.Result
		cfg.Result = &result
		cfg.Shake = true
		must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *none) error {
			for k := range b.Stages(5) {
				b.Report(bsplib.Result{Title: fmt.Sprintf("process %d in stage %d", b.Pid(), k)})
			}
			return nil
		}))
		if leads(cfg) && result.Title != "process 0 in stage 4" {
			t.Errorf("%s: %q", bsptest.Describe(cfg), result.Title)
		}
	}
}

// A rank 0 without processes still records the ends of supersteps and the
// program's progress.
func TestRecordOfEmptyRanks(t *testing.T) {
	for _, cfg := range []bsplib.Config{{Procs: 2, Ranks: 5}, {Procs: 3, Ranks: 2, Shake: true}} {
		bsptest.InProcess(t)
		h := recorded(t, cfg, func(b *bsplib.Proc, _ *none) error {
			for range b.Stages(10) {
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		if s := h.Account.Sites(); len(s) != 2 || s[0].Step.Count != 10 || !strings.HasPrefix(s[0].Step.Site, "recording_test.go:") {
			t.Errorf("%s: places %+v", bsptest.Describe(cfg), s)
		}
	}
}

// The remaining stages of a loop are known from its first stage on.
func TestProgress(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	for _, shake := range []bool{false, true} {
		h := recorded(t, bsplib.Config{Procs: 3, Ranks: 2, Shake: shake}, func(b *bsplib.Proc, _ *none) error {
			for range b.Stages(4) {
				time.Sleep(400 * time.Millisecond)
			}
			return nil
		})
		if len(h.Progress) == 0 {
			t.Fatal("no progress is told in two seconds")
		}
		for _, p := range h.Progress {
			if p.Stages > 0 && (p.Stages != 4 || p.Stage != p.Step-1) {
				t.Errorf("shake %t: stage %d of %d before superstep %d", shake, p.Stage, p.Stages, p.Step)
			}
		}
	}
}

// The account counts the bytes that leave ranks, by kind of link: Puts, HPPuts, Gets,
// messages and broadcasts between two ranks and within one, short and long.
func TestBytesByWay(t *testing.T) {
	bsptest.InProcess(t)
	const short, long = 100, 100_000
	for name, c := range map[string]struct {
		do   func(b *bsplib.Proc, area bsplib.Area[byte], to, n int)
		head int // allowed for each in addition to its bytes
	}{
		"Put":   {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.Put(to, 0, make([]byte, n)...) }, 200},
		"HPPut": {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.HPPut(to, 0, make([]byte, n)...) }, 200},
		"Get":   {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.Get(to, 0, make([]byte, n)) }, 200},
	} {
		for _, n := range []int{short, long} {
			h := recorded(t, bsplib.Config{Procs: 4, Ranks: 2}, func(b *bsplib.Proc, _ *struct{}) error {
				area := bsplib.Alloc[byte](b, long)
				b.Sync()
				switch b.Pid() { // processes 0 and 1 are on rank 0, 2 and 3 on rank 1
				case 0:
					c.do(b, area, 2, n)
				case 3:
					c.do(b, area, 3, n)
				}
				b.Sync()
				b.Sync()
				return nil
			})
			for i, s := range h.Steps {
				want := 0
				if i == 1 {
					want = n
				}
				least, most := int64(want), int64(want+c.head)
				near := s.Ways[ledger.WithinNode]
				if i > 0 && (near < least || near > most || want == 0 && near > 0) {
					t.Errorf("%s of %d bytes: %d bytes between ranks in superstep %d, want %d to %d", name, n, near, s.First, least, most)
				}
				if s.Ways[ledger.WithinSet] != 0 || s.Ways[ledger.BetweenSets] != 0 {
					t.Errorf("%s: %v between nodes, of which there is one", name, s.Ways)
				}
			}
			if h.Steps[1].Talks != 1 || h.Steps[2].Talks != 0 {
				t.Errorf("%s: something left a rank in %d and %d of supersteps 2 and 3", name, h.Steps[1].Talks, h.Steps[2].Talks)
			}
		}
	}
}

// All processes return the same figures, and none is negative.
func TestMeasuring(t *testing.T) {
	for range 3 {
		bsptest.Run(t, 4, func(b *bsplib.Proc, _ *struct{}) error {
			m := bsplib.MeasureOn(b, ledger.WithinNode)
			all := bsplib.Allgather(b, []float64{m.L, m.Latency, m.Classes[0].PerByte})
			for pid, x := range all {
				if !slices.Equal(x, all[0]) || x[0] <= 0 || x[1] < 0 || x[2] < 0 || len(m.Classes) != 1 {
					return fmt.Errorf("process %d measures %v, process 0 %v", pid, x, all[0])
				}
			}
			return nil
		})
	}
}

// On a slow link a figure comes from fewer supersteps, or from one, so that measuring ends; and
// it takes a part of the time left, so that the other figures get a share.
func TestMeasuringEnds(t *testing.T) {
	const within = 100 * time.Millisecond
	for _, step := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		bsptest.Run(t, 2, func(b *bsplib.Proc, _ *struct{}) error {
			steps := 0
			took, left := bsplib.Typical(b, within, func() {
				steps++
				time.Sleep(step)
			})
			if most := 2 + int(within/(4*step)); steps > most || left > within-time.Duration(steps)*step {
				return fmt.Errorf("process %d: %d supersteps of %v, at most %d wanted; %v left of %v", b.Pid(), steps, took, most, left, within)
			}
			_, left = bsplib.Typical(b, -time.Second, func() { steps++ })
			if left > 0 {
				return fmt.Errorf("process %d: %v left of nothing", b.Pid(), left)
			}
			return nil
		})
	}
}
