package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

// numbers returns the lines from first to last.
func numbers(first, last int) string {
	var text strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintln(&text, i)
	}
	return text.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

// The results are the same under all policies, on any number of ranks, over managers, on an
// emulated platform, and come in the order of the tasks.
func TestSameResults(t *testing.T) {
	hosts := write(t, "hosts", "#@platform barrier=1ms\n#@set a speed=1 rate=100Mb/s latency=100us\nx[1-3] slots=1\n#@set b speed=0.3 rate=10Mb/s latency=1ms\ny[1-4] slots=1\n#@link a b rate=1Mb/s latency=5ms\n")
	sum := regexp.MustCompile(`checksum +(\w+)`)
	for i, bag := range []string{"-tasks 300 -size 1e4 -spread heavy", "-mandelbrot 40x30 -frames 2", "-tasks 2 -size 10"} {
		want := ""
		for _, ranks := range []string{"-ranks 1", "-ranks 2 -procs 5", "-ranks 5 -procs 3 -master gives", "-hosts " + hosts, "-hosts " + hosts + " -managers -master gives"} {
			for _, policy := range []string{"auto", "all"}[:2-min(i, 1)] {
				args := fmt.Sprintf("-quiet %s %s -policy %s", bag, ranks, policy)
				code, out, errs := apptest.Call(t, "", args)
				got := sum.FindStringSubmatch(out)
				if code != 0 || got == nil || strings.Contains(out, "FAILED") {
					t.Fatalf("%s: code %d\n%s%s", args, code, out, errs)
				}
				if want == "" {
					want = got[1]
				}
				if got[1] != want {
					t.Errorf("%s: checksum %s, want %s", args, got[1], want)
				}
			}
		}
	}
}

// Outputs of commands appear in the order of the input lines.
func TestCommands(t *testing.T) {
	lines := write(t, "lines", numbers(1, 60))
	for _, c := range []struct{ args, out string }{
		{"-args " + lines + " -- echo", numbers(1, 60)},
		{"-args " + lines + " -managers -ranks 4 -policy gss -- echo {}", numbers(1, 60)},
		{"-args " + lines + " -policy lds,beta=5 -ranks 3 -- echo", numbers(1, 60)},
		{"-- echo {#}:{}-{} x ::: a b c", "1:a-a x\n2:b-b x\n3:c-c x\n"},
		{"-- printf %s. ::: a b", "a.b."},
		{"-- true :::", ""},
		{"-args /dev/null -- false", ""},
	} {
		code, out, errs := apptest.Call(t, "", "-quiet "+c.args)
		if code != 0 || out != c.out {
			t.Errorf("%s: code %d, %q, %q; want %q", c.args, code, out, errs, c.out)
		}
	}
}

// An output longer than a message arrives complete.
func TestLongOutput(t *testing.T) {
	code, out, errs := apptest.Call(t, "", "-quiet -ranks 3 -- seq ::: 60000 40000 7 50000")
	want := numbers(1, 60000) + numbers(1, 40000) + numbers(1, 7) + numbers(1, 50000)
	if code != 0 || out != want {
		t.Errorf("code %d, %d bytes, want %d; %s", code, len(out), len(want), errs)
	}
}

