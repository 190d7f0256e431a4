package frame

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		wrong, failure error
		code           int
		out, said      string
	}{
		{nil, nil, 0, "done a b", ""},
		{nil, errors.New("broken"), 1, "done a b", "measure: broken\n"},
		{errors.New("-x: what?"), nil, 2, "", "measure: -x: what?\nSee measure -help.\n"},
		{flag.ErrHelp, nil, 0, "", ""},
	} {
		var out, said strings.Builder
		code := Run("measure", []string{"a", "b"}, &out, &said, func(args []string, _ io.Writer) (Work, error) {
			if c.wrong != nil {
				return nil, c.wrong
			}
			return func(_ context.Context, stdout, _ io.Writer) error {
				fmt.Fprint(stdout, "done ", strings.Join(args, " "))
				return c.failure
			}, nil
		})
		if code != c.code || out.String() != c.out || said.String() != c.said {
			t.Errorf("%v, %v: code %d, %q and %q", c.wrong, c.failure, code, out.String(), said.String())
		}
	}
}

func TestProgram(t *testing.T) {
	measure := Program{"measure", func(flags *flag.FlagSet) func() (Work, error) {
		n := flags.Int("n", 1, "how `often`")
		return func() (Work, error) {
			if *n < 0 {
				return nil, fmt.Errorf("-n %d: expected more", *n)
			}
			return func(_ context.Context, stdout, _ io.Writer) error {
				_, err := fmt.Fprint(stdout, *n)
				return err
			}, nil
		}
	}}
	for _, c := range []struct {
		args      string
		code      int
		out, said string // how what is said begins
	}{
		{"", 0, "1", ""},
		{"-n 3", 0, "3", ""},
		{"-n -1", 2, "", "measure: -n -1: expected more\nSee measure -help.\n"},
		{"3", 2, "", `measure: unexpected argument "3"; all arguments are flags`},
		{"-h", 0, "", "Usage of measure:\n  -n often\n"},
	} {
		var out, said strings.Builder
		code := measure.Run(strings.Fields(c.args), &out, &said)
		if code != c.code || out.String() != c.out || !strings.HasPrefix(said.String(), c.said) || (c.said == "") != (said.Len() == 0) {
			t.Errorf("%s: code %d, %q and %q", c.args, code, out.String(), said.String())
		}
	}
}
