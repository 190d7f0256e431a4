package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// stored is a checkpoint directory of the model in TestChoice.
type stored struct {
	run     string
	number  int  // in its name, 0 for a name of another form
	claims  int  // in its manifest
	intact  bool // the manifest
	sound   bool // the parts
	written time.Time
}

// small writes a complete checkpoint of one process with a small state.
func small(t testing.TB, path, run string, number int, written time.Time) {
	t.Helper()
	m := &Manifest{
		ID: ID(rand.Uint64()), Run: run, Number: number, Written: written, Program: "program", Procs: 1, Ranks: 1, Superstep: 7, Stage: 2,
	}
	var part bytes.Buffer
	w := newWriter(&part, m.ID)
	must.Do(t, errors.Join(w.add(Image{0, []byte("zero"), nil}), w.out.Flush()))
	m.Parts = []Part{{File: "rank-00000.part", Bytes: w.at, Records: w.records}}
	must.Do(t, m.check())
	must.Write(t, filepath.Join(path, "rank-00000.part"), part.String(), 0o600)
	must.Write(t, filepath.Join(path, manifestName), string(must.Get(m.encode())(t)), 0o600)
}

// sound reports whether the process of a checkpoint can be read.
func sound(s *Source) bool {
	return s.Read(all, func(_ int, _ []byte, fill func([][]byte) error) error { return fill(nil) }) == nil
}

// scatter fills dir with checkpoints of two runs, some of them missing, damaged, renamed or copied,
// and returns them.
func scatter(t *testing.T, dir string, r *rand.Rand) (model []stored) {
	at := time.Unix(1_800_000_000, 0).UTC()
	for _, run := range []string{"a", "b"} {
		for number := 1; number <= 4; number++ {
			at = at.Add(time.Duration(r.IntN(3)-1) * time.Hour) // clocks of several hosts
			s := stored{run: run, number: number, claims: number, intact: true, sound: true, written: at}
			if r.IntN(4) == 0 {
				s.claims = 1 + r.IntN(9)
			}
			path := filepath.Join(dir, nameOf("program", run, number))
			small(t, path, run, s.claims, at)
			manifest, part := filepath.Join(path, manifestName), filepath.Join(path, "rank-00000.part")
			switch r.IntN(9) {
			case 0: // the directory is missing
				must.Do(t, os.RemoveAll(path))
				continue
			case 1: // incomplete
				must.Do(t, os.Remove(manifest))
				continue
			case 2:
				s.intact = false
				must.Do(t, os.Truncate(manifest, 300))
			case 3: // unreadable, also for root
				s.intact = false
				must.Do(t, os.Remove(manifest))
				must.Do(t, os.Mkdir(manifest, 0o700))
			case 4:
				s.sound = false
				must.Do(t, os.Truncate(part, 20))
			case 5:
				s.sound = false
				must.Do(t, os.Remove(part))
			case 6: // copied, to a higher number or to a name without one
				copied := s
				to := filepath.Join(dir, "copy-"+run+fmt.Sprint(number))
				if copied.number = 0; r.IntN(2) == 0 {
					copied.number = 5 + r.IntN(4)
					to = filepath.Join(dir, nameOf("program", run, copied.number))
				}
				if !exists(to) {
					must.Do(t, os.CopyFS(to, os.DirFS(path)))
					model = append(model, copied)
				}
			}
			model = append(model, s)
		}
	}
	return model
}

// newestSound returns the index of the checkpoint that a run should resume from: the newest sound
// checkpoint of the run that wrote a checkpoint last, -1 without one.
func newestSound(model []stored) int {
	newest := func(run string, ok func(s stored) bool) int {
		best := -1
		for i, s := range model {
			if s.run == run && s.intact && s.number == s.claims && ok(s) && (best < 0 || s.number > model[best].number) {
				best = i
			}
		}
		return best
	}
	anyone := func(stored) bool { return true }
	a, b := newest("a", anyone), newest("b", anyone)
	run := "a"
	if a < 0 || b >= 0 && !model[b].written.Before(model[a].written) {
		run = "b"
	}
	return newest(run, func(s stored) bool { return s.sound })
}

// Of any set of checkpoints, also damaged, renamed and copied ones, a run takes the newest sound one,
// and each checkpoint that it goes back to is strictly older.
func TestChoice(t *testing.T) {
	for seed := range uint64(150) {
		dir := t.TempDir()
		model := scatter(t, dir, rand.New(rand.NewPCG(seed, 48)))
		want, got, skipped := "", "", 0
		if i := newestSound(model); i >= 0 {
			want = filepath.Join(dir, nameOf("program", model[i].run, model[i].number))
		}
		from, err := Newest(dir, func(error) { skipped++ })
		if err != nil && (from != nil || want != "") {
			t.Fatalf("seed %d: %v, want %s of %+v", seed, err, want, model)
		}
		for tries := 0; from != nil; tries++ {
			if tries > len(model) {
				t.Fatalf("seed %d: %s is tried again and again", seed, from.Path)
			}
			if sound(from) {
				got = from.Path
				break
			}
			older := from.Before()
			if older != nil && older.Path >= from.Path {
				t.Fatalf("seed %d: from %s back to %s", seed, from.Path, older.Path)
			}
			from = older
		}
		if got != want {
			t.Fatalf("seed %d: it resumes from %q, want %q of %+v", seed, got, want, model)
		}
		bad := slices.ContainsFunc(model, func(s stored) bool { return !s.intact || s.number != s.claims })
		if err == nil && bad != (skipped > 0) {
			t.Errorf("seed %d: %d lines about checkpoints passed over, of %+v", seed, skipped, model)
		}
		if len(model) == 0 && !errors.Is(err, ErrNone) {
			t.Errorf("seed %d: nothing there: %v", seed, err)
		}
	}
}
