package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Lock keeps other runs from writing checkpoints to a directory: they would remove each other's
// unfinished checkpoints. Rank 0 of a run holds the lock for all ranks. The kernel releases it when
// the Go program ends, even by a signal.
//
// The locked file contains a line about the run and a random number. Some file systems lock files
// for one host only. There a run on another host can take the directory over, and then the number
// shows the first run that the directory is no longer its own.
type Lock struct {
	name  string // of the file
	file  *os.File
	text  string               // of the file; "" if it could not be written
	flock func(*os.File) error // locks an open file
}

// InUse is the error for a directory to which another run writes checkpoints.
type InUse struct {
	Holder string // describes the run; "" if unknown
}

func (e *InUse) Error() string {
	text := "another run writes checkpoints there"
	if e.Holder != "" {
		text += ": " + e.Holder
	}
	return text
}

// LockPatience is the time that a restarted run waits for the run before it, which may still be
// ending. An NFS server keeps the locks of a crashed host for 90 s.
const LockPatience = 2 * time.Minute

// lockPace is the time between two attempts to lock a directory.
const lockPace = 100 * time.Millisecond

// Acquire locks a directory for the run of a caller, and creates the directory if it does not exist.
// While another run holds the lock Acquire tries again until patience is over. It passes a line to
// say if it waits, or if the file system has no locks: then the run continues without.
//
// Errors: *InUse; file system errors.
func Acquire(dir string, c *Caller, patience time.Duration, say func(line string)) (*Lock, error) {
	return acquire(dir, c, patience, say, flock)
}

func acquire(dir string, c *Caller, patience time.Duration, say func(line string), flock func(*os.File) error) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// A user's checkpoints are out of reach for other users, whose locks are files of their own.
	l := &Lock{name: filepath.Join(dir, fmt.Sprintf(".lock-%d", os.Getuid())), text: describe(c), flock: flock}
	for end, waits := time.Now().Add(patience), false; ; time.Sleep(lockPace) {
		err := l.take()
		inUse, is := errors.AsType[*InUse](err)
		switch {
		case errors.Is(err, errNoLocks):
			say(fmt.Sprintf("warning: %v; no other run may write checkpoints there now", err))
			return l, nil
		case err == nil:
			return l, nil
		case !is:
			return nil, err
		case !time.Now().Before(end):
			return nil, inUse
		case !waits:
			waits = true
			say(fmt.Sprintf("%v; waiting up to %v for that run to end", inUse, patience))
		}
	}
}

// describe returns the text of the locked file.
func describe(c *Caller) string {
	host, _ := os.Hostname()
	job := ""
	if c.Job != "" {
		job = ", job " + c.Job
	}
	return fmt.Sprintf("%s, pid %d on %s%s, since %s\n%016x\n",
		c.Program, os.Getpid(), host, job, time.Now().UTC().Format(time.RFC3339), rand.Uint64())
}

// errNoLocks is the error of a file system without locks.
var errNoLocks = errors.New("files cannot be locked")

// errLocked is the error of a lock that another open file holds.
var errLocked = errors.New("locked")

// take tries to lock the file and to write its text.
//
// Errors: *InUse; errNoLocks, which leaves the text in the file; errors of opening the file.
func (l *Lock) take() error {
	file, err := openLock(l.name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	err = l.flock(file)
	if errors.Is(err, errLocked) {
		file.Close()
		text, _ := l.current()
		return &InUse{firstLine(text)}
	}
	if !sameFile(file, l.name) { // the run before has just released it
		file.Close()
		return l.take()
	}
	l.file = file
	if _, failed := file.WriteAt([]byte(l.text), 0); failed != nil || file.Truncate(int64(len(l.text))) != nil {
		l.text = "" // the disk may be full
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errNoLocks, err)
	}
	return nil
}

// sameFile reports whether an open file has this name.
func sameFile(file *os.File, name string) bool {
	is, err := file.Stat()
	named, failed := os.Lstat(name)
	return err == nil && failed == nil && os.SameFile(is, named)
}

// current returns the text of the file, up to the length that a run writes.
func (l *Lock) current() (string, error) {
	file, err := openLock(l.name, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	return string(text), err
}

// firstLine returns the first line of a file's text, without control characters.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}

// confirm returns an error if another run has taken the directory over. If the file was removed it
// is made and locked again.
func (l *Lock) confirm() error {
	if l == nil || l.text == "" {
		return nil
	}
	switch text, err := l.current(); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil // the checkpoint will fail, with a better error
	case text == l.text:
		return nil
	case err == nil:
		return &InUse{firstLine(text)}
	}
	l.file.Close()
	if err := os.MkdirAll(filepath.Dir(l.name), 0o700); err != nil {
		return err
	}
	if err := l.take(); !errors.Is(err, errNoLocks) {
		return err
	}
	return nil
}

// Release unlocks the directory, and removes the file.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	if text, err := l.current(); err == nil && text == l.text {
		os.Remove(l.name) // before others can lock it
	}
	l.file.Close()
}
