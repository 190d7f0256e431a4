package settings

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// program is a program's flags with their parsed values.
type program struct {
	*flag.FlagSet
	words []string
}

// newProgram returns a program with flags of all kinds: the runtime's, and n, tag and word as its
// own.
func newProgram() *program {
	p := &program{FlagSet: flag.NewFlagSet("lu", flag.ContinueOnError)}
	p.SetOutput(io.Discard)
	p.Int("procs", 0, "")
	p.String("run-dir", "", "")
	p.Bool("quiet", false, "")
	p.Float64("share", 0.5, "")
	p.Duration("every", time.Second, "")
	p.String(ConfigFlag, "", "")
	p.Bool("version", false, "")
	p.Uint64("n", 1000, "")
	p.Func("word", "", func(text string) error {
		if text == "bad" {
			return fmt.Errorf("a word was expected")
		}
		p.words = append(p.words, text)
		return nil
	})
	return p
}

// resolve resolves the program's flags, with files by name in a directory of
// its own.
func (p *program) resolve(t *testing.T, args, environ string, files map[string]string) ([]Value, []string, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		must.Write(t, name, text, 0o666)
	}
	var warnings []string
	values, err := Sources{
		Program: "lu", Own: []string{"n", "word"}, Actions: []string{"version"}, Variables: []string{"MIGBSP_SHM", "MIGBSP_WORD"},
		Environ: strings.Fields(environ), Files: []string{"here.toml", "user/config.toml", "site/config.toml"},
		Warn: func(text string) { warnings = append(warnings, text) },
	}.Resolve(p.FlagSet, strings.Fields(args))
	return values, warnings, err
}

// said lists the settings that differ from defaults, as name=value@origin, separated by blanks.
func said(values []Value) string {
	var all []string
	for _, v := range values {
		if v.Origin != Default {
			all = append(all, fmt.Sprintf("%s=%s@%s", v.Name, v.Value, v.Origin))
		}
	}
	return strings.Join(all, " ")
}

