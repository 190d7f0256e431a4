package hostfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWrongHostLines(t *testing.T) {
	refuses(t, by(Rules{}), []row{
		{"nothing", "", "h:1:1: a file without hosts, expected a line for each"},
		{"comments only", "# a\n", "h:1:1: a file without hosts"},
		{"all excluded", "a\n^a\n", "h:1:1: a file without hosts"},
		{"excluded, not there", "a\n^b\n", `h:2:2: host "b", which no line of the file names`},
		{"byte order mark", "\xef\xbb\xbfa\n", "h:1:1: byte order mark of UTF-8"},
		{"UTF-16", "\xff\xfea\x00\n\x00", "h:1:1: byte order mark of UTF-16"},
		{"unknown key", "a\nb cluster=A\n", `h:2:3: "cluster", expected slots=, max_slots=`},
		{"figure on a host line", "a speed=0.1\n", `h:1:3: "speed" on a host line, which MPI does not read, expected it on a line #@host or #@set`},
		{"second word", "a b\n", `h:1:3: "b" without a value`},
		{"key without value", "a slots=\n", `h:1:9: "slots=" without a value`},
		{"slots=auto", "a slots=auto\n", `h:1:9: slots="auto", expected a number from 0 to 65536`},
		{"negative slots", "a slots=-1\n", `h:1:9: slots="-1"`},
		{"signed slots", "a slots=+1\n", `h:1:9: slots="+1"`},
		{"many slots", "a slots=65537\n", `h:1:9: slots="65537"`},
		{"many slots by repetition", "a slots=65536\na\n", "h:2:1: 65537 slots on host a, expected at most 65536"},
		{"max_slots=0", "a max_slots=0\n", `h:1:13: max_slots="0"`},
		{"above max_slots", "a slots=4 max_slots=2\n", "h:1:1: 4 slots on host a, expected at most 2"},
		{"above max_slots later", "a max_slots=2\na\n", "h:2:1: 3 slots on host a, expected at most 2"},
		{"slots twice on a line", "a slots=1 cpu=1\n", "h:1:11: slots= again"},
		{"slots twice", "a slots=1\nb\na slots=1\n", "h:3:3: slots of host a, which line 1 names already"},
		{"slots later", "a\na slots=4\n", "h:2:3: slots of host a, which line 1 names already"},
		{"slots twice, none", "a slots=0\na slots=0\n", "h:2:3: slots of host a"},
		{"slots twice, short name", "a.b slots=1\nA slots=1\n", "h:2:3: slots of host a.b, which line 1"},
		{"count of none", "a:0\n", `h:1:3: "0" after the colon`},
		{"count of all", "a:*\n", `h:1:3: "*" after the colon`},
		{"count by the launcher", "a:auto\n", `h:1:3: "auto" after the colon`},
		{"interface for hydra", "a:2 ifname=lo\n", `h:1:5: "ifname", expected slots=`},
		{"no count", "a:\n", `h:1:3: "" after the colon`},
		{"count behind IPv6", "[::1]:x\n", `h:1:7: "x" after the colon`},
		{"no host before the count", ":2\n", "h:1:1: no name"},
		{"relative host", "+n0\n", `h:1:1: "+n0", a host by its number`},
		{"empty host", "+e:2\n", `h:1:1: "+e:2"`},
		{"user without name", "@a\n", `h:1:1: "" as user`},
		{"user without host", "u@\n", "h:1:3: no name"},
		{"user of other characters", "u$x@a\n", `h:1:2: "u$x" as user`},
		{"open quotation mark", "a user=\"b\n", "h:1:8: quotation mark that nothing closes"},
		{"open comment", "a\nb /* c\nd\n", "h:2:3: comment that nothing closes"},
		{"line begins with the end of a comment", "a /*\n*/ slots=2\n", "h:2:9: '=' in the name"},
		{"two domains", "a.b\na.c\na\n", `h:3:1: host "a", which may be a.b of line 1 or a.c of line 2`},
		{"rank twice", "rank 0=a slot=0\nrank 0=b slot=0\n", "h:2:6: rank 0, which is on line 1 already"},
		{"rank of many hosts", "rank 0=a[1-2] slot=0\n", `h:1:8: "a[1-2]" for a rank, expected one host`},
		{"rank with slots", "rank 0=a slots=1\n", `h:1:10: "slots", expected slot=`},
		{"rank of a relative host", "rank 0=+n1 slot=0\n", `h:1:8: "+n1"`},
		{"rank too large", "rank 99999999999999999999=a\n", `h:1:6: rank "99999999999999999999"`},
		{"CR within a line", "a\rb\n", `h:1:2: '\r' in the name`},
		{"too many hosts", "a[1-65536]\nb\n", "h:2:1: more than 65536 hosts"},
		{"too many bytes", strings.Repeat("#\n", 8<<20) + "a\n", "h:1:1: a file of more than 16 MiB"},
	})
	refuses(t, by(Rules{Strict: true}), []row{
		{"no Set", "a\n#@set x\nb\nc\n", "h:1:1: host a in no Set, expected a #@set above it or with it in nodes="},
	})
}

func TestErrorsAreCollectedInOrder(t *testing.T) {
	got := failure(t, Rules{}, "a slots=x\n#@set s speed=0\nb c\n#@link s s x=1\n")
	want := strings.Join([]string{
		`h:1:9: slots="x", expected a number from 0 to 65536`,
		`h:2:15: speed "0", expected a number from 1e-06 to 1e+06, 1 being a core of this machine`,
		`h:3:3: "c" without a value, expected key=value`,
		`h:4:12: attribute "x", expected rate, latency or share`,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrorsEndAfterTen(t *testing.T) {
	got := failure(t, Rules{}, strings.Repeat("a b\n", 100))
	if n := strings.Count(got, "\n") + 1; n != 10 {
		t.Errorf("%d errors:\n%s", n, got)
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := Parse("h", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hosts")
	if _, err := Read(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	must.Do(t, os.WriteFile(path, []byte("a slots=2\n"), 0o600))
	f, err := Read(path)
	if err != nil || f.Name != path || f.Ranks() != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

func TestWriteToReportsErrors(t *testing.T) {
	f := parse(t, "a slots=2\n")
	var text bytes.Buffer
	if n, err := f.WriteTo(&text); err != nil || n != int64(text.Len()) {
		t.Errorf("%d, %v", n, err)
	}
	full := errors.New("full")
	if _, err := f.WriteTo(brokenWriter{full}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }
