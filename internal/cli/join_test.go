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

// Of several processes one says what all of them find, and leaves after that; what only
// one finds it says itself.
func TestOnePeerSpeaks(t *testing.T) {
	for _, c := range []struct {
		args             string
		code             int
		everybody, leads string // how what is said begins
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
