package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
)

// A command that starts another program leaves all that follows its name to it.
func TestRestIsOfAnotherProgram(t *testing.T) {
	tool := New(Tool{Name: "tool", Commands: []Command{{
		Name: "start", Summary: "starts", About: "Starts.", Args: []Arg{{Name: "PROGRAM", Rest: true}},
		Setup: func(flags *flag.FlagSet) Action {
			n := flags.Int("n", 0, "a `number`")
			return func(_ context.Context, s Streams, args []string) error {
				_, err := fmt.Fprintf(s.Out, "%d %q\n", *n, args)
				return err
			}
		},
	}}})
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"start -n 4 -- lu -n 5 -- -x", ExitOK, `4 ["lu" "-n" "5" "--" "-x"]`},
		{"start -n 4 lu -n 5 -- -x", ExitOK, `4 ["lu" "-n" "5" "--" "-x"]`},
		{"start lu -help", ExitOK, `0 ["lu" "-help"]`},
		{"start -- -n", ExitOK, `0 ["-n"]`},
		{"start -n 4", ExitUsage, "tool start: PROGRAM is missing (see tool start -help)"},
		{"start -n 4 --", ExitUsage, "tool start: PROGRAM is missing (see tool start -help)"},
	} {
		var out bytes.Buffer
		code := tool.Run(context.Background(), Streams{strings.NewReader(""), &out, &out}, strings.Fields(c.args))
		if code != c.code || out.String() != c.want+"\n" {
			t.Errorf("%s: code %d, %q, want %q", c.args, code, out.String(), c.want)
		}
	}
	var out bytes.Buffer
	tool.Run(context.Background(), Streams{strings.NewReader(""), &out, &out}, []string{"start", "-help"})
	if !strings.Contains(out.String(), "Usage: tool start [flags] PROGRAM...\n") {
		t.Error(out.String())
	}
}
