package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Files in a run's directory: the record, and a summary of its figures.
const (
	RecordName  = "run.jsonl"
	SummaryName = "summary.json"
)

// A Recorder appends the entries of a run to its record. Supersteps are written one by one
// while that is cheap; then consecutive ones that end at the same site are added up, in
// windows that double in length when the file has many windows of one length or when
// writing takes more than a share of the run's time. No superstep is left out: each line
// has its number of supersteps.
//
// A Recorder that cannot write drops entries, and Close returns the error. It may be
// used by several goroutines.
type Recorder struct {
	mu     sync.Mutex
	dir    string
	w      io.WriteCloser
	buffer []byte
	err    error
	report func(error) // called with the first error
	all    bool        // at any cost, while lines are few
	begun  bool        // the head is there
	step   int         // the last superstep entered
	at     float64     // when the last superstep or call entered had ended
	closed bool

	width  int // supersteps in a window
	lines  int // written at this width
	most   int
	window []Step // of the current window, by site
	filled int    // supersteps in it
	loads  loadPace

	began   time.Time
	spent   time.Duration // on writing
	free    time.Duration // part of it that does not count: the first Loads
	flushed time.Time
	fresh   int           // lines since the cost was last looked at
	looked  time.Time     // when that was
	paid    time.Duration // counted part of spent until then
}

const (
	flushEvery = 500 * time.Millisecond
	lookEvery  = 32 // lines
	// Windows get longer when writing takes more than this share of the time.
	costShare = 0.002
	// but for this much in all
	costFree = 200 * time.Microsecond
)

// Create makes a run's directory, if it is not there, and begins its record. Of runs that
// begin at once in one directory it lets one in.
// report is called once if writing fails later.
//
// Errors: the directory cannot be made or written to, or a record is there already, maybe
// of a run that has just begun: that is a fs.ErrExist.
func Create(dir string, report func(error)) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, RecordName)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openPipe(name)
	}
	if err != nil {
		return nil, err
	}
	r := NewRecorder(f, report)
	r.dir = dir
	return r, nil
}

// openPipe opens a pipe with the record's name, which another program reads; it does not follow a
// link.
func openPipe(name string) (*os.File, error) {
	is, err := os.Lstat(name)
	if err != nil || is.Mode().Type() != fs.ModeNamedPipe {
		return nil, &takenError{name}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(is, opened) {
		return nil, errors.Join(&takenError{name}, f.Close())
	}
	return f, nil
}

// takenError is the error of a record that exists.
type takenError struct{ name string }

func (e *takenError) Error() string {
	return e.name + " has the record of a run already; give another directory, or remove it"
}

func (e *takenError) Is(target error) bool { return target == fs.ErrExist }

// Dir returns the run's directory.
func (r *Recorder) Dir() string { return r.dir }

// NewRecorder begins a record on w.
func NewRecorder(w io.WriteCloser, report func(error)) *Recorder {
	now := time.Now()
	return &Recorder{w: w, report: report, width: 1, most: 4096, loads: loadPace{width: 1}, began: now, flushed: now, looked: now}
}

// Unhurried makes windows longer only if the lines are too many, regardless of the time spent on
// recording. It is for runs whose time is simulated.
func (r *Recorder) Unhurried() *Recorder {
	r.all = true
	return r
}

// Begin writes the head.
func (r *Recorder) Begin(run *Run) {
	run.Schema = Schema
	r.mu.Lock()
	r.most = max(256, min(r.most, 1<<20/max(1, len(run.Ranks))))
	r.begun = true
	r.all = r.all || run.Clock() != ""
	r.mu.Unlock()
	r.Enter(run)
	r.Flush()
}

// Share returns the part of the run's time spent on writing so far.
func (r *Recorder) Share() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Share(r.spent.Seconds(), time.Since(r.began).Seconds())
}

// append adds an entry's line to the buffer. It replaces an invalid entry by a warning; without a
// head, recording ends.
func (r *Recorder) append(e Entry) {
	b, err := appendEntry(r.buffer, e)
	if n := len(b) - len(r.buffer); err == nil && n > LongestLine {
		err = fmt.Errorf("ledger: a record of type %s has %d bytes; expected at most %d", e.kind(), n, LongestLine)
		if _, is := e.(*Run); is {
			r.fail(err)
			return
		}
	}
	if err != nil {
		b, _ = appendEntry(r.buffer, &Warning{Text: err.Error()})
	}
	if _, ok := e.(*Load); ok {
		r.loads.bytes += len(b) - len(r.buffer)
		r.loads.all += len(b) - len(r.buffer)
	}
	r.buffer = b
	if len(r.buffer) > 1<<18 {
		r.write()
	}
}

func (r *Recorder) write() {
	if r.err != nil || len(r.buffer) == 0 {
		return
	}
	_, err := r.w.Write(r.buffer)
	r.buffer = r.buffer[:0]
	r.fail(err)
}

// fail remembers the first error and reports it.
func (r *Recorder) fail(err error) {
	if err == nil || r.err != nil {
		return
	}
	r.err = err
	r.buffer, r.window = nil, nil
	if r.report != nil {
		r.report(err)
	}
}

// Begun reports whether the head is written; entries must not precede it.
func (r *Recorder) Begun() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}

// LoadWidth returns the number of supersteps in the next windows of Loads. It grows during the run,
// so that the record stays small and writing it cheap.
func (r *Recorder) LoadWidth() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loads.taken = r.loads.width
	return r.loads.width
}

// FlushNow writes all entries so far to the file, for a waiting reader.
func (r *Recorder) FlushNow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.flushed = time.Now()
		r.write()
	}
}

// Flush writes all entries so far to the file, at most once in flushEvery.
func (r *Recorder) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.closed || now.Sub(r.flushed) < flushEvery && r.lines+len(r.window) > 0 {
		return
	}
	r.flushed = now
	r.write()
	r.spent += time.Since(now)
}

// Close ends the record, writes the summary next to it if it is not nil, and returns the first error
// of all writes. Later calls have no effect. Close removes the record of a run that has not begun. If
// end has no number of supersteps, Close sets it to the number of recorded ones.
func (r *Recorder) Close(end *End, summary any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.err
	}
	if r.err == nil && r.begun {
		r.closeWindow()
		if end.Supersteps == 0 {
			end.Supersteps, end.At = r.step, r.at
		}
		r.append(end)
		r.write()
	}
	r.closed = true
	r.fail(r.w.Close())
	if !r.begun && r.dir != "" {
		return errors.Join(r.err, os.Remove(filepath.Join(r.dir, RecordName)))
	}
	if r.err == nil && r.dir != "" && summary != nil {
		r.fail(writeSummary(filepath.Join(r.dir, SummaryName), summary))
	}
	return r.err
}

// writeSummary writes the file at once or not at all.
func writeSummary(name string, s any) error {
	f, err := os.CreateTemp(filepath.Dir(name), SummaryName+".*")
	if err != nil {
		return err
	}
	err = errors.Join(WriteJSON(f, s), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// WriteJSON prints a value as one JSON text.
func WriteJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