// A task that fails, hangs or writes without end is tried again, then listed; all others are
// complete, and no child is left.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "task")
	text := `#!/bin/sh
echo "$1" >>` + dir + `/tried
case $1 in
fail) echo out; echo why >&2; exit 3;;
hang) sleep 60 & sleep 60;;
endless) yes;;
second) [ $(grep -c second ` + dir + `/tried) = 2 ];;
esac
echo "$1" is done
`
	must.Do(t, os.WriteFile(script, []byte(text), 0o777))
	// By policy workqueue no idle worker takes a copy of a task that is late, which would be a try more.
	code, out, errs := apptest.Call(t, dir, "-quiet -policy workqueue -retries 1 -ranks 3 -- "+script+" ::: a fail b second none")
	if want := "a is done\nout\nb is done\nsecond is done\nnone is done\n"; code != 1 || out != want {
		t.Errorf("code %d, %q, want %q", code, out, want)
	}
	must.Have(t, errs,
		"why\n", `bot: task 2 ("fail") has failed 2 times: exit code 3`+"\n", "1 of 5 tasks have failed\n",
	)
	code, out, errs = apptest.Call(t, dir, "-quiet -retries 0 -timeout 300ms -- "+script+" ::: hang")
	if want := `bot: task 1 ("hang") has failed once: was ended after 300ms (-timeout)` + "\n"; code != 1 || out != "" || !strings.Contains(errs, want) {
		t.Errorf("code %d, %q, %q, want %q", code, out, errs, want)
	}
	code, out, errs = apptest.Call(t, dir, "-quiet -retries 0 -max-output 1 -- "+script+" ::: a endless b")
	if code != 1 || !strings.HasPrefix(out, "a is done\ny\n") || !strings.HasSuffix(out, "\nb is done\n") || len(out) > 1<<20+100 ||
		!strings.Contains(errs, `bot: task 2 ("endless") has failed once: wrote more than 1048576 bytes (-max-output)`) {
		t.Errorf("without end: code %d, %d bytes, %q", code, len(out), errs)
	}
	code, _, errs = apptest.Call(t, dir, "-quiet -retries 0 -- ./there-is-none ::: a")
	if code != 1 || !strings.Contains(errs, "there-is-none: no such file or directory") {
		t.Errorf("no program: code %d, %q", code, errs)
	}
	tried, _ := os.ReadFile(filepath.Join(dir, "tried"))
	if n := bytes.Count(tried, []byte("fail\n")); n != 2 {
		t.Errorf("the task that fails has been tried %d times", n)
	}
}

