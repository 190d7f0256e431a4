package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
)

func TestCalls(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"report r", "table   3 false [r]\n"},
		{"report r -format json", "json   3 false [r]\n"},
		{"report --format=json r long -loud -n 4", "json   4 true [r long]\n"},
		{"report -only body,head -o f r", "table f body+head 3 false [r]\n"},
		{"report -- -r -n", "table   3 false [-r -n]\n"},
		{"report r -- -n", "table   3 false [r -n]\n"},
		{"pick -like x -as y", "x y\n"},
		{"pick", " any\n"},
		// A command that starts another program leaves all that follows its name to it.
		{"start -n 4 -- lu -n 5 -- -x", "4 [lu -n 5 -- -x]\n"},
		{"start -n 4 lu -n 5 -- -x", "4 [lu -n 5 -- -x]\n"},
		{"start lu -help", "0 [lu -help]\n"},
		{"start -- -n", "0 [-n]\n"},
	} {
		code, out, err := called(t, strings.Fields(c.args)...)
		if code != ExitOK || out != c.want || err != "" {
			t.Errorf("%s: code %d, %q, %q; want %q", c.args, code, out, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"reprot", 2, "tool: there is no command \"reprot\"; did you mean report? (see tool -help)\n"},
		{"rep", 2, "tool: there is no command \"rep\"; did you mean report? (see tool -help)\n"},
		{"xyzzy", 2, "tool: there is no command \"xyzzy\" (see tool -help)\n"},
		{"-format json report", 2, "tool: -format before a command; flags stand behind it (see tool -help)\n"},
		{"report", 2, "tool report: RUN is missing (see tool report -help)\n"},
		{"report a long c", 2, "tool report: argument \"c\" is one too many (see tool report -help)\n"},
		{"report a -fromat json", 2, "tool report: there is no flag -fromat; did you mean -format? (see tool report -help)\n"},
		{"report a -zzz", 2, "tool report: there is no flag -zzz (see tool report -help)\n"},
		{"report a -format", 2, "tool report: flag needs an argument: -format (see tool report -help)\n"},
		{"report a -only head,x", 2, "tool report: invalid value \"head,x\" for flag -only: there is no \"x\"; there are head, body (see tool report -help)\n"},
		{"report a -o=", 2, "tool report: invalid value \"\" for flag -o: a name is missing (see tool report -help)\n"},
		{"start -n 4", 2, "tool start: PROGRAM is missing (see tool start -help)\n"},
		{"start -n 4 --", 2, "tool start: PROGRAM is missing (see tool start -help)\n"},
		{"fail", 2, "tool fail: HOW is missing: one of usage, exit (see tool fail -help)\n"},
		{"fail usage", 2, "tool fail: no sense (see tool fail -help)\n"},
		{"fail exit", 75, ""},
		{"fail broken -x", 1, "tool fail: it is broken\n"},
		{"help reprot", 2, "tool help: there is no command \"reprot\"; did you mean report? (see tool help -help)\n"},
		{"completion csh", 2, "tool completion: there is no script for \"csh\"; there are some for bash, zsh, fish (see tool completion -help)\n"},
		{"-version", 2, "tool: there is no command \"version\" (see tool -help)\n"},
	} {
		code, out, err := called(t, strings.Fields(c.args)...)
		if code != c.code || out != "" || err != c.want {
			t.Errorf("%s: code %d, %q\n got %q\nwant %q", c.args, code, out, err, c.want)
		}
	}
}

func FuzzRunNeverPanics(f *testing.F) {
	for _, seed := range []string{"report r -n 4", "help", "-", "--", "report --n=", "completion fish", "fail \x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		if len(args) > 0 && args[0] == "man" {
			return
		}
		code, _, err := called(t, args...)
		if code == ExitUsage != (strings.Count(err, "\n") > 0 && strings.Contains(err, "-help)\n")) {
			t.Errorf("code %d, %q", code, err)
		}
	})
}

// Each process prints the output of its action, but only one prints an error found by all. Every process
// leaves after its output.
func TestOnePeerSpeaks(t *testing.T) {
	for _, c := range []struct {
		args             string
		code             int
		everybody, leads string // prefixes of the output of every process, and of the speaker's further output
	}{
		{"together", ExitOK, "done", ""},
		{"together -n x", ExitUsage, "", `tool together: invalid value "x"`},
		{"together more", ExitUsage, "", `tool together: argument "more" is one too many`},
		{"together -n 1", ExitUsage, "", "tool together: -n 1 is too few"},
		{"together -n 2", ExitFailed, "", "tool together: broken"},
		{"together -h", ExitOK, "", "tool together: "},
	} {
		for _, speaks := range []bool{true, false} {
			var said bytes.Buffer
			left := "never"
			tool := New(Tool{Name: "tool", Commands: []Command{{
				Name: "together",
				Join: func() (*Peer, error) { return &Peer{speaks, func() { left = said.String() }}, nil },
				Setup: func(flags *flag.FlagSet) Action {
					n := flags.Int("n", 3, "")
					return func(_ context.Context, s Streams, _ []string) error {
						switch *n {
						case 1:
							return Usagef("-n 1 is too few")
						case 2:
							return errors.New("broken")
						}
						fmt.Fprint(s.Out, "done")
						return nil
					}
				},
			}}})
			code := tool.Run(context.Background(), Streams{Out: &said, Err: &said}, strings.Fields(c.args))
			want := c.everybody
			if speaks {
				want += c.leads
			}
			if code != c.code || !strings.HasPrefix(said.String(), want) || (want == "") != (said.Len() == 0) || left != said.String() {
				t.Errorf("%s, %t: code %d, %q, and when it left %q", c.args, speaks, code, said.String(), left)
			}
		}
	}
}

func TestCannotJoin(t *testing.T) {
	tool := New(Tool{Name: "tool", Commands: []Command{{
		Name: "together", Join: func() (*Peer, error) { return nil, errors.New("nobody is there") },
		Setup: func(*flag.FlagSet) Action { return nil },
	}}})
	var said bytes.Buffer
	if code := tool.Run(context.Background(), Streams{Out: &said, Err: &said}, []string{"together"}); code != ExitFailed || said.String() != "tool together: nobody is there\n" {
		t.Errorf("code %d, %q", code, said.String())
	}
}

// The old name of a flag still works, the command can report its use, and no list contains it.
func TestRenamed(t *testing.T) {
	tool := New(Tool{Name: "tool", Commands: []Command{{Name: "go", Summary: "goes", Setup: func(flags *flag.FlagSet) Action {
		to := Path(flags, "to", "go to this `file`", File)
		old := Renamed(flags, "towards", "to")
		return func(_ context.Context, s Streams, _ []string) error {
			_, err := fmt.Fprintln(s.Out, *to, *old)
			return err
		}
	}}}})
	run := func(args string) string {
		var out bytes.Buffer
		tool.Run(t.Context(), Streams{strings.NewReader(""), &out, &out}, strings.Fields(args))
		return out.String()
	}
	for args, want := range map[string]string{"go -to a": "a false\n", "go -towards a": "a true\n", "go -towards a -to b": "b true\n"} {
		if got := run(args); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for _, args := range []string{"go -help", "completion bash", "completion zsh", "completion fish"} {
		if text := run(args); strings.Contains(text, "towards") || !strings.Contains(text, "to") {
			t.Errorf("%s:\n%s", args, text)
		}
	}
}
