package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// All ranks resume from the checkpoint that rank 0 has found, or return its error; paths not given by
// the user are absolute.
func TestResume(t *testing.T) {
	t.Chdir(t.TempDir())
	e := newEngine(t, 2, Settings{Dir: "kept", Parameters: []Parameter{{"n", "6"}, {"block", "2"}}, State: "packed[main.state]", Layout: 77})
	e.requests[0].Add(1)
	if over, _ := e.end(t, true); !over {
		t.Fatal("there is no checkpoint")
	}
	found := must.Get(Resume(nil, func() (*Source, error) { return Find("kept") }))(t)
	absolute := must.Get(filepath.Abs(found.Path))(t)
	mpitest.OnRanks(3)(t, func(comm mpi.Comm) error {
		rank := comm.Rank()
		on0 := func(s *Source, err error) func() (*Source, error) {
			return func() (*Source, error) {
				if rank > 0 {
					t.Error("a rank other than 0 looks for it")
				}
				return s, err
			}
		}
		want := absolute
		if rank == 0 {
			want = found.Path
		}
		s, err := Resume(comm, on0(found, nil))
		if err != nil || s.Path != want || fmt.Sprintf("%+v", *s.Manifest) != fmt.Sprintf("%+v", *found.Manifest) {
			return fmt.Errorf("%+v, %v, want %s %+v", s, err, want, found.Manifest)
		}
		if err := readBack(s, all); err != nil {
			return err
		}
		if s, err := Resume(comm, on0(nil, nil)); s != nil || err != nil {
			return fmt.Errorf("there is none: %v, %v", s, err)
		}
		if s, err := Resume(comm, on0(nil, errors.New("no luck"))); s != nil || err == nil || err.Error() != "no luck" {
			return fmt.Errorf("an error: %v, %v", s, err)
		}
		return nil
	})

	caller := Caller{Program: "program", Procs: "procs", Parameter: "parameter "}
	other := caller
	other.Program = "lu"
	for _, c := range []struct {
		caller     Caller
		parameters []Parameter
		procs      int
		want       string
	}{
		{caller, found.Manifest.Parameters, 0, ""},
		{caller, found.Manifest.Parameters, 4, ""},
		{caller, found.Manifest.Parameters, 5, "procs is 5 here, 4 in PATH"},
		{other, found.Manifest.Parameters, 4, "PATH was written by program program, this is lu"},
		{caller, []Parameter{{"block", "2"}, {"n", "6"}}, 4, ""},
		{caller, []Parameter{{"n", "7"}, {"block", "2"}}, 4, `parameter n is "7" here, "6" in PATH`},
		{caller, []Parameter{{"n", "6"}, {"m", "2"}}, 4, `parameter m is "2" here, and unknown in PATH`},
		{caller, found.Manifest.Parameters[:1], 4, `parameter block is unknown here, "2" in PATH`},
	} {
		got := ""
		if err := found.Fits(&c.caller, c.parameters, c.procs); err != nil {
			got = err.Error()
		}
		if want := strings.ReplaceAll(c.want, "PATH", found.Path); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if err := found.FitsState("packed[main.state]", 77); err != nil {
		t.Error(err)
	}
	want := found.Path + " has states of type main.state (layout 000000000000004d), this program's are main.other (layout 000000000000004d)"
	if err := found.FitsState("packed[main.other]", 77); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}

	run := e.keepers[0].run
	e = newEngine(t, 1, Settings{Dir: "kept", From: found})
	e.keepers[0].Resumed(time.Second)
	if want := "program: goes on from " + found.String() + ", written "; !strings.HasPrefix(e.logged.String(), want) || !strings.Contains(e.logged.String(), " by 2 ranks: ") {
		t.Errorf("logged %q", &e.logged)
	}
	e.requests[0].Add(1)
	e.end(t, true)
	if next, err := Find("kept"); err != nil || next.Manifest.Run != run || next.Manifest.Number != 2 || next.Before() == nil || next.Before().Path != found.Path {
		t.Errorf("the next checkpoint of the run: %v, %v", next, err)
	}
}

