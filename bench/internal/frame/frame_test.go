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
