//go:build unix

package loss

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// of returns a loss of a start that a node reports.
func of(start string, node int) Loss {
	return Loss{
		Start: start, Node: node, Time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Program: "lu",
		Hosts: []Host{{Name: "node7", Ranks: []int{3}, Reason: "ended by signal 9 (killed)", Place: Place{Step: 2048, Stage: 31}}},
	}
}

func TestLine(t *testing.T) {
	const lost = "lu: rank 3 on node7 is lost: ended by signal 9 (killed) in superstep 2048, after stage 30 of stage loop 0"
	for want, r := range map[string]*Restart{
		"":                                  nil,
		"; there is no checkpoint yet in d": {Directory: "d"},
		"; there is no checkpoint to go on from (-checkpoint, -checkpoint-every)":                  {},
		"; newest checkpoint: d/lu-2; to go on from it:  mpirun ... ./lu -n '6 0' -restart d/lu-2": {Directory: "d", Checkpoint: "d/lu-2", Command: []string{"./lu", "-n", "6 0", "-restart", "d/lu-2"}, Launcher: "mpirun"},
		"; newest checkpoint: d/lu-2": {Checkpoint: "d/lu-2"},
	} {
		l := of("a", 0)
		l.Restart = r
		if got := l.Line(); got != lost+want {
			t.Errorf("%+v: %q, want %q", r, got, lost+want)
		}
	}
}

func TestRanksText(t *testing.T) {
	for want, ranks := range map[string][]int{
		"rank 3": {3}, "ranks 3-4": {3, 4}, "ranks 0,2-4,9": {0, 2, 3, 4, 9},
		"ranks 0,2,4,6,8,10,12,14,... (10 in all)": {0, 2, 4, 6, 8, 10, 12, 14, 16, 18},
	} {
		if got := RanksText(ranks); got != want {
			t.Errorf("%v: %q, want %q", ranks, got, want)
		}
	}
}

