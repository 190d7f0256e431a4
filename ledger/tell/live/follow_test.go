package live

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// follow reads until look reports no more entries.
func follow(t *testing.T, r *reader) {
	t.Helper()
	for {
		more := must.Get(r.look())(t)
		if !more {
			return
		}
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(name, text, 0o666))
}

func appendTo(t *testing.T, name string, text []byte) {
	t.Helper()
	f := must.Get(os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666))(t)
	defer f.Close()
	must.Get(f.Write(text))(t)
}

var growing = livetest.Story{Seed: 1, Steps: 60, Ranks: 4, Sets: 2, Procs: 2, Every: 8}

// A file that grows, also by parts of lines, is read as a complete file is.
func TestFollowGrowing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	r := newReader(dir)
	defer r.follower.Close()
	waits := []string{}
	wait := func() {
		follow(t, r)
		if n := len(waits); r.wait != "" && (n == 0 || waits[n-1] != r.wait) {
			waits = append(waits, r.wait)
		}
	}
	wait()
	must.Do(t, os.Mkdir(dir, 0o777))
	wait()
	name := filepath.Join(dir, ledger.RecordName)
	write(t, name, nil)
	wait()
	text := growing.Record()
	for len(text) > 0 {
		n := min(len(text), 97)
		appendTo(t, name, text[:n])
		text = text[n:]
		wait()
	}
	want := "there is no such file or directory yet|there is no run.jsonl in this directory yet|it is empty so far|its first line is not whole yet"
	if got := strings.Join(waits, "|"); got != want {
		t.Errorf("waited for %s, want %s", got, want)
	}
	whole := told(growing)
	if got, want := picture(r.state), picture(whole); got != want {
		t.Errorf("followed:\n%s\nread at once:\n%s", got, want)
	}
	if r.state.End == nil || len(r.state.Problems()) > 0 || r.follower.Partial() {
		t.Errorf("end %v, problems %q", r.state.End, r.state.Problems())
	}
}

// picture returns the text of all views of a state.
func picture(s *State) string {
	var all []string
	for _, table := range Tables {
		all = append(all, Frame(s, Source{Name: "r"}, View{Table: table}, Size{150, 60}, true, false).Lines...)
	}
	return strings.Join(all, "\n")
}

// When another run's record replaces the followed record, the earlier entries are void.
func TestFollowAnotherRun(t *testing.T) {
	next := livetest.Story{Seed: 2, Steps: 30, Ranks: 2, Sets: 1, Procs: 1}
	longer := next
	longer.Steps = 500
	for name, replace := range map[string]func(t *testing.T, name string) livetest.Story{
		"truncated and shorter": func(t *testing.T, name string) livetest.Story {
			write(t, name, next.Record())
			return next
		},
		"truncated and longer": func(t *testing.T, name string) livetest.Story {
			write(t, name, longer.Record())
			return longer
		},
		"renamed over": func(t *testing.T, name string) livetest.Story {
			write(t, name+".new", longer.Record())
			must.Do(t, os.Rename(name+".new", name))
			return longer
		},
		"removed and made again": func(t *testing.T, name string) livetest.Story {
			must.Do(t, os.Rename(name, name+".old"))
			write(t, name, next.Record())
			return next
		},
	} {
		t.Run(name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), ledger.RecordName)
			write(t, name, growing.Record())
			r := newReader(name)
			defer r.follower.Close()
			follow(t, r)
			if got, want := picture(r.state), picture(told(growing)); got != want {
				t.Fatalf("the first run is read as\n%s\nwant\n%s", got, want)
			}
			story := replace(t, name)
			follow(t, r)
			if got, want := picture(r.state), picture(told(story)); got != want {
				t.Errorf("the second run is read as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A record that is removed stays on the screen.
func TestFollowRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), ledger.RecordName)
	write(t, name, growing.Record())
	r := newReader(name)
	defer r.follower.Close()
	follow(t, r)
	must.Do(t, os.Remove(name))
	follow(t, r)
	if got, want := picture(r.state), picture(told(growing)); got != want {
		t.Errorf("after it was removed\n%s\nwant\n%s", got, want)
	}
}

// A file that is no record, or a record of another version, is an error that names it.
func TestFollowForeign(t *testing.T) {
	for text, want := range map[string]string{
		"#!/bin/sh\necho\n":   `:1:1: "#!/bin/sh" is not the head of a record`,
		"\x1f\x8bxxxxxxxxxxx": "gzip: invalid header",
	} {
		name := filepath.Join(t.TempDir(), "x")
		write(t, name, []byte(text))
		r := newReader(name)
		_, err := r.look()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
		r.follower.Close()
	}
}

// Unreadable lines are reported, and the others are shown.
func TestFollowDamaged(t *testing.T) {
	lines := bytes.SplitAfter(growing.Record(), []byte("\n"))
	lines[5] = []byte("{\"type\":\n")
	name := filepath.Join(t.TempDir(), "x")
	write(t, name, bytes.Join(lines, nil))
	r := newReader(name)
	defer r.follower.Close()
	follow(t, r)
	if p := r.state.Problems(); len(p) != 1 || !strings.HasPrefix(p[0], name+":6:") || r.state.Account.Steps() != growing.Steps-1 {
		t.Errorf("problems %q, %d supersteps", p, r.state.Account.Steps())
	}
}

func TestFollowPacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(growing.Record())
	z.Close()
	for _, c := range []struct {
		bytes    []byte
		cut      bool
		problems int
	}{{packed.Bytes(), false, 0}, {packed.Bytes()[:packed.Len()-50], true, 0}, {append(packed.Bytes()[:packed.Len()-8:packed.Len()-8], make([]byte, 8)...), false, 1}} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ledger.RecordName+".gz"), c.bytes)
		r := newReader(dir)
		follow(t, r)
		follow(t, r)
		if got := len(r.state.Problems()); got != c.problems || (r.follower.Cut() != "") != c.cut || r.state.Account.Steps() == 0 {
			t.Errorf("%d bytes: problems %q, %d supersteps", len(c.bytes), r.state.Problems(), r.state.Account.Steps())
		}
		r.follower.Close()
	}
}

// The age of the record is the time since its last change.
func TestAge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	write(t, name, growing.Record())
	then := time.Now().Add(-90 * time.Second)
	must.Do(t, os.Chtimes(name, then, then))
	r := newReader(name)
	defer r.follower.Close()
	follow(t, r)
	if age := r.source(then.Add(100 * time.Second)).Age.Round(time.Second); age != 100*time.Second {
		t.Errorf("the age is %v, want 1m40s", age)
	}
	appendTo(t, name, []byte("\n"))
	follow(t, r)
	if age := r.source(time.Now()).Age; age > 60*time.Second {
		t.Errorf("after a change the age is %v", age)
	}
}
