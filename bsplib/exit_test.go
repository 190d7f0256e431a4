package bsplib_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// programEnv makes the test program run as one of mainPrograms.
const programEnv = "BSPLIB_TEST_PROGRAM"

// mainPrograms are run by Main in a process of their own.
var mainPrograms = map[string]func(*bsplib.Proc, *none) error{
	"fine": func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 0 {
			fmt.Printf("%d processes on %d ranks\n", b.NProcs(), b.NRanks())
		}
		return nil
	},
	"notVerified": func(b *bsplib.Proc, _ *none) error { b.Sync(); return bsplib.ErrNotVerified },
	"error": func(b *bsplib.Proc, _ *none) error {
		b.Sync()
		if b.Pid() == 2 {
			return errWrong
		}
		b.Sync()
		return nil
	},
	"abort": func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 2 {
			b.Abort("enough")
		}
		for {
			b.Sync()
		}
	},
	"panic": func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 2 {
			culprit()
		}
		b.Sync()
		return nil
	},
	"foreignPanic": func(b *bsplib.Proc, _ *none) error {
		b.Sync()
		go func() { panic("in a goroutine of its own") }()
		select {}
	},
	"outOfMemory": func(b *bsplib.Proc, _ *none) error {
		b.Sync()
		var all [][]byte
		for {
			mem := make([]byte, 1<<30)
			if os.Getenv("BSPLIB_TEST_FILL") != "" {
				for i := range mem {
					mem[i] = 1
				}
			}
			all = append(all, mem)
		}
	},
	"hinted": computeOnly,
	"unequal": func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 1 {
			fmt.Printf("process 1 on rank %d\n", b.Rank())
		}
		return nil
	},
	"forever": func(b *bsplib.Proc, _ *none) error {
		if b.Pid() == 0 {
			fmt.Println("ready")
		}
		for {
			b.Sync()
		}
	},
}

// mainOptions are the options of some of mainPrograms.
var mainOptions = map[string]bsplib.Options{"hinted": {WorkNeeded: wrongHints}, "unequal": {WorkNeeded: unequalWork}}

// started makes the command for a program on 3 processes and 2 ranks.
func started(program string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = exec.Command(os.Args[0], append([]string{"-procs", "3", "-ranks", "2"}, args...)...)
	cmd.Args[0] = "program"
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MIGBSP_CONFIG=") })
	cmd.Env = append(environ, programEnv+"="+program)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// A failure is reported once, on stderr, and by the exit code.
func TestExitCodes(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	for _, c := range []struct {
		program, args string
		code          int
		stdout        string // its beginning
		stderr        string // the beginning of its first line after the program's name, with … for anything
	}{
		{"fine", "-quiet", 0, "3 processes on 2 ranks\n", ""},
		{"fine", "-procs=7 -quiet", 0, "7 processes on 2 ranks\n", ""},
		{"fine", "-table none", 0, "3 processes on 2 ranks\n", ""},
		{"notVerified", "-quiet", 1, "", ""},
		{"notVerified", "", 1, "", ""},
		{"error", "", 1, "", ": superstep 2, process 2, rank 1: the sum is wrong"},
		{"abort", "", 1, "", ": superstep 1, process 2, rank 1, exit_test.go:…: enough"},
		{"panic", "", 1, "", ": superstep 1, process 2, rank 1, failure_test.go:…: panic: here"},
		{"fine", "-procs 0", 2, "", ": -procs 0: at least one is needed"},
		{"fine", "-procs -4", 2, "", ": -procs -4: at least one process is needed"},
		{"fine", "-procs 9223372036854775807", 2, "", ": -procs 9223372036854775807: 9223372036854775807 processes on 2 ranks need at least …"},
		{"fine", "-procs 4611686018427387904", 2, "", ": -procs 4611686018427387904: 4611686018427387904 processes on 2 ranks need at least …"},
		{"fine", "-ranks 10000000", 2, "", ": -ranks 10000000: 3 processes on 10000000 ranks need at least … of memory, but only "},
		{"fine", "-ranks -1", 2, "", ": -ranks -1: at least one rank is needed"},
		{"fine", "-table chairs", 2, "", ": -table chairs: there is no such table; there are"},
		{"fine", "quick", 2, "", ": unexpected argument \"quick\"; all arguments are flags"},
		{"fine", "-colour red", 2, "", ": there is no flag -colour; did you mean -color?"},
		{"fine", "-help", 0, "Usage: ", ""},
		{"fine", "-version", 0, "program (migbsp) ", ""},
	} {
		t.Run(c.program+" "+c.args, func(t *testing.T) {
			cmd, stdout, stderr := started(c.program, strings.Fields(c.args)...)
			cmd.Run()
			first, rest, _ := strings.Cut(stderr.String(), "\n")
			first = strings.TrimPrefix(first, "program")
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			begin, end, _ := strings.Cut(c.stderr, "…")
			if !strings.HasPrefix(stdout.String(), c.stdout) || !strings.HasPrefix(first, begin) || !strings.Contains(first, end) || c.stderr == "" && first != "" {
				t.Errorf("stdout %q, stderr %q, want %q and %q", stdout, stderr, c.stdout, c.stderr)
			}
			if strings.Contains(rest, begin) && begin != "" {
				t.Errorf("told more than once:\n%s", stderr)
			}
			if strings.Contains(rest, "culprit") != (c.program == "panic") {
				t.Errorf("a stack belongs to a panic only:\n%s", stderr)
			}
		})
	}
}

// A crash of Go's runtime has a code of its own, and its cause comes first, unless the user has set
// GOTRACEBACK.
func TestExitByCrash(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		program, traceback string
		want               string // the beginning of the standard error
		killed             bool
	}{
		{"foreignPanic", "", "panic: in a goroutine of its own\n", true},
		{"foreignPanic", "single", "panic: in a goroutine of its own\n", false},
		{"outOfMemory", "", "runtime: out of memory: cannot allocate ", true},
	} {
		if c.program == "outOfMemory" && raceEnabled {
			continue // the race detector needs more address space than the limit
		}
		cmd, _, stderr := started(c.program, "-quiet")
		cmd.Args = append([]string{"sh", "-c", `ulimit -c unlimited 2>/dev/null; ulimit -v 16000000; exec "$0" "$@"`, os.Args[0]}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
		cmd.Dir = t.TempDir()
		cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GOTRACEBACK=") }), "GOTRACEBACK="+c.traceback)
		cmd.Run()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		killed := status.Signaled() && status.Signal() == syscall.SIGABRT && !status.CoreDump()
		if killed != c.killed || !killed && cmd.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String()[:min(300, stderr.Len())], c.want) {
			t.Errorf("%s, GOTRACEBACK=%s: %v, %.500q", c.program, c.traceback, cmd.ProcessState, stderr)
		}
		must.Hold(t, cmd.Dir, 0)
		line := filepath.Base(os.Args[0]) + ": out of memory: Go's runtime got no more from the system; a process may have 15.3 GiB of addresses (ulimit -v); allow more memory, or use more nodes or a smaller problem\n"
		if says := strings.HasSuffix(stderr.String(), "\n"+line); says != (c.program == "outOfMemory") && runtime.GOOS == "linux" {
			t.Errorf("%s: the last line is %.500q", c.program, stderr.String()[max(0, stderr.Len()-500):])
		}
	}
}

// A program that the kernel kills because its control group has no more memory leaves a message.
// A program killed by another cause leaves none.
func TestKilledForMemory(t *testing.T) {
	bsptest.InProcess(t)
	group := memoryGroup(t, 300<<20)
	for _, program := range []string{"outOfMemory", "forever"} {
		cmd, _, stderr := started(program, "-quiet")
		cmd.Args = append([]string{"sh", "-c", `echo $$ > "$0"/cgroup.procs && shift && exec "$@"`, group, "", os.Args[0]}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
		cmd.Env = append(cmd.Env, "BSPLIB_TEST_FILL=1")
		must.Do(t, cmd.Start())
		if program == "forever" {
			time.Sleep(200 * time.Millisecond)
			cmd.Process.Kill()
		}
		cmd.Wait()
		want := ""
		if program == "outOfMemory" {
			want = filepath.Base(os.Args[0]) + ": out of memory: the kernel has killed the program; the control group may have 300 MiB; allow more memory, or use more nodes or a smaller problem\n"
		}
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL || stderr.String() != want {
			t.Errorf("%s: %v, it says %q, want %q", program, cmd.ProcessState, stderr, want)
		}
	}
}

// memoryGroup makes a control group with a memory limit in bytes, or skips the test.
func memoryGroup(t *testing.T, bytes int) string {
	t.Helper()
	for _, form := range [][2]string{{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}} {
		group := filepath.Join(form[0], fmt.Sprintf("migbsp-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(group) })
		if os.WriteFile(filepath.Join(group, form[1]), []byte(fmt.Sprint(bytes)), 0) == nil {
			os.WriteFile(filepath.Join(group, "memory.swap.max"), []byte("0"), 0)
			return group
		}
	}
	t.Skip("no control group of memory can be made")
	return ""
}

// A signal ends the program at once, with 128 and its number.
func TestExitBySignal(t *testing.T) {
	bsptest.InProcess(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, _, stderr := started("forever", "-quiet")
		cmd.Stdout = nil
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, cmd.Start())
		out.Read(make([]byte, 6)) // ready
		hanging := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Process.Signal(sig)
		err = cmd.Wait()
		hanging.Stop()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != 128+int(sig) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("signal %d: %v, stderr %q", sig, err, stderr)
		}
	}
}
