package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// A Source is a complete checkpoint that a run can resume from.
type Source struct {
	Path     string // as the caller has written it on rank 0, absolute elsewhere
	Manifest *Manifest
}

// ErrNone is the error for a directory without a complete checkpoint.
var ErrNone = errors.New("there is no complete checkpoint")

// Find returns the checkpoint at path, or the newest below it. The name of the
// checkpoint's directory may be another one, but not the name of another checkpoint.
//
// Errors: ErrNone if path exists, but is and contains no checkpoint.
func Find(path string) (*Source, error) {
	s, err := load(path)
	if err == nil && numbered(path) {
		err = s.checkName()
	}
	if !errors.Is(err, ErrNone) {
		return s, err
	}
	below, other := Newest(path, nil)
	if errors.Is(other, ErrNone) {
		return nil, err
	}
	return below, other
}

// load reads the manifest of the checkpoint at path.
//
// Errors: ErrNone if the directory exists, but has no manifest.
func load(path string) (*Source, error) {
	name := filepath.Join(path, manifestName)
	text, err := readManifest(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w: it has no %s", path, ErrNone, manifestName)
	}
	if err != nil {
		return nil, err
	}
	m, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	return &Source{path, m}, nil
}

// Newest returns the newest complete checkpoint below dir: the last written of the checkpoints that
// have the highest number in their run. A directory whose name is not the name that its manifest
// implies was copied or renamed, and has no number. skip, if not nil, is called for each checkpoint
// that was passed over, with the reason.
//
// Errors: ErrNone, also if dir does not exist. A checkpoint whose manifest cannot be read, or that
// was renamed and has a higher number in its manifest, may be the newest: it is an error if skip is
// nil, or if no other checkpoint exists.
func Newest(dir string, skip func(why error)) (*Source, error) { return NewestOf(dir, "", skip) }

// Split returns the directory of a checkpoint, and the prefix of the names of all checkpoints of its
// run there.
func Split(path string) (dir, prefix string) {
	dir, name := filepath.Split(filepath.Clean(path))
	return filepath.Clean(dir), name[:strings.LastIndexByte(name, '-')+1]
}

// NewestOf is Newest for checkpoints whose names begin with prefix.
func NewestOf(dir, prefix string, skip func(why error)) (*Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	runs := make(map[string]*Source) // the newest of each
	var renamed []*Source
	var bad []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		found, err := load(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(err, ErrNone), err != nil && !numbered(e.Name()) && errors.Is(err, fs.ErrPermission):
		case err != nil:
			bad = append(bad, err)
		case found.checkName() != nil:
			renamed = append(renamed, found)
		default:
			if s := runs[found.Manifest.Run]; s == nil || found.Manifest.Number > s.Manifest.Number {
				runs[found.Manifest.Run] = found
			}
		}
	}
	for _, r := range renamed {
		if s := runs[r.Manifest.Run]; skip != nil || s == nil || r.Manifest.Number > s.Manifest.Number {
			bad = append(bad, r.checkName())
		}
	}
	var newest *Source
	for _, s := range runs {
		if newest == nil || s.Manifest.Written.After(newest.Manifest.Written) || s.Manifest.Written.Equal(newest.Manifest.Written) && s.Path > newest.Path {
			newest = s
		}
	}
	switch {
	case len(bad) > 0 && (newest == nil || skip == nil):
		return nil, bad[len(bad)-1]
	case newest == nil:
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	for _, why := range bad {
		skip(why)
	}
	return newest, nil
}

// name returns the name of the checkpoint's directory, by its manifest.
func (s *Source) name() string {
	return nameOf(s.Manifest.Program, s.Manifest.Run, s.Manifest.Number)
}

// checkName returns an error if the checkpoint's directory was renamed or copied.
func (s *Source) checkName() error {
	path, err := filepath.Abs(s.Path)
	if err == nil && filepath.Base(path) != s.name() {
		err = fmt.Errorf("%s was renamed or copied: its manifest is the manifest of %s", s.Path, s.name())
	}
	return err
}

// Before returns the newest checkpoint of the same run with a lower number and a readable manifest,
// or nil. The number of a checkpoint is the number in the name of its directory, so repeated calls
// come to an end.
func (s *Source) Before() *Source {
	dir := filepath.Dir(s.Path)
	numbers, err := numbersOf(dir, s.Manifest.Program, s.Manifest.Run)
	if err != nil {
		return nil
	}
	for _, n := range slices.Backward(numbers) {
		if n >= s.Manifest.Number {
			continue
		}
		older, err := load(filepath.Join(dir, nameOf(s.Manifest.Program, s.Manifest.Run, n)))
		if err == nil && older.Manifest.Run == s.Manifest.Run && older.Manifest.Number == n {
			return older
		}
	}
	return nil
}

// String returns the name of the checkpoint and the progress of the run.
func (s *Source) String() string {
	return fmt.Sprintf("%s after stage %d of stage loop %d (superstep %d)", s.Path, s.Manifest.Stage-1, s.Manifest.Loop, s.Manifest.Superstep-1)
}

// Instead returns the warning that the run resumes from this checkpoint. why is the reason for not
// resuming from a newer one.
func (s *Source) Instead(why string) string {
	return fmt.Sprintf("warning: %s; the newest good one is %s", why, s.Path)
}

// Earlier returns the time that the run had taken.
func (s *Source) Earlier() time.Duration { return time.Duration(s.Manifest.Elapsed * 1e9) }

