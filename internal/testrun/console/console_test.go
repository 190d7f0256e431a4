package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// page parses a page in which ”' replaces a fence.
func page(t *testing.T, text string) *Page {
	t.Helper()
	p := must.Get(Parse("page.md", strings.ReplaceAll(text, "'''", "```")))(t)
	return p
}

func TestBlocks(t *testing.T) {
	p := page(t, `Some text.

'''toml file=a.toml
x = 1
'''

'''console measured excerpt needs=mpi,jq code=3 moves>=1 saved>=25%
$ one \
    -more
out

$ two
'''

'''
not a command
'''

'''console shown it takes an hour
$ three
'''
`)
	if len(p.Blocks) != 2 || p.files["a.toml"] != "x = 1\n" {
		t.Fatalf("%+v", p)
	}
	b := p.Blocks[0]
	if !b.Measured || !b.Excerpt || b.Lane() != "mpi" || b.missing() == "mpi" || b.Code != 3 || len(b.Commands) != 2 {
		t.Errorf("%+v", b)
	}
	if c := b.Commands[0]; c.Text != "one \\\n    -more" || strings.Join(c.Output, "|") != "out|" || c.Line != 8 {
		t.Errorf("%+v", c)
	}
	if p.Blocks[1].Shown != "it takes an hour" {
		t.Errorf("%+v", p.Blocks[1])
	}
}

// Pages whose text would be skipped silently are rejected, with the position.
func TestPagesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"'''\n$ lu\n'''\n":                                 "page.md:1: a block of commands is not marked: expected ```console",
		"text\n\n    $ lu\n":                               "page.md:3: a command in an indented block: put it between fences, ```console",
		"- x\n  '''console\n  $ lu\n  '''\n":               "page.md:2: a block of commands is indented",
		"'''console\nlu\n'''\n":                            "page.md:1: a block is marked console: expected a first line that begins with \"$ \"",
		"'''console\n$ lu\n":                               "page.md:1: a fence that nothing closes",
		"'''console often\n$ lu\n'''\n":                    "page.md:1: \"often\" behind console: expected measured, excerpt, code=, needs=, shown or a claim such as moves>=1",
		"'''console shown\n$ lu\n'''\n":                    "page.md:1: shown: expected the reason why the block is not run",
		"'''console code=x\n$ lu\n'''\n":                   "page.md:1: code=x: expected code= and a number from 1 on",
		"'''x file=a\n1\n'''\n\n'''x file=a\n2\n'''\n":     "page.md:5: file a is there twice",
		"'''console measured\n$ lu\n'''\n":                 "page.md:1: measured: expected a claim that the output must meet, such as moves>=1 or saved>=25%; the quantities are moves, saved, supersteps, processes, checks or lines",
		"'''console measured movs>=1\n$ lu\n'''\n":         "page.md:1: \"movs>=1\": unknown quantity \"movs\": expected moves, saved, supersteps, processes, checks or lines",
		"'''console measured moves>1\n$ lu\n'''\n":         "page.md:1: \"moves>1\": expected a quantity, >= or ==, and a number, as in saved>=25%",
		"'''console measured total<=9\n$ lu\n'''\n":        "page.md:1: \"total<=9\": expected a quantity, >= or ==, and a number, as in saved>=25%",
		"'''console measured saved>=5\n$ lu\n'''\n":        "page.md:1: \"saved>=5\": expected a number with %",
		"'''console moves>=1\n$ lu\n'''\n":                 "page.md:1: moves>=1: expected only in a block that is measured; all others are compared to the letter",
		"'''console needs=\n$ lu\n'''\n":                   "page.md:1: \"needs=\" behind console: expected measured, excerpt, code=, needs=, shown or a claim such as moves>=1",
		"'''console code=0\n$ lu\n'''\n":                   "page.md:1: code=0: expected code= and a number from 1 on",
		"'''console measured code=2 shwon\n$ lu\n'''\n":    "page.md:1: \"shwon\" behind console: expected measured, excerpt, code=, needs=, shown or a claim such as moves>=1",
		"'''go\nx\n'''\n\n'''console\n\n$ late\n'''\ntext": "page.md:5: a block is marked console: expected a first line that begins with \"$ \"",
	} {
		if _, err := Parse("page.md", strings.ReplaceAll(text, "'''", "```")); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestMatches(t *testing.T) {
	exact, measured, excerpt := &Block{}, &Block{Measured: true}, &Block{Measured: true, Excerpt: true}
	for _, c := range []struct {
		block          *Block
		shown, printed string
		want           bool
	}{
		{exact, "a\nb", "a\nb\n", true},
		{exact, "a\nb", "a\nb  \n", true}, // which editors cut off
		{exact, "a", "a\nb\n", false},
		{exact, "a\nb", "b\n", false},
		{exact, "a 1", "a 2\n", false},
		{exact, "a\n...\nd", "a\nb\nc\nd\n", true},
		{exact, "a\n...\nd", "a\nd\n", true},
		{exact, "a\n...", "b\n", false},
		{exact, "size ... B", "size 12 B\n", true},
		{exact, "size ... B", "size\n12 B\n", false},
		{exact, "a.c", "abc\n", false},
		{exact, "a", "migbsp simulate: 4 of 5 simulated, 99% of the supersteps\na\n", true},
		{exact, "a", "2026-11-22T05:53:14Z lu: superstep 40\na\n", true},
		{exact, "a", "lu: 64 ranks share 2 cores of host b: mpirun -np 2 ./lu -procs 64 does the same with fewer ranks\na\n", true},
		{exact, "time      0.2 s, 3.1 Gflop/s", "time      0.31 s, 2.05 Gflop/s\n", true},
		{exact, "time      0.2 s", "time      soon\n", false},
		{exact, "checksum  0123456789abcdef", "checksum  0123456789abcdee\n", false},

		{measured, " took 1.5 s in 3 calls", " took 20 ms in 1 call\n", true},
		{measured, " took 1.5 s in 3 calls", " used 20 ms in 1 call\n", false},
		{measured, " took 1.5 s in 3 calls", " took 20 ms\n", false},
		{measured, " rate 1.5 GB/s, 3.1 Gflop/s", " rate 900 MB/s, 990 Mflop/s\n", true},
		{measured, " rate 1.5 GB/s", " rate 900 ms\n", true}, // a unit is part of a figure
		{measured, " 429ms  100Mb/s  -", " 1.2s  2.5Gb/s  3", true},
		{measured, " 429ms  2x", " 1.2s  3x", false},
		{measured, " main.go:52  1", " main.go:53  1\n", false},
		{measured, " p3 in 9%", " p12 in 100%\n", true},
		{measured, " two-sets.hosts: 1 s", " 2-sets.hosts: 1 s\n", false},
		{measured, " n    time\n--------\n 1   20 ms", " n  time\n------\n 1   2 s\n", true},
		{measured, " n    time\n--------\n 1   20 ms", " n  time  more\n------------\n 1   2 s   5\n", false},
		{measured, " n    time\n--------\n 1   20 ms", " n  time\n------\n 1   2 s\n 2   3 s\n", true},
		{measured, " n    time\n--------\n 1   20 ms", " n  time\n------\n", false},
		{measured, " p8 r4>r0, p10 r5>r2 +2  5 MiB", " p8 r4>r0  5 B\n", true},
		{measured, " on x: 1 s, without 2 s: 3%\n   saved", " on x: 1 s, without 2 s: 30% saved\n", true},
		{measured, " Kernels  = AVX-512", " Kernels  = AVX2\n", true},
		{measured, " seen  9.7 us", " seen  not seen\n", true},
		{measured, "checksum  0123456789abcdef", "checksum  0123456789abcdee\n", false},
		{measured, " on 2026-11-22T05:53:14Z", " on 2025-01-02T15:03:01Z\n", true},
		{measured, " PASSED 1", " FAILED 1\n", false},

		{measured, " time          1 s, 5 supersteps\n efficiency    0.5 of 2 ranks\n next          a\n               b", " time          2 s, 9 supersteps; of it\n               1 s\n efficiency    0.9\n", true},
		{measured, " efficiency    0.5\n rescheduling  off", " efficiency    0.5\n", false},

		{excerpt, " a  1\n c  3", " x\n a  2\n b  9\n c  1\n y\n", true},
		{excerpt, " a  1\n c  3", " c  1\n a  2\n", false},
		{excerpt, " a  1\n c  3", " a  1\n", false},
	} {
		if got := c.block.Matches(strings.Split(c.shown, "\n"), c.printed); got != c.want {
			t.Errorf("measured %v, excerpt %v: %q of %q: %v\n%q\n%q", c.block.Measured, c.block.Excerpt, c.shown, c.printed, got,
				c.block.forms(strings.Split(c.shown, "\n")), c.block.forms(split(c.printed)))
		}
	}
}

// An update changes only lines whose output differs.
func TestUpdate(t *testing.T) {
	const text = `# Page

'''console
$ one
old
...
sum 3
$ two
same
'''

Text.

'''console measured excerpt lines>=1
$ three
 time  1 s
 rate  2 B/s
'''
`
	p := page(t, text)
	outputs := make(map[*Shown][]string)
	for at, printed := range map[[2]int]string{{0, 0}: "old\nnew\nnewer\nsum 4\n", {1, 0}: " first\n time  20 ms\n rate  30 B/s\n last\n"} {
		b := p.Blocks[at[0]]
		lines, ok := b.updated(b.Commands[at[1]].Output, printed)
		if !ok {
			t.Fatalf("no update for %q", printed)
		}
		outputs[b.Commands[at[1]]] = lines
	}
	p.replace(outputs)
	want := strings.NewReplacer("sum 3", "sum 4", "time  1 s", "time  20 ms", "rate  2 B/s", "rate  30 B/s", "'''", "```").Replace(text)
	if p.String() != want {
		t.Errorf("got\n%s\nwant\n%s", p, want)
	}
	b := p.Blocks[0]
	if _, ok := b.updated(b.Commands[0].Output, "something else\n"); ok {
		t.Error("an output without the lines of the page is taken for them")
	}
}

// Commands do not see the user's records in the tree, which git ignores, nor changes made by other
// pages.
func TestScratch(t *testing.T) {
	bench := &Bench{root: t.TempDir(), copy: t.TempDir()}
	write := func(dir, name, text string) {
		must.Write(t, filepath.Join(dir, name), text, 0o666)
	}
	for _, name := range []string{"runs/1/run.jsonl", "docs/runs/page.md", "go.mod", "docs/gone.md"} {
		write(bench.root, name, "a text")
	}
	for range 2 {
		dir := bench.scratch(t, page(t, ""))
		for name, want := range map[string]string{"runs": "", "docs/runs/page.md": "a text", "go.mod": "a text", "docs/gone.md": "a text", "docs/new/one": "", "own.toml": ""} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != want || (err == nil) != (want != "") {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		write(dir, "go.mod", "other.")
		write(dir, "docs/new/one", "text")
		write(dir, "own.toml", "text")
		must.Do(t, os.Remove(filepath.Join(dir, "docs/gone.md")))
	}
}

// A page whose commands run one after the other.
func TestRun(t *testing.T) {
	bench := &Bench{lane: "", root: t.TempDir(), prefix: t.TempDir(), copy: t.TempDir()}
	bench.environment(t)
	p := page(t, `
'''txt file=words
b
a
'''

'''console
$ sort <words >sorted
$ cat sorted
a
b
$ echo "$PWD/sorted"
sorted
'''

'''console code=3
$ echo odd >&2; exit 3
odd
'''

'''console needs=testbed
$ false
'''

'''console needs=no-such-program
$ false
'''

'''console shown it fails
$ false
'''
`)
	if got, want := bench.Run(t, p, false), (Tally{Exact: 2, Elsewhere: 1, Missing: 1, Shown: 1}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"'''console\n$ echo 1\n2\n'''\n":               "prints\n1\n\nand the page shows\n2",
		"'''console\n$ exit 4\n'''\n":                  "ends with code 4, want 0",
		"'''console code=2\n$ true\n'''\n":             "ends with code 0, want 2",
		"'''console\n$ false | cat\n'''\n":             "ends with code 1, want 0",
		"'''console\n$ no-such-command\n'''":           "ends with code 127, want 0",
		"'''console measured lines>=0\n$ echo\nx\n'''": "prints\n\n\nand the page shows\nx",
	} {
		a := &run{bench: bench, page: page(t, text), outputs: make(map[*Shown][]string)}
		a.all(t)
		if len(a.failures) != 1 || !strings.Contains(a.failures[0], want) || a.again != strings.Contains(text, "measured") {
			t.Errorf("%s: %q (again: %v), want %q", text, a.failures, a.again, want)
		}
	}
}
