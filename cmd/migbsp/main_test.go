package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
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

// call is what the tool prints, and its exit code.
func call(t *testing.T, in string, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = newTool().Run(context.Background(), cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e}, args)
	return code, o.String(), e.String()
}

// Whatever the table says of a command is there to be read, in 80 columns.
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
		for _, line := range strings.Split(out+summary, "\n") {
			if len(line) > 80 {
				t.Errorf("%s: a line of %d characters: %s", c.Name, len(line), line)
			}
		}
	}
}

// Each command that has a flag -format prints one JSON value with it.
func TestJSON(t *testing.T) {
	for _, args := range [][]string{
		{"doctor"},
		{"probe", "-watch", "20ms"},
		{"bench", "-p", "1,2", "-seconds", "0.001"},
	} {
		code, out, err := call(t, "", append(args, "-format", "json")...)
		var value any
		if code != cli.ExitOK || err != "" || json.Unmarshal([]byte(out), &value) != nil {
			t.Errorf("%v: code %d, %q\n%s", args, code, err, out)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range []string{"version", "-version", "--version"} {
		if code, out, err := call(t, "", args); code != cli.ExitOK || !strings.HasPrefix(out, "migbsp ") || err != "" {
			t.Errorf("%s: code %d, %q, %q", args, code, out, err)
		}
	}
	var b strings.Builder
	if err := writeVersion(&b, ledger.Build{Version: "v1.0.0", Commit: "abc", Modified: true}, "Open MPI v4.1.4"); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); lines[0] != "migbsp v1.0.0" || lines[2] != "commit abc and changes" || lines[3] != "MPI: Open MPI v4.1.4" {
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
		out, err := tool.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.Start(); err != nil {
			t.Fatal(err)
		}
		// What it prints says that it listens to signals.
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if err := tool.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		_ = tool.Wait()
		if got := tool.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%v: exit code %d, want %d", c.signal, got, c.code)
		}
	}
}

// The real table goes through the same shells and readers as that of package
// cli's tests.
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
		if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
