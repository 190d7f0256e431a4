package ledger_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
)

// packed returns a text as gzip data.
func packed(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}

// A record that was cut off anywhere is incomplete, and not damaged: the run was killed.
func TestCutRecords(t *testing.T) {
	whole := Written(Story(8, 11)).Bytes()
	head := bytes.IndexByte(whole, '\n') + 1
	step := 1
	if testing.Short() {
		step = 11
	}
	for n := head; n <= len(whole); n += step {
		h, err := ReadFrom("r", bytes.NewReader(whole[:n]))
		if err != nil || len(h.Problems) > 0 || (h.Cut != "") != (whole[n-1] != '\n') {
			t.Fatalf("cut after %d bytes: %v, %q, problems %q", n, err, h.Cut, h.Problems)
		}
		if brief := tell.OfRecord(h).Brief(); strings.Contains(brief, "damaged") || n < len(whole) && !strings.HasPrefix(brief, "NOT ENDED") {
			t.Fatalf("cut after %d bytes: %s", n, brief)
		}
	}
	small := packed(whole)
	read := 0
	for n := len(small) - 1; n > len(small)/2; n-- {
		h, err := ReadFrom("r", bytes.NewReader(small[:n]))
		if err != nil { // the head is not there yet
			break
		}
		read++
		if len(h.Problems) > 0 || h.Cut == "" {
			t.Fatalf("packed and cut after %d bytes: %q, problems %q", n, h.Cut, h.Problems)
		}
	}
	if read < 9 {
		t.Errorf("%d packed records were read", read)
	}
}