// started starts the program with a task per line, which waits for the file go.
func started(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	c, out, errs := apptest.Command(t, dir, args...)
	must.Do(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	return c, out, errs
}

// After a signal the journal contains the completed tasks, no child is left, and the printed command
// continues the run: no task is computed twice, and none is missing.
func TestInterruptedAndResumed(t *testing.T) {
	dir := t.TempDir()
	task := `echo {} >>tried; if [ {} -gt 30 ] && [ ! -e go ]; then echo $$ >>waiting; sleep 100; fi; echo {}`
	lines := write(t, "lines", numbers(1, 50))
	args := []string{"-journal", "done", "-policy", "workqueue", "-args", lines, "--", "sh", "-c", task}
	c, _, errs := started(t, dir, args...)
	for {
		waiting, _ := os.ReadFile(filepath.Join(dir, "waiting"))
		if bytes.Count(waiting, []byte("\n")) >= 2 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) {
		t.Errorf("code %d\n%s", code, errs)
	}
	resume := regexp.MustCompile(`bot: 30 of 50 tasks are done; to go on with the rest:  \S+ -resume -journal done `)
	if !resume.MatchString(errs.String()) && !strings.Contains(errs.String(), "tasks are done; to go on with the rest") {
		t.Errorf("it says\n%s", errs)
	}
	waiting, _ := os.ReadFile(filepath.Join(dir, "waiting"))
	for _, pid := range strings.Fields(string(waiting)) {
		n, _ := strconv.Atoi(pid)
		for limit := time.Now().Add(10 * time.Second); syscall.Kill(n, 0) == nil && time.Now().Before(limit); {
			time.Sleep(5 * time.Millisecond)
		}
		if syscall.Kill(n, 0) == nil {
			t.Errorf("process %d of a task is left", n)
		}
	}
	os.WriteFile(filepath.Join(dir, "go"), nil, 0o666)
	for k, more := range []string{"-ranks 5 -policy auto", "-ranks 1"} {
		args := append(append([]string{"-resume", "-quiet"}, strings.Fields(more)...), args...)
		if k == 0 {
			args = slices.DeleteFunc(args, func(s string) bool { return s == "-policy" || s == "workqueue" || s == "auto" })
		}
		c, out, errs := started(t, dir, args...)
		c.Wait()
		if c.ProcessState.ExitCode() != 0 || out.String() != numbers(1, 50) {
			t.Errorf("gone on with %s: code %d, %q\n%s", more, c.ProcessState.ExitCode(), out, errs)
		}
	}
	tried, _ := os.ReadFile(filepath.Join(dir, "tried"))
	times := make(map[string]int)
	for _, n := range strings.Fields(string(tried)) {
		times[n]++
	}
	for i := 1; i <= 30; i++ {
		if n := strconv.Itoa(i); times[n] != 1 {
			t.Errorf("task %s was computed %d times", n, times[n])
		}
	}
}

func TestJournalRefused(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "j")
	run := func(args string) (int, string) {
		code, _, errs := apptest.Call(t, dir, "-quiet "+args)
		return code, errs
	}
	if code, errs := run("-journal j -- echo ::: a b c"); code != 0 {
		t.Fatal(errs)
	}
	whole := must.Get(os.ReadFile(journal))(t)
	damaged := bytes.Replace(bytes.Clone(whole), []byte(`"task":`), []byte(`"tusk":`), 1)
	for _, c := range []struct {
		name, args string
		content    []byte
		code       int
		want       string
	}{
		{"there already", "-journal j -- echo ::: a b c", whole, 1, "j is there already: -resume goes on with it"},
		{"another bag", "-journal j -resume -- echo ::: a b d", whole, 1, "j:1: it is the journal of another bag: 3 commands"},
		{"another command", "-journal j -resume -- true ::: a b c", whole, 1, "j:1: it is the journal of another bag"},
		{"not there", "-journal none -resume -- echo ::: a", whole, 1, "no such file"},
		{"empty", "-journal j -resume -- echo ::: a b c", nil, 1, "j:1: it is empty"},
		{"something else", "-journal j -resume -- echo ::: a b c", []byte("hello\nyou\n"), 1, "j:1: the line is damaged"},
		{"damaged", "-journal j -resume -- echo ::: a b c", append(damaged, whole[bytes.IndexByte(whole, '\n')+1:]...), 1, "j:2: the line is damaged"},
		{"cut off", "-journal j -resume -- echo ::: a b c", whole[:len(whole)-3], 0, ""},
	} {
		os.WriteFile(journal, c.content, 0o666)
		if code, errs := run(c.args); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %q, want %q", c.name, code, errs, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ args, text string }{
		{"-tasks 0", "-n 0: at least one"},
		{"echo", `unexpected argument "echo"; a command stands after --`},
		{"-policy best", `no policy "best"; there are workqueue`},
		{"-policy workqueue,k=0", "k=0"},
		{"-policy lds,beta=0", "beta=0"},
		{"-policy lds,beta=-1", "beta=-1"},
		{"-spread wide", "-spread wide: expected one of equal, uniform, heavy"},
		{"-size -1", "-size -1: expected"},
		{"-mandelbrot 4", "-mandelbrot 4: it is width x height"},
		{"-mandelbrot 4x4 -png x.jpg", "-png x.jpg: expected a name that ends in .png"},
		{"-png x.png", "only images"},
		{"-master sleeps", "-master sleeps: expected works or gives"},
		{"-retries -1", "-retries -1"},
		{"-resume", "-resume: -journal says"},
		{"-journal x -policy all", "-journal: with -policy all"},
		{"-timeout 1s", "-timeout 1s: the tasks are functions"},
		{"-tasks 5 -- echo", "-tasks 5: the tasks are commands"},
		{"-max-output 0 -- echo", "-max-output 0"},
		{"-- ::: a", ":::: expected a command before it"},
	} {
		apptest.Refused(t, "", c.args, c.text)
	}
}

func TestPlaces(t *testing.T) {
	sets := []int{0, 0, 0, 1, 2, 2, 1, 3}
	got := places([]int{0, 1, 2, 3, 4, 5, 6, 7}, func(rank int) int { return sets[rank] }, true)
	want := []place{{0, -1, []int{1, 3, 4, 7}}, {1, 0, []int{2}}, {2, 1, nil}, {3, 0, []int{6}}, {4, 0, []int{5}}, {5, 4, nil}, {6, 3, nil}, {7, 0, nil}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	got = places([]int{4, 2}, func(int) int { return 0 }, false)
	if fmt.Sprint(got) != fmt.Sprint([]place{{4, -1, []int{2}}, {2, 4, nil}}) {
		t.Errorf("without managers: %v", got)
	}
}

func TestSpreads(t *testing.T) {
	for _, name := range spreads {
		s := spin{Size: 1, Spread: name, Seed: 3}
		sum, most := 0.0, 0.0
		const n = 20000
		for i := range n {
			a := s.amount(i)
			sum, most = sum+a, max(most, a)
		}
		if mean := sum / n; mean < 0.85 || mean > 1.05 {
			t.Errorf("%s: the mean is %g", name, mean)
		}
		if heavy := most > 10; heavy != (name == "heavy") {
			t.Errorf("%s: the largest is %g", name, most)
		}
	}
}
