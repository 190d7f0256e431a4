package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/doctor"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// TestMain makes the test program a tool that waits for its end, where a test
// calls it so.
func TestMain(m *testing.M) {
	if os.Getenv("MIGBSP_TEST_TOOL") != "" {
		waiting := cli.New(cli.Tool{Name: "migbsp", Commands: []cli.Command{{Name: "wait", Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, s cli.Streams, _ []string) error {
				fmt.Fprintln(s.Out, "waiting")
				<-ctx.Done()
				return nil
			}
		}}}})
		os.Args = []string{"migbsp", "wait"}
		waiting.Main()
	}
	os.Exit(m.Run())
}

// call returns the tool's exit code and output.
func call(t *testing.T, in string, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = newTool().Run(context.Background(), cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e}, args)
	return code, o.String(), e.String()
}

// prints returns the tool's output. The tool must succeed without printing errors.
func prints(t *testing.T, args ...string) (out string) {
	t.Helper()
	code, out, err := call(t, "", args...)
	if code != cli.ExitOK || err != "" {
		t.Fatalf("%v: code %d, %s%s", args, code, out, err)
	}
	return out
}

// inJSON returns the tool's JSON output, decoded.
func inJSON[T any](t *testing.T, args ...string) (value T) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(prints(t, append(args, "-format", "json")...)), &value))
	return value
}

// refusal is a call of the tool that ends with a code, prints no output, and one line of errors.
type refusal struct {
	args string // with blanks between them
	code int
	says string // a part of the line, or all of it with its line feed
}

// refuses checks that a command, which more arguments may follow, refuses the calls.
func refuses(t *testing.T, command string, calls []refusal) {
	t.Helper()
	for _, c := range calls {
		code, out, err := call(t, "", strings.Fields(command+" "+c.args)...)
		if code != c.code || out != "" || !strings.Contains(err, c.says) || strings.Count(err, "\n") != 1 || strings.HasSuffix(c.says, "\n") && err != c.says {
			t.Errorf("%s: code %d, %q\n got %q\nwant code %d, %q", c.args, code, out, err, c.code, c.says)
		}
	}
}

// isNarrow reports lines of more than 80 columns.
func isNarrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if len(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// The help texts of all commands are printed, in 80 columns.
func TestHelpOfAllCommands(t *testing.T) {
	tool := newTool()
	_, summary, _ := call(t, "")
	for _, c := range tool.Commands {
		code, out, err := call(t, "", c.Name, "-help")
		if code != cli.ExitOK || err != "" || c.About == "" || c.Summary == "" {
			t.Errorf("%s -help: code %d, %q", c.Name, code, err)
		}
		if !c.Hidden && !strings.Contains(summary, c.Summary) {
			t.Errorf("the summary does not have %s:\n%s", c.Name, summary)
		}
		isNarrow(t, out+summary)
	}
}

// Each command that has a flag -format prints one JSON value with it.
func TestJSON(t *testing.T) {
	for _, args := range [][]string{
		{"doctor"},
		{"probe", "-watch", "20ms"},
		{"bench", "-p", "1,2", "-seconds", "0.001"},
	} {
		inJSON[any](t, args...)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range []string{"version", "-version", "--version"} {
		if out := prints(t, args); !strings.HasPrefix(out, "migbsp ") {
			t.Errorf("%s: %q", args, out)
		}
	}
	if lines := strings.Split(versionText(ledger.Build{Version: "v1.0.0", Commit: "abc", Modified: true}, "Open MPI v4.1.4"), "\n"); lines[0] != "migbsp v1.0.0" || lines[2] != "commit abc and changes" || lines[3] != "MPI: Open MPI v4.1.4" {
		t.Errorf("%q", lines)
	}
}

// A signal ends a command that would go on for long, with its own exit code.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		tool := exec.Command(os.Args[0])
		tool.Env = append(os.Environ(), "MIGBSP_TEST_TOOL=1")
		out := must.Get(tool.StdoutPipe())(t)
		must.Do(t, tool.Start())
		// The tool handles signals once it has printed its first byte.
		must.Get(out.Read(make([]byte, 1)))(t)
		must.Do(t, tool.Process.Signal(c.signal))
		_ = tool.Wait()
		if got := tool.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%v: exit code %d, want %d", c.signal, got, c.code)
		}
	}
}

// The real table of commands passes the same shells and readers as the table of package cli's
// tests.
func TestScriptsAndPagesCanBeRead(t *testing.T) {
	check := func(program string, args ...string) {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("SKIPPED: no %s on this machine", program)
			return
		}
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
	dir := t.TempDir()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		_, text, _ := call(t, "", "completion", shell)
		script := filepath.Join(dir, shell)
		must.Do(t, os.WriteFile(script, []byte(text), 0o644))
		check(shell, "-n", script)
	}
	if code, _, err := call(t, "", "man", dir); code != cli.ExitOK {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob(dir + "/*.1")
	if want := 1 + len(newTool().Commands); len(pages) != want {
		t.Errorf("%d pages, want %d", len(pages), want)
	}
	check("mandoc", append([]string{"-Tlint", "-W", "warning"}, pages...)...)
}