func TestPlaceText(t *testing.T) {
	for want, p := range map[string]Place{
		"in superstep 3": {Step: 3}, "in superstep 9, after stage 4 of stage loop 1": {Step: 9, Loop: 1, Stage: 5},
		"before its first superstep": {}, "while it had no processes and took no part": {Away: true},
	} {
		if got := p.Of(1); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

// A file keeps the losses of all starts, and of each start the report of the lowest node.
func TestAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	for _, l := range []Loss{of("a", 0), of("b", 1), of("b", 2), of("b", 0), of("b", 1), of("c", 1)} {
		must.Do(t, Add(path, l))
	}
	var got []string
	for _, l := range must.Get(Read(path))(t) {
		got = append(got, fmt.Sprint(l.Start, l.Node))
	}
	if want := []string{"a0", "b0", "c1"}; !slices.Equal(got, want) {
		t.Errorf("the file has %v, want %v", got, want)
	}
	if info := must.Get(os.Stat(path))(t); info.Mode() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	if files := must.Get(os.ReadDir(filepath.Dir(path)))(t); len(files) != 1 {
		t.Errorf("the directory has %v", files)
	}
	if err := Add(filepath.Join(t.TempDir(), "missing", Name), of("a", 0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

// A file has the starts of a run that goes on after losses, with their ends.
func TestStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	at := func(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }
	l := of("a", 0)
	must.Do(t, EndStart(path, at(0), nil, "none has begun"))
	must.Do(t, AddStart(path, at(1)))
	must.Do(t, Add(path, l))
	must.Do(t, EndStart(path, at(2), &l, "loss"))
	must.Do(t, AddStart(path, at(3)))
	want := []Start{{Began: at(1), Ended: at(2), Cause: "loss", Loss: "a"}, {Began: at(3)}}
	if got := must.Get(ReadStarts(path))(t); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if losses := must.Get(Read(path))(t); len(losses) != 1 {
		t.Errorf("the file has %+v", losses)
	}
}

// Concurrent writers lose no entry, and a reader always finds a complete file.
func TestAddAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	var writers sync.WaitGroup
	for i := range 40 {
		writers.Go(func() {
			if err := Add(path, of(fmt.Sprint(i/2), i%2)); err != nil {
				t.Error(err)
			}
		})
	}
	written := make(chan bool)
	go func() {
		writers.Wait()
		close(written)
	}()
	for going := true; going; {
		select {
		case <-written:
			going = false
		default:
		}
		if _, err := Read(path); err != nil {
			t.Fatal(err)
		}
	}
	losses := must.Get(Read(path))(t)
	if len(losses) != 20 || slices.ContainsFunc(losses, func(l Loss) bool { return l.Node != 0 }) {
		t.Errorf("the file has %+v", losses)
	}
}

// A writer that has died in the middle does not keep others from writing.
func TestAddAfterDeadWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	lock := filepath.Join(filepath.Dir(path), "."+Name+".adding")
	must.Do(t, os.WriteFile(lock, nil, 0o600))
	must.Do(t, os.Chtimes(lock, time.Time{}, time.Now().Add(-time.Minute)))
	must.Do(t, Add(path, of("a", 0)))
	if losses := must.Get(Read(path))(t); len(losses) != 1 {
		t.Errorf("the file has %+v", losses)
	}
}

// Files that are not of this program are refused, and none is read without end.
func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, syscall.Mkfifo(path("fifo"), 0o600))
	must.Do(t, os.Symlink("/dev/zero", path("zero")))
	must.Do(t, os.Mkdir(path("directory"), 0o700))
	must.Do(t, os.WriteFile(path("large"), nil, 0o600))
	must.Do(t, os.Truncate(path("large"), maxBytes+1))
	host := `{"host": "h", "ranks": [%s], "reason": "", "place": {}}`
	loss := func(start, hosts string) string {
		return `{"schema": "migbsp.losses/1", "losses": [{"start": "` + start + `", "hosts": [` + hosts + `]}]}`
	}
	for name, text := range map[string]string{
		"schema": `{"schema": "migbsp.losses/2"}`, "half": `{"schema": "migbsp.losses/1", "losses": [`, "list": "[]", "none": "",
		"start": loss("", fmt.Sprintf(host, "1")), "hosts": loss("a", ""), "ranks": loss("a", fmt.Sprintf(host, "")),
		"negative": loss("a", fmt.Sprintf(host, "-1")), "order": loss("a", fmt.Sprintf(host, "2,1")),
		"many": `{"schema": "migbsp.losses/1", "losses": [` + strings.Repeat("{},", maxLosses) + `{}]}`,
	} {
		must.Do(t, os.WriteFile(path(name), []byte(text), 0o600))
	}
	for _, file := range must.Get(os.ReadDir(dir))(t) {
		if losses, err := Read(path(file.Name())); err == nil {
			t.Errorf("%s has the losses %+v", file.Name(), losses)
		}
		if Add(path(file.Name()), of("b", 0)) == nil {
			t.Errorf("a loss is added to %s", file.Name())
		}
	}
	must.Do(t, os.WriteFile(path("good"), []byte(loss("a", fmt.Sprintf(host, "1"))), 0o600))
	must.Get(Read(path("good")))(t)
	if losses, err := Read(path("missing")); losses != nil || err != nil {
		t.Errorf("without a file: %v, %v", losses, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema": "migbsp.losses/1", "losses": [{"start": "a", "hosts": [{"host": "h", "ranks": [1, 2]}]}]}`))
	f.Add([]byte(`{"schema": "migbsp.losses/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		f, err := decode(text)
		for _, l := range f.Losses {
			if err != nil || l.Line() == "" || !strings.Contains(l.Cause(), "lost") {
				t.Errorf("%q: %v, %+v", text, err, l)
			}
		}
	})
}

// An inbox returns losses of the program for which it was opened. It waits while a watcher attends.
func TestInbox(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	if Attend(path) != nil {
		t.Fatal("there is an inbox before it is opened")
	}
	must.Do(t, Add(path, of("earlier", 0)))
	box := must.Get(Open(path))(t)
	if l := box.Await(time.Hour); l != nil {
		t.Errorf("it has %+v", l)
	}
	watcher := Attend(path)
	if watcher == nil {
		t.Fatal("no watcher attends")
	}
	if l := box.Await(10 * time.Millisecond); l != nil {
		t.Errorf("it has %+v", l)
	}
	came := make(chan *Loss)
	go func() { came <- box.Await(time.Hour) }()
	must.Do(t, Add(path, of("this", 0)))
	if l := <-came; l == nil || l.Start != "this" {
		t.Errorf("it has %+v", l)
	}
	watcher.Close()
	box.Close()
	if files := must.Get(os.ReadDir(filepath.Dir(path)))(t); len(files) != 1 {
		t.Errorf("the directory has %v", files)
	}
}

// While a watcher attends, and then ends without a loss, the inbox waits no longer.
func TestInboxWithoutLoss(t *testing.T) {
	box := must.Get(Open(filepath.Join(t.TempDir(), Name)))(t)
	defer box.Close()
	watcher := Attend(box.path)
	came := make(chan *Loss)
	go func() { came <- box.Await(time.Hour) }()
	watcher.Close()
	if l := <-came; l != nil {
		t.Errorf("it has %+v", l)
	}
}

// Rank 0's node replaces the report of another node, which may be cut off.
func TestInboxSettles(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	box := must.Get(Open(path))(t)
	defer box.Close()
	must.Do(t, Add(path, of("a", 1)))
	if l := box.Look(); l != nil {
		t.Errorf("node 1's report is taken at once: %+v", l)
	}
	must.Do(t, Add(path, of("a", 0)))
	if l := box.Look(); l == nil || l.Node != 0 {
		t.Errorf("it has %+v", l)
	}
	must.Do(t, Add(path, of("b", 1)))
	box.seen = time.Now().Add(-settling)
	if l := box.Look(); l == nil || l.Start != "b" {
		t.Errorf("it has %+v", l)
	}
}
