package loss

import (
	"os"
	"path/filepath"
	"time"
)

// An Inbox waits for the loss of a program that this process starts.
//
// A watcher attends an inbox while it may still report a loss. After a launcher has ended, its parent
// waits only while a watcher attends.
type Inbox struct {
	path  string
	known map[string]bool // starts whose losses were in the file before
	door  *os.File        // that watchers lock
	seen  time.Time       // first time a loss of the program was found
}

// Open opens an inbox at a path, in a directory that exists. The inbox ignores losses that are
// already in the file.
func Open(path string) (*Inbox, error) {
	box := &Inbox{path: path, known: make(map[string]bool)}
	err := box.Reopen()
	if err != nil {
		return nil, err
	}
	box.door, err = os.OpenFile(door(path), os.O_RDWR|os.O_CREATE, 0o600)
	return box, err
}

// Reopen makes the inbox ignore losses that are in the file already: for the next start of the program.
func (box *Inbox) Reopen() error {
	before, err := Read(box.path)
	if err != nil {
		return err
	}
	for _, l := range before {
		box.known[l.Start] = true
	}
	box.seen = time.Time{}
	return nil
}

// Close removes the files of the inbox, but not the file of losses.
func (box *Inbox) Close() {
	os.Remove(box.door.Name())
	box.door.Close()
}

// Environment returns the setting that has the watchers of a started program write here.
func (box *Inbox) Environment() string { return Variable + "=" + box.path }

// settling is the time during which a loss reported by another node than rank 0's may still be
// replaced. The node of rank 0 needs as long to find a host that is cut off, with the beats of both
// apart.
const settling = 3 * time.Second

// Look returns the program's loss, or nil.
func (box *Inbox) Look() *Loss {
	losses, err := Read(box.path)
	if err != nil || len(losses) == 0 || box.known[losses[len(losses)-1].Start] {
		return nil
	}
	if box.seen.IsZero() {
		box.seen = time.Now()
	}
	l := &losses[len(losses)-1]
	if l.Node > 0 && time.Since(box.seen) < settling {
		return nil
	}
	return l
}

// Attended reports whether a watcher attends the inbox.
func (box *Inbox) Attended() bool { return tryLock(box.door) != nil }

// pause is the time between two looks.
const pause = 20 * time.Millisecond

// Await waits for the program's loss, after the launcher has ended. It returns nil if no watcher
// attends any more, or after patience.
func (box *Inbox) Await(patience time.Duration) *Loss {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		attended := box.Attended()
		if l := box.Look(); l != nil {
			return l
		}
		if !attended && box.seen.IsZero() || time.Now().After(end) {
			return nil
		}
	}
}

// Attend makes the inbox at a path wait until this process ends or closes the returned file. It
// returns nil if no inbox is open there.
func Attend(path string) *os.File {
	f, err := os.OpenFile(door(path), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	for range attempts {
		if lockShared(f) == nil {
			return f
		}
		time.Sleep(pause / 10) // the other process looks whether a watcher attends
	}
	f.Close()
	return nil
}

// attempts is the number of attempts to attend an inbox.
const attempts = 50

func door(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}