// otherBuild returns a description of the build that wrote the checkpoint, or "" if it is the current
// build.
func (s *Source) otherBuild() string {
	if is := ledger.ThisBuild(); is.Version == s.Manifest.Version && is.Commit == s.Manifest.Commit {
		return ""
	}
	return fmt.Sprintf(" of another build (%s)", strings.TrimSpace(s.Manifest.Version+" "+s.Manifest.Commit))
}

// Fits returns an error if the caller's program cannot resume from the checkpoint: with these
// parameters, and with procs processes unless that is 0.
func (s *Source) Fits(c *Caller, parameters []Parameter, procs int) error {
	if s.Manifest.Program != c.Program {
		return fmt.Errorf("%s was written by program %s, this is %s", s.Path, s.Manifest.Program, c.Program)
	}
	if procs != 0 && procs != s.Manifest.Procs {
		return fmt.Errorf("%s is %d here, %d in %s", c.Procs, procs, s.Manifest.Procs, s.Path)
	}
	then := make(map[string]string)
	for _, p := range s.Manifest.Parameters {
		then[p.Name] = p.Value
	}
	for _, p := range parameters {
		value, known := then[p.Name]
		if !known {
			return fmt.Errorf("%s%s is %q here, and unknown in %s", c.Parameter, p.Name, p.Value, s.Path)
		}
		if value != p.Value {
			return fmt.Errorf("%s%s is %q here, %q in %s", c.Parameter, p.Name, p.Value, value, s.Path)
		}
		delete(then, p.Name)
	}
	for _, p := range s.Manifest.Parameters {
		if _, left := then[p.Name]; left {
			return fmt.Errorf("%s%s is unknown here, %q in %s", c.Parameter, p.Name, p.Value, s.Path)
		}
	}
	return nil
}

// FitsState is Fits for the program's state: its type and its encoding.
func (s *Source) FitsState(name string, layout Hex) error {
	if s.Manifest.State == name && s.Manifest.Layout == layout {
		return nil
	}
	return fmt.Errorf("%s has states of type %s (layout %016x), this program's are %s (layout %016x)",
		s.Path, plainState(s.Manifest.State), uint64(s.Manifest.Layout), plainState(name), uint64(layout))
}

// plainState returns the name of a state's type without the engine's type around it.
func plainState(name string) string {
	_, inner, found := strings.Cut(name, "[")
	if !found {
		return name
	}
	return strings.TrimSuffix(inner, "]")
}

// Resume returns on all ranks of an MPI run the Source that find returns on rank 0, which may be nil,
// or the text of its error; comm is nil in-process. find is called on rank 0 only, because the others
// may see other files.
//
// BSP cost: a superstep's, with the manifest to all ranks.
func Resume(comm mpi.Comm, find func() (*Source, error)) (*Source, error) {
	if comm == nil {
		return find()
	}
	var found struct {
		Problem string
		From    *Source // with an absolute path
	}
	var from *Source
	var failure error
	if comm.Rank() == 0 {
		if from, failure = find(); failure == nil && from != nil {
			found.From = &Source{Manifest: from.Manifest}
			found.From.Path, failure = filepath.Abs(from.Path)
		}
		if failure != nil {
			found.From, found.Problem = nil, failure.Error()
		}
	}
	err := control.Broadcast(control.New(comm), 0, &found)
	switch {
	case err != nil || failure != nil:
		return nil, errors.Join(err, failure)
	case comm.Rank() == 0:
		return from, nil
	case found.Problem != "":
		return nil, errors.New(found.Problem)
	}
	return found.From, nil
}

// Read reads the images of the processes that mine selects, part by part. For each it calls one with
// the skeleton, and with fill for the spans. one must call fill for all of them, in the order in
// which they were written.
//
// Errors: one's, with the process; a part that is missing or damaged, with its
// name. The bytes of a span are right only once Read has returned without an
// error: its digest comes last.
func (s *Source) Read(mine func(pid int) bool, one func(pid int, skeleton []byte, fill func(spans [][]byte) error) error) error {
	if err := s.checkMemory(mine, hostMemory()); err != nil {
		return err
	}
	for i := range s.Manifest.Parts {
		part := &s.Manifest.Parts[i]
		records := slices.DeleteFunc(slices.Clone(part.Records), func(r Record) bool { return !mine(r.Pid) })
		if len(records) == 0 {
			continue
		}
		if err := s.readPart(part, records, one); err != nil {
			return err
		}
	}
	return nil
}

// checkMemory returns an error if the processes that mine selects take more bytes than the
// memory of this host, which is 0 if it is not known. A file with holes can claim any number
// of bytes and take none on disk.
func (s *Source) checkMemory(mine func(pid int) bool, memory int64) error {
	processes, size := 0, int64(0)
	for i := range s.Manifest.Parts {
		for _, r := range s.Manifest.Parts[i].Records {
			if mine(r.Pid) {
				processes++
				size += r.Bytes
			}
			if memory > 0 && size > memory {
				return fmt.Errorf("%s: %d of the processes of this rank take %s, expected at most the %s of memory and swap space that this host has",
					s.Path, processes, ledger.Bytes(size), ledger.Bytes(memory))
			}
		}
	}
	return nil
}

func (s *Source) readPart(part *Part, records []Record, one func(int, []byte, func([][]byte) error) error) error {
	in, err := openPart(s.Path, s.Manifest.ID, part)
	if err != nil {
		return err
	}
	defer in.close()
	for _, r := range records {
		skeleton, err := in.skeleton(r)
		if err != nil {
			return err
		}
		if err := one(r.Pid, skeleton, in.fill); err != nil {
			return fmt.Errorf("process %d: %w", r.Pid, err)
		}
		if err := in.end(); err != nil {
			return err
		}
	}
	return nil
}
