package cli

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestSummaryListsAllButHiddenCommands(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"-help"}, {"--help"}, {"-h"}} {
		code, out, _ := called(t, args...)
		if code != ExitOK || !strings.Contains(out, "  report      prints a 'report': [all]\n") || strings.Contains(out, "fail") {
			t.Errorf("%v: code %d\n%s", args, code, out)
		}
	}
}

func TestHelpOfACommand(t *testing.T) {
	const want = `tool report: prints a 'report': [all]

Usage: tool report [flags] RUN [KIND]

Prints. .Dotted line

Flags:
  -format table|json
        how: 'so' or [so] (default table)
  -loud
        more
  -n many
        how many (default 3)
  -o file
        write to file
  -only LIST
        parts; a list between commas of head, body

Examples:
  tool report -o "x y" runs/1
        writes it
`
	for _, args := range [][]string{{"report", "-help"}, {"report", "x", "--help"}, {"help", "report"}, {"report", "-h"}} {
		if code, out, _ := called(t, args...); code != ExitOK || out != want {
			t.Errorf("%v: code %d\n%s", args, code, out)
		}
	}
	_, out, _ := called(t, "start", "-help")
	must.Have(t, out, "Usage: tool start [flags] PROGRAM [ARGUMENT...]\n")
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"\n\n", ""},
		{"a\nb\n\nc\n", "a|b;c"},
		{"a\n  b\n  c\nd\n\n  e\n\n  f", "a;=  b|  c;d;=  e;=  f"},
	} {
		var parts []string
		for _, b := range blocksOf(c.text) {
			part := strings.Join(b.lines, "|")
			if b.kept {
				part = "=" + part
			}
			parts = append(parts, part)
		}
		if got := strings.Join(parts, ";"); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func FuzzWrapKeepsWords(f *testing.F) {
	f.Add("a few words of text", 6)
	f.Add("", 1)
	f.Add("averylongword b", 3)
	f.Add("über ÄÖÜ ß", 4)
	f.Fuzz(func(t *testing.T, text string, width int) {
		lines := Wrap(text, width)
		if got, want := strings.Join(lines, " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		for _, line := range lines {
			if len([]rune(line)) > width && strings.Contains(line, " ") {
				t.Errorf("line %q is longer than %d", line, width)
			}
		}
	})
}