func TestPartsAreReadAsWritten(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	must.Do(t, readBack(&Source{path, m}, all))
	loaded := must.Get(load(path))(t)
	if err := readBack(loaded, all); err != nil {
		t.Error(err)
	}
	want := int64(0)
	for _, part := range m.Parts {
		info := must.Get(os.Stat(filepath.Join(path, part.File)))(t)
		want += info.Size()
	}
	if got := loaded.Manifest.Bytes(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// Every byte counts: changed, missing or added, the file is named.
func TestDamagedParts(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	for _, part := range m.Parts {
		name := filepath.Join(path, part.File)
		whole := must.Get(os.ReadFile(name))(t)
		damaged := func(what string, text []byte) {
			t.Helper()
			must.Do(t, os.WriteFile(name, text, 0o666))
			if err := readBack(&Source{path, m}, all); err == nil || !strings.Contains(err.Error(), name+": ") {
				t.Errorf("%s: %s: %v", part.File, what, err)
			}
		}
		for at := 0; at < len(whole); at += 1 + at/20 {
			changed := append([]byte(nil), whole...)
			changed[at] ^= 1 << (at % 8)
			damaged("a bit changed", changed)
		}
		damaged("empty", nil)
		damaged("a byte less", whole[:len(whole)-1])
		damaged("a byte more", append(whole[:len(whole):len(whole)], 0))
		must.Do(t, os.WriteFile(name, whole, 0o666))
	}
	other := *m
	other.ID++
	if err := readBack(&Source{path, &other}, all); err == nil || !strings.Contains(err.Error(), "a part of checkpoint") {
		t.Errorf("another checkpoint's part: %v", err)
	}
	os.Remove(filepath.Join(path, m.Parts[1].File))
	if err := readBack(&Source{path, m}, all); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), m.Parts[1].File) {
		t.Errorf("a part that is not there: %v", err)
	}
}

// A disk that is full at any byte is an error, not half a part.
func TestWriterFailsWhereTheDiskEnds(t *testing.T) {
	whole := &limited{left: 1 << 40}
	must.Do(t, writeAll(whole))
	size := 1<<40 - whole.left
	for _, room := range []int64{0, 1, 15, 16, 100, 5000, bufferBytes - 1, bufferBytes, size / 2, size - 1} {
		if err := writeAll(&limited{left: room}); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, size, err)
		}
	}
	if err := writeAll(&limited{left: size}); err != nil {
		t.Errorf("room for all: %v", err)
	}
}

func writeAll(to *limited) error {
	w := newWriter(to, 1)
	for _, p := range processes() {
		w.add(p)
	}
	err := w.out.Flush()
	return err
}

// limited is a disk with room for some bytes.
type limited struct{ left int64 }

var errFull = errors.New("no space left")

func (l *limited) Write(b []byte) (int, error) {
	if int64(len(b)) > l.left {
		n := l.left
		l.left = 0
		return int(n), errFull
	}
	l.left -= int64(len(b))
	return len(b), nil
}

// FuzzPart reads parts of any content: an accepted part equals the written one.
func FuzzPart(f *testing.F) {
	path, m := made(f, f.TempDir(), "run")
	part := m.Parts[0]
	whole := must.Get(os.ReadFile(filepath.Join(path, part.File)))(f)
	f.Add(whole, int64(partHead), int64(len(whole)-partHead))
	f.Add(whole[:partHead], int64(0), int64(1))
	f.Add([]byte("bspP\x01\x00\x00\x00"), int64(partHead), int64(recordHead))
	f.Fuzz(func(t *testing.T, text []byte, offset, size int64) {
		dir := t.TempDir()
		p := Part{File: "part", Bytes: int64(len(text)), Records: []Record{{Pid: 3, Offset: offset, Bytes: size, Digest: part.Records[0].Digest}}}
		if p.check(5) != nil {
			return
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, p.File), text, 0o666))
		in, err := openPart(dir, m.ID, &p)
		if err != nil {
			return
		}
		defer in.close()
		skeleton, err := in.skeleton(p.Records[0])
		if err != nil {
			return
		}
		if err := in.end(); err == nil && string(skeleton) != "three" {
			t.Errorf("accepted %q", skeleton)
		}
	})
}

// Of the runs in a directory the newest checkpoint of one is found, by the name of any of its checkpoints.
func TestNewestOfRun(t *testing.T) {
	dir := t.TempDir()
	e := newEngine(t, 1, Settings{Dir: dir, EveryStages: 1})
	e.end(t, true)
	first := must.Get(Newest(dir, nil))(t)
	e.end(t, true)
	other := newEngine(t, 1, Settings{Dir: dir, EveryStages: 1})
	other.end(t, true)
	at, prefix := Split(first.Path)
	if s := must.Get(NewestOf(at, prefix, nil))(t); s.Manifest.Run != first.Manifest.Run || s.Manifest.Number != 2 {
		t.Errorf("it is %v, want number 2 of run %s", s, first.Manifest.Run)
	}
	if _, err := NewestOf(at, "another-", nil); !errors.Is(err, ErrNone) {
		t.Errorf("of another run: %v", err)
	}
}

// The time between checkpoints follows from their cost and from the time between losses.
func TestInterval(t *testing.T) {
	for _, c := range []struct{ cost, losses, want time.Duration }{
		{time.Millisecond, time.Minute, leastInterval},
		{2 * time.Second, 6 * time.Hour, 293938769133},
		{time.Minute, time.Minute, leastIntervals * time.Minute},
		{0, time.Hour, leastInterval},
	} {
		if got := interval(c.cost, c.losses); got != c.want {
			t.Errorf("cost %v, a loss each %v: %d, want %d", c.cost, c.losses, got, c.want)
		}
	}
}