// Reading damaged records ends, and reports the damage.
func TestDamagedRecords(t *testing.T) {
	whole := Written(Story(8, 25)).Bytes()
	small := packed(whole)
	lost := errors.New("input/output error")
	for name, c := range map[string]struct {
		from    io.Reader
		problem string
	}{
		"zeros at the end":        {bytes.NewReader(append(whole[:len(whole)-300:len(whole)-300], make([]byte, 300)...)), "invalid character '\\x00'"},
		"text after the end":      {strings.NewReader(string(whole) + `{"type":"superstep`), "text follows the end of the run"},
		"a wrong sum in gzip":     {bytes.NewReader(append(small[:len(small)-8:len(small)-8], make([]byte, 8)...)), "gzip: invalid checksum"},
		"a disk that cannot read": {io.MultiReader(bytes.NewReader(whole[:len(whole)-300]), failingReader{lost}), lost.Error()},
	} {
		h, err := ReadFrom("r", c.from)
		if err != nil || len(h.Problems) != 1 || !strings.Contains(h.Problems[0], c.problem) {
			t.Errorf("%s: %v, %+v; want %q", name, err, h, c.problem)
			continue
		}
		if brief := tell.OfRecord(h).Brief(); !strings.HasSuffix(brief, "damaged record") {
			t.Errorf("%s: %s", name, brief)
		}
	}
	name := filepath.Join(t.TempDir(), "r.gz")
	must.Do(t, os.WriteFile(name, append(small[:len(small)-8:len(small)-8], make([]byte, 8)...), 0o600))
	must.Get(must.Get(Read(name))(t).ReadTraffic())(t)
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// A run that a signal ended has supersteps after its last Capacity.
func TestRunThatWasEndedEarly(t *testing.T) {
	all := []Entry{TwoRanks(), Sample(1, "x", time.Second, time.Second), &Capacity{At: 1, Ranks: []RankCapacity{{Elapsed: 1, CPU: 1}, {Elapsed: 1, CPU: 1}}},
		Sample(2, "x", time.Second, time.Second), &End{Code: 143, Reason: "ended by signal 15 (terminated)", At: 3, Supersteps: 2}}
	h, err := ReadFrom("r", Written(all))
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	if brief := tell.OfRecord(h).Brief(); brief != "code 143 after 3 s, ended by signal 15 (terminated)" {
		t.Error(brief)
	}
}

// endless is one character without an end. It counts the bytes that are read.
type endless struct {
	char string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	e.n += len(p)
	return copy(p, strings.Repeat(e.char, len(p))), nil
}

// A line without an end is not read to its end, nor kept in memory.
func TestEndlessLines(t *testing.T) {
	head := strings.SplitAfter(Written(Story(1, 1)).String(), "\n")[0]
	const tooLong = "the line has more than 33554432 bytes; expected an entry of a record of migbsp"
	for name, c := range map[string]struct{ begin, char, want string }{
		"an entry":           {head + `{"type":"warning","text":"`, "x", tooLong},
		"spaces as an entry": {head, " ", tooLong},
		"the head":           {`{"type":"run","program":"`, "x", tooLong},
		"spaces as the head": {"", " ", "is not the head of a record"},
	} {
		input := &endless{char: c.char}
		h, err := ReadFrom("r", io.MultiReader(strings.NewReader(c.begin), input))
		if err == nil {
			err = fmt.Errorf("%q", h.Problems)
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if input.n > LongestLine+1<<20 {
			t.Errorf("%s: %d bytes were read", name, input.n)
		}
	}
	// Readers that do not use Loads skip their lines, of any length.
	long := head + LoadPrefix + `,"work":[` + strings.Repeat("0,", LongestLine/2) + "0]}\n" + `{"type":"progress","step":3}` + "\n"
	if h, err := ReadFrom("r", strings.NewReader(long)); err != nil || len(h.Problems) > 0 || len(h.Progress) != 1 {
		t.Errorf("a long Load: %v, %+v", err, h)
	}
}

// Entries are not decoded if they take far more memory than bytes.
func TestEntriesThatTakeMemory(t *testing.T) {
	head := strings.SplitAfter(Written(Story(1, 1)).String(), "\n")[0]
	for name, line := range map[string]string{
		"verdicts": `{"type":"balance","call":1,"verdicts":[` + strings.Repeat("{},", 1<<20) + "{}]}",
		"messages": LoadPrefix + `,"msg":[` + strings.Repeat("[],", 1<<20) + "[]]}",
	} {
		d := NewDecoder("r", strings.NewReader(head+line+"\n")).WithLoads()
		must.Get(d.Next())(t)
		if _, err := d.Next(); err == nil || !strings.Contains(err.Error(), "bytes of JSON; expected at least") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Lines of unknown types are counted, and only a few types are named, in few words.
func TestManyUnknownTypes(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.SplitAfter(Written(Story(1, 1)).String(), "\n")[0])
	for i := range 10000 {
		fmt.Fprintf(&text, `{"type":"%d%s"}`+"\n", i, strings.Repeat("x", 1000))
	}
	h, err := ReadFrom("r", strings.NewReader(text.String()))
	all := strings.Join(h.Problems, "\n")
	if err != nil || len(h.Problems) != 9 || len(all) > 2000 || !strings.Contains(all, "9992 lines of further types skipped") {
		t.Errorf("%v, %.3000s", err, all)
	}
}

// Errors do not repeat long texts of the record.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, err := ReadFrom("r", strings.NewReader(`{"type":"run","schema":"`+long+`"}`+"\n"))
	if err == nil || len(err.Error()) > 500 {
		t.Errorf("%.600v", err)
	}
}

// No entry is written that a reader would refuse.
func TestLongEntriesAreNotWritten(t *testing.T) {
	f := new(File)
	r := NewRecorder(f, nil)
	r.Begin(TwoRanks())
	r.Enter(&Warning{Text: strings.Repeat("x", LongestLine)})
	must.Do(t, r.Close(&End{}, nil))
	h, err := ReadFrom("r", f)
	if err != nil || len(h.Problems) > 0 || len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0].Text, "a record of type warning has 33554") {
		t.Errorf("%v, %q, %.200v", err, h.Problems, h.Warnings)
	}
	long := TwoRanks()
	long.Program = strings.Repeat("x", LongestLine)
	r = NewRecorder(new(File), nil)
	r.Begin(long)
	if err := r.Close(&End{}, nil); err == nil || !strings.Contains(err.Error(), "a record of type run has") {
		t.Errorf("a head that is too long: %v", err)
	}
}

// A pipe or a device is rejected as a record at once.
func TestRecordsAreRegularFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, RecordName)
	must.Do(t, syscall.Mkfifo(name, 0o600))
	if _, err := Read(dir); err == nil || err.Error() != name+" is a pipe; expected a regular file" {
		t.Errorf("a pipe: %v", err)
	}
	must.Do(t, os.Remove(name))
	must.Do(t, os.Symlink("/dev/zero", name))
	if _, err := Read(dir); err == nil || err.Error() != name+" is a device; expected a regular file" {
		t.Errorf("a device: %v", err)
	}
}

// FuzzUnpacked reads any entries with all that they have.
func FuzzUnpacked(f *testing.F) {
	entries := Written(Story(6, 12)).Bytes()
	f.Add(packed(entries))
	f.Add(packed(entries)[:200])
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Unpack("r", bytes.NewReader(text))
		if err != nil {
			return
		}
		d := NewDecoder("r", io.LimitReader(r, 1<<20)).WithLoads()
		for {
			e, err := d.Next()
			if errors.Is(err, io.EOF) || d.Err() != nil || err != nil && d.Run() == nil {
				break
			}
			if err != nil {
				continue
			}
			if _, err := AppendEntry(nil, e); err != nil {
				if _, is := errors.AsType[*json.UnsupportedValueError](err); !is {
					t.Errorf("%T that was read cannot be written: %v", e, err)
				}
			}
		}
		d.Cut()
		d.Damage()
	})
}