// The first of command line, environment, program's table, top of the same file
// and next file that names a setting has it.
func TestOrder(t *testing.T) {
	type files = map[string]string
	for _, c := range []struct {
		args, environ string
		files         files
		want          string
	}{
		{want: ""},
		{"-procs 1", "MIGBSP_PROCS=2", files{"here.toml": "procs = 3"}, "procs=1@flag"},
		{"", "MIGBSP_PROCS=2", files{"here.toml": "procs = 3"}, "procs=2@MIGBSP_PROCS"},
		{"", "MIGBSP_PROCS=", files{"here.toml": "procs = 3"}, "procs=3@here.toml:1"},
		{"", "", files{"here.toml": "procs = 3\n[lu]\nprocs = 4"}, "procs=4@here.toml:3"},
		{"", "", files{"here.toml": "procs = 3\n[fft]\nprocs = 4\nfoo = 5"}, "procs=3@here.toml:1"},
		{"", "", files{"here.toml": "procs = 3", "user/config.toml": "quiet = true\n[lu]\nprocs = 4"}, "procs=3@here.toml:1 quiet=true@user/config.toml:1"},
		{"", "", files{"user/config.toml": "procs = 4", "site/config.toml": "procs = 5\nshare = 1"}, "procs=4@user/config.toml:1 share=1@site/config.toml:2"},
		{"-config a/x", "", files{"here.toml": "procs = 3", "a/x": "quiet = true"}, "config=a/x@flag quiet=true@a/x:1"},
		{"", "MIGBSP_CONFIG=x", files{"here.toml": "procs = 3", "x": "quiet = true"}, "config=x@MIGBSP_CONFIG quiet=true@x:1"},
		{"-config y", "MIGBSP_CONFIG=x", files{"x": "procs = 3", "y": ""}, "config=y@flag"},
		{"-config /dev/null", "", files{"here.toml": "procs = 3"}, "config=/dev/null@flag"},
		{"", "MIGBSP_RUN_DIR=d", nil, "run-dir=d@MIGBSP_RUN_DIR"},
		{"", "MIGBSP_N=5 N=5", nil, ""},
		{"", "MIGBSP_WORD=w MIGBSP_N=5", nil, "word=w@MIGBSP_WORD"},
		{"", "", files{"here.toml": "[lu]\nn = 1_0"}, "n=10@here.toml:2"},
		{"-quiet=false", "", files{"here.toml": "quiet = true"}, "quiet=false@flag"},
		{"-procs 1 -procs 2", "", nil, "procs=2@flag"},
		{"-procs 0", "", nil, "procs=0@flag"},
		{"", "", files{"here.toml": "every = '1h30m'\nshare = 2"}, "every=1h30m0s@here.toml:1 share=2@here.toml:2"},
		{"-word a -word b", "", nil, "word=a b@flag"},
		{"", "", files{"here.toml": "[lu]\nword = 'c d'"}, "word=c d@here.toml:2"},
	} {
		p := newProgram()
		values, _, err := p.resolve(t, c.args, c.environ, c.files)
		if got := said(values); err != nil || got != c.want {
			t.Errorf("%s with %s and %q: %v, %s, want %s", c.args, c.environ, c.files, err, got, c.want)
		}
		for _, v := range values {
			if f := p.Lookup(v.Name); v.Name != "word" && f.Value.String() != v.Value {
				t.Errorf("%s with %s and %q: flag %s is %s, not %s", c.args, c.environ, c.files, v.Name, f.Value, v.Value)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ args, environ, file, want string }{
		{"-procs x", "", "", `invalid value "x" for flag -procs: expected a whole number`},
		{"-bogus", "", "", "there is no flag -bogus"},
		{"", "MIGBSP_PROCS=x", "", "MIGBSP_PROCS=x: expected a whole number"},
		{"", "MIGBSP_QUIET=yes", "", "MIGBSP_QUIET=yes: expected true or false"},
		{"", "MIGBSP_PROCS=99999999999999999999", "", "MIGBSP_PROCS=99999999999999999999: value out of range"},
		{"", "", "\n\nprocs = \"x\"", `here.toml:3:9: procs = "x": expected a whole number`},
		{"", "", "procs = 1.5", "here.toml:1:9: procs = 1.5: expected a whole number"},
		{"", "", "share = 'much'", "here.toml:1:9: share = 'much': expected a number"},
		{"", "", "every = 5", "here.toml:1:9: every = 5: expected a duration such as 90s or 1h30m"},
		{"", "", "[lu]\n  n = -5", "here.toml:2:7: n = -5: expected a whole number that is not negative"},
		{"", "", "[lu]\nword = 'bad'", "here.toml:2:8: word = 'bad': a word was expected"},
		{"", "", "[lu]\nnn = 5", `here.toml:2:1: "nn", expected a setting; did you mean n?`},
		{"", "", "  porcs = 5", `here.toml:1:3: "porcs", expected a setting; did you mean procs?`},
		{"", "", "walrus = 5", `here.toml:1:1: "walrus", expected a setting, a flag without its dash`},
		{"", "", "n = 5", `here.toml:1:1: "n", expected it in table [lu], for it is not for all programs`},
		{"", "", "version = true", `here.toml:1:1: "version", expected it on the command line only`},
		{"", "", "[lu]\nconfig = 'x'", `here.toml:2:1: "config", expected it on the command line only`},
		{"", "", "procs 5", `here.toml:1:7: "5", expected '=' after key`},
		{"", "", "[fft]\nx", "here.toml:2:2: the end of the line, expected '=' after key"},
		{"", "", "procs = \"\"\"\n5\n6\"\"\"", `here.toml:1:9: procs = """...: expected a whole number`},
		{"-config nowhere", "", "", "-config nowhere: no such file or directory"},
		{"", "MIGBSP_CONFIG=nowhere", "procs = 5", "MIGBSP_CONFIG=nowhere: no such file or directory"},
		{"-config .", "", "", "-config .: is a directory"},
		{"-config /dev/zero", "", "", "-config /dev/zero: /dev/zero: more than 1 MiB, expected a configuration file"},
	} {
		files := map[string]string{}
		if c.file != "" {
			files["here.toml"] = c.file
		}
		if values, _, err := newProgram().resolve(t, c.args, c.environ, files); err == nil || err.Error() != c.want {
			t.Errorf("%s with %s and %q: %v %s, want %s", c.args, c.environ, c.file, err, said(values), c.want)
		}
	}
}

// All settings are listed by name, also defaults, except one-time flags. Messages quote each setting
// as its source wrote it.
func TestWritten(t *testing.T) {
	values, _, err := newProgram().resolve(t, "-quiet -share=2", "MIGBSP_PROCS=3", map[string]string{"here.toml": "run-dir = 'x'"})
	var got []string
	for _, v := range values {
		got = append(got, v.Written())
		if (v.Origin == Default) != (v.Given == nil) {
			t.Errorf("%+v", v)
		}
	}
	want := []string{"-config ", "-every 1s", "-n 1000", "MIGBSP_PROCS=3", "-quiet", "here.toml:1:11: run-dir = 'x'", "-share 2", "-word "}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}

// second is another name of a flag.
type second struct {
	flag.Value
	of string
}

func (s second) AliasOf() string { return s.of }

// choosing defines flags of all kinds whose unset values the program chooses.
func choosing() (*flag.FlagSet, *int) {
	set := flag.NewFlagSet("lu", flag.ContinueOnError)
	n := set.Int("n", 0, "`numbers` (default: as many as there are)")
	set.Var(second{set.Lookup("n").Value, "n"}, "size", "another name")
	set.Int("none", 0, "without a default that is a choice")
	set.Int("block", 64, "`width` (default: not this)")
	set.String("grid", "", "`MxN` (default: square)")
	set.String("in", "", "`file` to read (default: none)")
	return set, n
}

// A value chosen by the program is auto. A flag can be set to auto, which overrides later sources.
// Another name of a flag is not a separate setting.
func TestAuto(t *testing.T) {
	for _, c := range []struct {
		args []string
		file string
		want string // name=value@origin
		n    int
	}{
		{nil, "", "block=64@default grid=auto@default in=@default n=auto@default none=0@default", 0},
		{[]string{"-n", "auto"}, "n = 4", "block=64@default grid=auto@default in=@default n=auto@flag none=0@default", 0},
		{[]string{"-size", "7"}, "n = 4", "block=64@default grid=auto@default in=@default n=7@flag none=0@default", 7},
		{[]string{"-in", "auto"}, "size = 4\ngrid = 'auto'", "block=64@default grid=auto@f:3 in=auto@flag n=4@f:2 none=0@default", 4},
		{nil, "size = 'auto'", "block=64@default grid=auto@default in=@default n=auto@f:2 none=0@default", 0},
	} {
		t.Chdir(t.TempDir())
		must.Do(t, os.WriteFile("f", []byte("[lu]\n"+c.file+"\n"), 0o666))
		set, n := choosing()
		values := must.Get(Sources{Program: "lu", Own: []string{"n", "size", "none", "block", "grid", "in"}, Files: []string{"f"}}.Resolve(set, c.args))(t)
		got := ""
		other, m := choosing()
		for _, v := range values {
			got += " " + v.Name + "=" + v.Shown() + "@" + filepath.Base(v.Origin)
			if err := v.Apply(other); err != nil {
				t.Errorf("%q, %q: %v", c.args, c.file, err)
			}
		}
		if got[1:] != c.want || *n != c.n || *m != c.n {
			t.Errorf("%q, %q: %s, n %d and elsewhere %d; want %s, %d", c.args, c.file, got[1:], *n, *m, c.want, c.n)
		}
	}
	for _, args := range [][]string{{"-none", "auto"}, {"-block", "auto"}} {
		set, _ := choosing()
		if _, err := (Sources{Program: "lu"}).Resolve(set, args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// A variable that no setting reads is reported with the most similar name.
func TestUnknownVariables(t *testing.T) {
	for _, c := range []struct {
		environ string
		want    []string
	}{
		{"MIGBSP_PROCS=1 MIGBSP_SHM=off MIGBSP_TEST_X=1 MIGBSPPROC=1 OTHER=1 MIGBSP_CONFIG=/dev/null", nil},
		{"MIGBSP_PROC=", nil},
		{"MIGBSP_PROC=1", []string{"MIGBSP_PROC in the environment means nothing; did you mean MIGBSP_PROCS?"}},
		{"MIGBSP_SMH=on", []string{"MIGBSP_SMH in the environment means nothing; did you mean MIGBSP_SHM?"}},
		{"MIGBSP_RUNDIR=x MIGBSP_HOME_OF_ALL=x", []string{
			"MIGBSP_HOME_OF_ALL in the environment means nothing",
			"MIGBSP_RUNDIR in the environment means nothing; did you mean MIGBSP_RUN_DIR?",
		}},
		{"MIGBSP_N=1 MIGBSP_WORD=x", []string{"MIGBSP_N in the environment means nothing"}},
		{"MIGBSP_VERSION=1", []string{"MIGBSP_VERSION in the environment means nothing"}},
	} {
		_, warnings, err := newProgram().resolve(t, "", c.environ, nil)
		if err != nil || !slices.Equal(warnings, c.want) {
			t.Errorf("%s: %v, %q, want %q", c.environ, err, warnings, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	const here, site = "migbsp.toml", "/etc/migbsp/config.toml"
	for _, c := range []struct{ environ, want []string }{
		{nil, []string{here, site}},
		{[]string{"HOME=/h"}, []string{here, "/h/.config/migbsp/config.toml", site}},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=/x"}, []string{here, "/x/migbsp/config.toml", site}},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=relative"}, []string{here, "/h/.config/migbsp/config.toml", site}},
		{[]string{"HOME=", "XDG_CONFIG_HOME="}, []string{here, site}},
	} {
		if got := Files(c.environ); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.environ, got, c.want)
		}
	}
}

// A file below a path that is not a directory counts as missing, but an unreadable file is reported.
func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, []byte("procs = 3"), 0o666))
	values, err := Sources{Files: []string{filepath.Join(file, "below"), file}}.Resolve(newProgram().FlagSet, nil)
	if got, want := said(values), "procs=3@"+file+":1"; err != nil || got != want {
		t.Errorf("%v, %s, want %s", err, got, want)
	}
	if _, err := (Sources{Files: []string{dir, file}}).Resolve(newProgram().FlagSet, nil); err == nil {
		t.Error("a directory in place of a file is passed over")
	}
}

// With TableOnly, entries above all tables belong to other programs and are ignored; the table of the
// program is read.
func TestTableOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"procs = 3\nbogus = 1\n[lu]\nn = 7\n":   "n=7@f:4",
		"procs = 3\n":                           "",
		"[other]\nprocs = 3\n[lu]\nprocs = 4\n": "procs=4@f:4",
		"[lu]\nbogus = 1\n":                     `f:2:1: "bogus", expected a setting, a flag without its dash`,
	} {
		must.Do(t, os.WriteFile("f", []byte(text), 0o666))
		values, err := Sources{Program: "lu", TableOnly: true, Files: []string{"f"}}.Resolve(newProgram().FlagSet, nil)
		if got := said(values) + Plain(err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
