package bsplib_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// toldBy runs the program "fine" in a directory with these configuration files.
// The user's file is user/migbsp/config.toml.
func toldBy(t *testing.T, args, environ string, files map[string]string, program ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must.Write(t, filepath.Join(dir, name), text, 0o666)
	}
	cmd, _, _ := started(append(program, "fine")[0])
	path := must.Get(filepath.Abs(cmd.Path))(t)
	cmd.Path, cmd.Dir = path, dir
	cmd.Args = append(cmd.Args[:1], strings.Fields(args)...)
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(dir, "user"))
	cmd.Env = append(cmd.Env, strings.Fields(environ)...)
	cmd.Run()
	out, problems := cmd.Stdout.(*bytes.Buffer), cmd.Stderr.(*bytes.Buffer)
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

// The command line takes precedence over the environment, the environment over
// files, and files over the defaults.
func TestWhoSaysHowManyProcesses(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	const here, user = "migbsp.toml", "user/migbsp/config.toml"
	type files = map[string]string
	for _, c := range []struct {
		args, environ string
		files         files
		want          string
	}{
		{"-procs 1 -ranks 1", "MIGBSP_PROCS=2", files{here: "procs = 3", user: "procs = 4"}, "1 processes on 1"},
		{"", "MIGBSP_PROCS=2 MIGBSP_RANKS=3", files{here: "procs = 3\nranks = 4"}, "2 processes on 3"},
		{"", "", files{here: "procs = 3\nranks = 1", user: "procs = 4"}, "3 processes on 1"},
		{"", "", files{here: "ranks = 1", user: "procs = 4"}, "4 processes on 1"},
		{"", "", files{here: "procs = 3\nranks = 1\n[program]\nprocs = 5\n[other]\nprocs = 6"}, "5 processes on 1"},
		{"-config other", "", files{here: "procs = 3", "other": "procs = 9\nranks = 1"}, "9 processes on 1"},
		{"", "MIGBSP_CONFIG=other", files{here: "procs = 3", "other": "procs = 8\nranks = 1"}, "8 processes on 1"},
		{"-ranks 3", "MIGBSP_CONFIG=/dev/null", files{here: "procs = 7"}, "3 processes on 3"},
	} {
		code, out, stderr := toldBy(t, c.args+" -quiet", c.environ, c.files)
		if code != 0 || out != c.want+" ranks\n" || stderr != "" {
			t.Errorf("%s with %s and %q: code %d, %q, %q, want %q", c.args, c.environ, c.files, code, out, stderr, c.want)
		}
	}
}

// An invalid setting is reported in a line that names its source.
func TestSettingsRefused(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct{ args, environ, file, want string }{
		{"", "MIGBSP_PROCS=x", "", "MIGBSP_PROCS=x: expected a whole number"},
		{"", "MIGBSP_PROCS=-1", "", "MIGBSP_PROCS=-1: at least one process is needed"},
		{"", "MIGBSP_RANKS=0", "", "MIGBSP_RANKS=0: at least one is needed"},
		{"", "MIGBSP_QUIET=true", "format = 'csv'", "MIGBSP_QUIET=true: there is no account to print as csv"},
		{"", "", "procs = \"x\"", "migbsp.toml:1:9: procs = \"x\": expected a whole number"},
		{"", "", "#\ntable = 'chairs'", "migbsp.toml:2:9: table = 'chairs': there is no such table; there are verdict, sites, steps, ranks, sets, full, none"},
		{"", "", "balance = 'luck'", "migbsp.toml:1:11: balance = 'luck': there is no strategy \"luck\"; -balance help lists all (see "},
		{"-balance auto,foo=1", "", "", "-balance auto,foo=1: auto has no parameter \"foo\"; -balance help lists all (see "},
		{"-balance auto,gard=0", "", "", "-balance auto,gard=0: auto has no parameter \"gard\"; did you mean guard? -balance help lists all (see "},
		{"-balance percnt", "", "", "-balance percnt: there is no strategy \"percnt\"; did you mean percent? -balance help lists all (see "},
		{"-ranks 1", "", "hosts = 'h'", "-ranks 1: the slots of migbsp.toml:1:9: hosts = 'h' say how many ranks there are"},
		{"", "", "shak = true", "migbsp.toml:1:1: \"shak\", expected a setting; did you mean shake?"},
		{"-config none", "", "", "-config none: no such file or directory"},
	} {
		files := map[string]string{}
		if c.file != "" {
			files["migbsp.toml"] = c.file
		}
		code, out, stderr := toldBy(t, c.args, c.environ, files)
		if code != 2 || out != "" || !strings.HasPrefix(stderr, "program: "+c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s with %s and %q: code %d, %q, %q, want %q", c.args, c.environ, c.file, code, out, stderr, c.want)
		}
	}
}

func TestPrintConfig(t *testing.T) {
	bsptest.InProcess(t)
	code, out, stderr := toldBy(t, "-print-config -why", "MIGBSP_TABLE=none MIGBSP_PORCS=3", map[string]string{"migbsp.toml": "procs = 3\nrun-dir = \"a\\tb\""})
	if want := "program: warning: MIGBSP_PORCS in the environment means nothing; did you mean MIGBSP_PROCS?\n"; code != 0 || stderr != want {
		t.Errorf("code %d, stderr %q, want %q", code, stderr, want)
	}
	rows := make(map[string]string)
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 1 {
			rows[f[0]] = strings.Join(f[1:], " ")
		}
	}
	for name, want := range map[string]string{
		"setting": "value origin", "why": "true flag", "table": "none MIGBSP_TABLE", "procs": "3 migbsp.toml:1",
		"run-dir": `"a\tb" migbsp.toml:2`, "balance": "auto default", "hosts": "default",
	} {
		if rows[name] != want {
			t.Errorf("%s: %q, want %q in\n%s", name, rows[name], want, out)
		}
	}
}

// Help and version do not depend on files.
func TestHelpWithWrongFile(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	for flag, want := range map[string]string{"-help": "MIGBSP_RUN_DIR", "-version": "(migbsp)"} {
		code, out, stderr := toldBy(t, flag, "", map[string]string{"migbsp.toml": "wrong"})
		if code != 0 || !strings.Contains(out, want) || stderr != "" {
			t.Errorf("%s: code %d, %q, %q", flag, code, out, stderr)
		}
	}
}
