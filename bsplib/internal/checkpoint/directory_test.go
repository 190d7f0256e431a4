package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Prune keeps the newest complete checkpoints of a run, other runs' checkpoints and foreign files.
func TestPrune(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	for range 4 {
		made(t, dir, "mine")
	}
	made(t, dir, "other")
	create(dir, "program", "other") // is incomplete
	create(dir, "program", "mine")  // is incomplete, as after a crash
	newest, _ := made(t, dir, "mine")
	damaged, _ := made(t, dir, "mine")
	newest, _ = made(t, dir, "mine")
	must.Do(t, os.Truncate(filepath.Join(damaged, manifestName), 1000))
	for _, foreign := range []string{"program-mine-1", "program-mine-0000001", "program-mine-notes", "program-mine--00001"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, foreign), 0o777))
	}
	if filepath.Base(newest) != "program-mine-000008" {
		t.Errorf("the newest is %s", newest)
	}
	must.Do(t, prune(dir, "program", "mine"))
	want := []string{"program-mine--00001", "program-mine-0000001", "program-mine-000006", "program-mine-000008", "program-mine-1", "program-mine-notes", "program-other-000001", "program-other-000002"}
	if got := must.Names(t, dir); !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}
	if err := prune(filepath.Join(dir, "nowhere"), "program", "mine"); err == nil {
		t.Error("a directory that is not there is pruned")
	}
}

func TestNamesOfPrograms(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"lu", "lu-run-000001"}, {"a b/c", "a_b_c-run-000001"}, {"é.out", "_.out-run-000001"}, {"", "-run-000001"},
	} {
		if got := nameOf(c.program, "run", 1); got != c.want {
			t.Errorf("%q: %s, want %s", c.program, got, c.want)
		}
	}
}

// The newest checkpoint is the one with the highest number in its run; among several runs, the one
// written last.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if _, err := Newest(filepath.Join(dir, "nowhere"), nil); !errors.Is(err, ErrNone) {
		t.Errorf("no directory: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	create(dir, "program", "begun")
	if _, err := Newest(dir, nil); !errors.Is(err, ErrNone) {
		t.Errorf("nothing complete: %v", err)
	}
	rewrite := func(path string, m *Manifest, written time.Time) {
		m.Written = written
		must.Do(t, commit(path, m))
	}
	at := time.Unix(1_900_000_000, 0)
	first, m := made(t, dir, "a")
	rewrite(first, m, at.Add(time.Hour)) // by a clock that is fast
	second, m := made(t, dir, "a")
	rewrite(second, m, at)
	if s, err := Newest(dir, nil); err != nil || s.Path != second {
		t.Errorf("of one run: %v, %v", s, err)
	}
	third, m := made(t, dir, "0")
	rewrite(third, m, at.Add(time.Second))
	if s, err := Newest(dir, nil); err != nil || s.Path != third || s.Manifest.Run != "0" {
		t.Errorf("of two runs: %v, %v", s, err)
	}
	if got := mustLoad(t, second).Before(); got == nil || got.Path != first {
		t.Errorf("before %s is %q", second, got)
	}
	if got := mustLoad(t, first).Before(); got != nil {
		t.Errorf("before the first is %v", got)
	}
	if _, err := load(first + "x"); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrNone) {
		t.Errorf("a checkpoint that is not there: %v", err)
	}
	os.WriteFile(filepath.Join(first, manifestName), []byte("{"), 0o666)
	if _, err := Newest(dir, nil); err == nil || !strings.Contains(err.Error(), first) {
		t.Errorf("a damaged manifest: %v", err)
	}
	var passed []error
	skip := func(why error) { passed = append(passed, why) }
	if s, err := Newest(dir, skip); err != nil || s.Path != third || len(passed) != 1 || !strings.Contains(passed[0].Error(), first) {
		t.Errorf("passing over a damaged one: %v, %v, %v", s, err, passed)
	}
	if got := mustLoad(t, second).Before(); got != nil {
		t.Errorf("before %s is %v, which is damaged", second, got)
	}
	for _, path := range []string{second, third} {
		os.WriteFile(filepath.Join(path, manifestName), []byte("{"), 0o666)
	}
	if s, err := Newest(dir, skip); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("all are damaged: %v, %v", s, err)
	}
}

