package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
)

// sample is a tool whose texts have all that shells and roff could stumble over.
func sample() *Tool {
	t := Tool{
		Name: "tool", Summary: "does 'all' [that]: and $more", Version: "1.2",
		Date:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		About: "It's a \\ tool.\n'Quoted' at the start.\n\n  .kept as it is\n",
	}
	t.Commands = []Command{
		{
			Name: "report", Summary: "prints a 'report': [all]",
			Args:     []Arg{{Name: "RUN", Values: Directory}, {Name: "KIND", Values: OneOf("long", "short"), Optional: true}},
			About:    "Prints.\n.Dotted line",
			Examples: []Example{{`tool report -o "x y" runs/1`, "writes it"}},
			Setup: func(flags *flag.FlagSet) Action {
				format := Choice(flags, "format", "how: 'so' or [so]", "table", "json")
				out := Path(flags, "o", "write to `file`", File)
				only := Words(flags, "only", "parts", "head", "body")
				n := flags.Int("n", 3, "how `many`")
				loud := flags.Bool("loud", false, "more")
				return func(_ context.Context, s Streams, args []string) error {
					fmt.Fprintln(s.Out, *format, *out, strings.Join(*only, "+"), *n, *loud, args)
					return nil
				}
			},
		},
		{
			Name: "start", Summary: "starts another program", Hidden: true,
			Args: []Arg{{Name: "PROGRAM", Values: Values{Call: "seq -f p%g 2"}}, {Name: "ARGUMENT", Values: Values{Files: true, Flags: "./.flags"}, Optional: true, Rest: true}},
			Setup: func(flags *flag.FlagSet) Action {
				n := flags.Int("n", 0, "how `many`")
				return func(_ context.Context, s Streams, args []string) error {
					_, err := fmt.Fprintln(s.Out, *n, args)
					return err
				}
			},
		},
		{Name: "pick", Summary: "picks", Hidden: true, Setup: func(flags *flag.FlagSet) Action {
			like := Suggest(flags, "like", "", "as `this`", Values{Words: []string{"arg", "one"}, Files: true})
			as := Suggest(flags, "as", "any", "as `that`", OneOf("any", "none"))
			return func(_ context.Context, s Streams, _ []string) error {
				_, err := fmt.Fprintln(s.Out, *like, *as)
				return err
			}
		}},
		{Name: "fail", Summary: "fails", Hidden: true, Args: []Arg{{Name: "HOW", Values: OneOf("usage", "exit"), Rest: true}}, Setup: func(*flag.FlagSet) Action {
			return func(_ context.Context, _ Streams, args []string) error {
				switch args[0] {
				case "usage":
					return Usagef("no %s", "sense")
				case "exit":
					return Exit(75)
				default:
					return fmt.Errorf("it is %s", args[0])
				}
			}
		}},
	}
	return New(t)
}

// called runs the sample and returns its exit code and output.
func called(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = sample().Run(context.Background(), Streams{strings.NewReader(""), &o, &e}, args)
	return code, o.String(), e.String()
}