// Any wrong call of a command ends with code 2 and one line that begins with its name.
func TestWrongUses(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("file", []byte("x\n"), 0o666))
	uses := []string{"bogus", "-bogus", "--", "-format json", "Doctor"}
	for _, c := range newTool().Commands {
		uses = append(uses, c.Name+" -bogus", c.Name+" --bogus=1")
		takes := len(c.Args)
		if takes > 0 && c.Args[takes-1].Rest {
			continue // the rest are another program's arguments
		}
		uses = append(uses, c.Name+strings.Repeat(" file", takes+20))
		if takes > 0 && !c.Args[0].Optional {
			uses = append(uses, c.Name)
		}
	}
	uses = append(uses, "doctor -ranks x", "doctor -ranks -1", "doctor -need x", "doctor -format xml", "doctor -hosts", "doctor -hosts=", "doctor -need mpi,xyz",
		"probe -watch x", "probe -watch 0s", "probe -links -1s", "probe -timeout 0s", "probe -sets a.conf", "probe -hosts a.hosts", "probe -save-hosts b.hosts", "probe extra",
		"bench -p x", "bench -p 0", "bench -p 1,,2", "bench -p 99999999", "bench -seconds 0", "bench -seconds NaN", "bench extra",
		"hosts -to x", "hosts -from x", "hosts -from env file", "completion csh", "help bogus",
		"sbatch", "sbatch -nodes 0 -- lu", "sbatch -ntasks x -- lu", "sbatch -- lu", "sbatch -time x -- lu", "sbatch -site none -print-config",
		"run -np x lu", "run -np", "run -np 2", "run -ssh '", "run -launcher= -np 2 lu", "run -np 2 "+filepath.Join(".", "none")+"/x", "run none/x", "run bogus-program")
	for _, use := range uses {
		args := strings.Fields(use)
		code, out, err := call(t, "", args...)
		name := "migbsp:"
		for _, c := range newTool().Commands {
			if args[0] == c.Name {
				name = "migbsp " + c.Name + ":"
			}
		}
		if code != 2 || out != "" || strings.Count(err, "\n") != 1 || !strings.HasPrefix(err, name+" ") {
			t.Errorf("%s: code %d\n%s%s", use, code, out, err)
		}
	}
}

// An error for a missing file names it once, with the reason alone and without the failed system
// call.
func TestFilesThatAreNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("p.hosts", []byte("a slots=1\n"), 0o600))
	must.Do(t, os.WriteFile("p.xml", []byte(`<platform version="4.1"><zone id="z"><host id="h" speed="1f" speed_file="no"/></zone></platform>`), 0o600))
	no := filepath.Join("no", "where")
	for _, args := range []string{
		"simulate -platform no -workload dp:n=10",
		"simulate -platform p.xml -workload dp:n=10",
		"simulate -platform p.hosts -workload dp:n=10 -mapping-from no",
		"simulate -platform p.hosts -workload dp:n=10 -export " + no,
		"simulate -platform p.hosts -workload dp:n=10 -run-dir p.hosts/x",
		"report no", "report -o " + no + " p.hosts", "runs no", "trace no", "top no", "drain no", "hosts no",
		"sbatch -partition a:1:1 -o " + no + " -- lu", "run -on no lu", "man p.hosts/x",
	} {
		code, out, errs := call(t, "", strings.Fields(args)...)
		for _, raw := range []string{"open ", "stat ", "lstat ", "mkdir ", "createtemp", "read ", "GetFileAttributes"} {
			if strings.Contains(errs, ": "+raw) {
				t.Errorf("%s: code %d, %s%s", args, code, out, errs)
			}
		}
		if code == 0 || strings.Contains(errs, "no: no: ") {
			t.Errorf("%s: code %d, %s%s", args, code, out, errs)
		}
	}
}

// With an empty PATH all checks run, and only the requested features are needed.
func TestDoctorWithoutAnything(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("MIGBSP_HOSTS", "")
	out := prints(t, "doctor")
	must.Have(t, out, " missing  mpi ")
	isNarrow(t, out)
	code, out, _ := call(t, "", "doctor", "-need", "mpi,go", "-format", "json")
	var d struct {
		Sound    bool
		Findings []doctor.Finding
	}
	if e := json.Unmarshal([]byte(out), &d); e != nil || code != cli.ExitFailed || d.Sound || len(d.Findings) < len(doctor.Names()) {
		t.Errorf("code %d, %v\n%s", code, e, out)
	}
}

func TestDoctorReadsHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.hosts")
	must.Do(t, os.WriteFile(file, []byte("#@set s\na slots=x\n"), 0o644))
	if code, out, _ := call(t, "", "doctor", "-hosts", file); code != cli.ExitFailed || !strings.Contains(out, "something that is needed is missing") {
		t.Errorf("code %d\n%s", code, out)
	}
	t.Setenv("MIGBSP_HOSTS", "../../examples/two-sets.hosts")
	must.Have(t, prints(t, "doctor"), "two-sets.hosts: 8 ranks on 8 hosts")
}

func TestMeasuredParameters(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		p := must.Get(measureParameters(context.Background(), procs, 10*time.Millisecond))(t)
		if p.Procs != procs || p.Ranks < 1 || p.Ranks > procs || !(p.Empty > 0) || !(p.G > 0) || !(p.R > 1e6) || math.IsInf(p.R, 0) {
			t.Errorf("%+v", p)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measureParameters(ctx, 1, time.Hour); err == nil {
		t.Error("it goes on after the end of its context")
	}
}

// Rows are in the order of the given numbers.
func TestBenchTable(t *testing.T) {
	out := prints(t, "bench", "-p", "3,1", "-seconds", "0.001")
	if lines := strings.Split(out, "\n"); !strings.HasPrefix(lines[2], " 3 ") || !strings.HasPrefix(lines[3], " 1 ") {
		t.Error(out)
	}
	isNarrow(t, out)
}

func TestNoFigureWithoutEvidence(t *testing.T) {
	for _, c := range []struct {
		x, error float64
		want     string
	}{{1e-6, 0.4e-6, "1 us"}, {1e-6, 0.6e-6, "-"}, {-1e-9, 0, "-"}} {
		if got, _ := evidence(c.x, c.error, 1e9); got != c.want {
			t.Errorf("%g with an error of %g: %s, want %s", c.x, c.error, got, c.want)
		}
	}
}
