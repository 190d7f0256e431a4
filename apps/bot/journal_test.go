package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// summed prefixes each line with its checksum.
func summed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%08x %s", crc32.Checksum([]byte(strings.TrimSuffix(line, "\n")), castagnoli), line)
	}
	return b.String()
}

const journalText = `{"bag":"b","tasks":3,"what":"w"}
{"done":[{"task":2,"out":"b3V0"},{"task":0,"err":"ZXJy"}]}
{"done":[{"task":1}]}
`

// readTasks reads a journal of a bag of three tasks.
func readTasks(text io.Reader) (tasks []outcome, whole int64, err error) {
	whole, err = readJournal(text, "j", journalHead{Bag: "b", Tasks: 3}, func(o *outcome) { tasks = append(tasks, *o) })
	return tasks, whole, err
}

// A hole in a journal, such as after a crash of the host, is left out at the end, damage before
// other lines, and takes no memory.
func TestJournalWithAHole(t *testing.T) {
	text := summed(journalText)
	for _, c := range []struct {
		begin, end string
		tasks      int
		err        string
	}{
		{text, "", 3, ""},
		{text[:len(text)-10], "", 2, ""},
		{text[:len(text)-10], "\n", 2, ""},
		{text[:len(text)-10], "\n" + text, 2, "j:3: the line is damaged"},
	} {
		tasks, _, err := readTasks(io.MultiReader(strings.NewReader(c.begin), io.LimitReader(hole{}, 1<<28), strings.NewReader(c.end)))
		if len(tasks) != c.tasks || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("...%.20q: %d tasks, %v; want %d, %q", c.end, len(tasks), err, c.tasks, c.err)
		}
	}
	kept := testing.AllocsPerRun(1, func() { readTasks(io.MultiReader(strings.NewReader(text), io.LimitReader(hole{}, 1<<28))) })
	if kept > 1000 {
		t.Errorf("%.0f allocations", kept)
	}
}

// hole reads as zeros.
type hole struct{}

func (hole) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A pipe is rejected as a journal.
func TestJournalIsARegularFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	must.Do(t, syscall.Mkfifo(name, 0o600))
	if _, err := openJournal(name, journalHead{}, true, nil); err == nil || err.Error() != name+" is a pipe; expected a regular file" {
		t.Errorf("%v", err)
	}
	must.Do(t, os.Remove(name))
}

// FuzzJournal reads journals of any content. The part that counts reads the same alone.
func FuzzJournal(f *testing.F) {
	f.Add(summed(journalText), false)
	f.Add(journalText, true)
	f.Add(`{"bag":"b"}`+"\n"+`{"done":[{"task":-1},{"task":3}]}`+"\n", true)
	f.Fuzz(func(t *testing.T, text string, sum bool) {
		if sum {
			text = summed(text)
		}
		tasks, whole, err := readTasks(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "j:") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		for _, task := range tasks {
			if task.Task < 0 || task.Task >= 3 {
				t.Errorf("task %d", task.Task)
			}
		}
		again, length, err := readTasks(strings.NewReader(text[:whole]))
		if err != nil && whole > 0 || length != whole || !reflect.DeepEqual(again, tasks) {
			t.Errorf("%d bytes with %d tasks, and again %d with %d: %v", whole, len(tasks), length, len(again), err)
		}
	})
}