// Other users with access to the directory can neither read nor change its contents.
func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	made(t, dir, "run")
	must.Do(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
}

func mustLoad(t *testing.T, path string) *Source {
	t.Helper()
	return must.Get(load(path))(t)
}

// Removing a checkpoint makes it incomplete before any other file is removed.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path, _ := made(t, dir, "run")
	if err := remove(path); err != nil || exists(path) {
		t.Errorf("%v", err)
	}
	if err := remove(path); err != nil {
		t.Errorf("twice: %v", err)
	}
	path, _ = made(t, dir, "run")
	os.Remove(filepath.Join(path, manifestName))
	os.Mkdir(filepath.Join(path, manifestName), 0o777)
	os.WriteFile(filepath.Join(path, manifestName, "x"), nil, 0o666)
	if err := remove(path); err == nil || !exists(path, "rank-00001.part") {
		t.Errorf("parts are removed before the manifest: %v", err)
	}
}

// Commit does not write a manifest that Load would refuse, and leaves no temporary files.
func TestCommit(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	if got, want := must.Names(t, path), []string{manifestName, "rank-00000.part", "rank-00001.part"}; !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	os.Remove(filepath.Join(path, manifestName))
	m.Parts[1].Bytes++
	m.Parts[1].Records[2].Bytes++
	if err := commit(path, m); err == nil || exists(path, manifestName) || !strings.Contains(err.Error(), "what rank 1 on ") {
		t.Errorf("a part of another length: %v", err)
	}
	os.Remove(filepath.Join(path, m.Parts[1].File))
	if err := commit(path, m); !errors.Is(err, os.ErrNotExist) || exists(path, manifestName) {
		t.Errorf("a part that is elsewhere: %v", err)
	}
	m.Parts = m.Parts[:1]
	if err := commit(path, m); err == nil || exists(path, manifestName) {
		t.Errorf("a manifest that lacks processes: %v", err)
	}
	if _, err := writePart(path, m.ID, 0, each(nil)); !errors.Is(err, os.ErrExist) {
		t.Errorf("a part is written over: %v", err)
	}
}

// Copies of a checkpoint under higher numbers neither count as checkpoints that are kept, nor are
// they removed.
func TestPruneLeavesCopies(t *testing.T) {
	dir := t.TempDir()
	for number := 1; number <= 3; number++ {
		small(t, filepath.Join(dir, nameOf("program", "a", number)), "a", number, time.Unix(1_800_000_000, 0))
	}
	for _, copied := range []int{4, 5} {
		must.Do(t, os.CopyFS(filepath.Join(dir, nameOf("program", "a", copied)), os.DirFS(filepath.Join(dir, nameOf("program", "a", 1)))))
	}
	must.Do(t, prune(dir, "program", "a"))
	if got, want := must.Names(t, dir), []string{"program-a-000002", "program-a-000003", "program-a-000004", "program-a-000005"}; !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}
}

// A checkpoint that a user names may have another name, but not the name of another checkpoint.
func TestFindByName(t *testing.T) {
	dir := t.TempDir()
	kept, other := filepath.Join(dir, "kept"), filepath.Join(dir, nameOf("program", "a", 2))
	small(t, kept, "a", 9, time.Unix(1_800_000_000, 0))
	small(t, other, "a", 9, time.Unix(1_800_000_000, 0))
	if s, err := Find(kept); err != nil || s.Manifest.Number != 9 {
		t.Errorf("%v, %v", s, err)
	}
	want := other + " was renamed or copied: its manifest is the manifest of program-a-000009"
	for _, path := range []string{other, dir} {
		if s, err := Find(path); err == nil || err.Error() != want && path == other {
			t.Errorf("%s: %v, %v, want %s", path, s, err, want)
		}
	}
}
