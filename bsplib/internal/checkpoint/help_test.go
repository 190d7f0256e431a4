package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// processes returns images of all sizes that are treated differently.
func processes() []Image {
	long := make([]byte, 2*bufferBytes+12345)
	for i := range long {
		long[i] = byte(i * i >> 7)
	}
	return []Image{
		{3, []byte("three"), nil},
		{0, bytes.Repeat([]byte("zero"), 3000), [][]byte{long[:1], nil, long[:5000], long[:directBytes]}},
		{2, nil, [][]byte{long}},
		{1, []byte("one"), [][]byte{long[7:bufferBytes], long[:63], long[:64], long[:65]}},
	}
}

// made returns a complete checkpoint of the processes in two parts, in a directory
// that holds the checkpoints of a run.
func made(t testing.TB, dir, run string) (string, *Manifest) {
	t.Helper()
	path, number, err := create(dir, "program", run)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{
		ID: ID(rand.Uint64()), Run: run, Number: number, Written: time.Unix(1_800_000_000, 0).UTC(), Program: "program",
		Procs: 4, Ranks: 5, Superstep: 7, Stage: 2, Parameters: []Parameter{{"n", "1000"}},
	}
	images := processes()
	for rank, these := range [][]Image{images[:1], images[1:]} {
		part := must.Get(writePart(path, m.ID, rank, each(these)))(t)
		m.Parts = append(m.Parts, part)
	}
	must.Do(t, commit(path, m))
	return path, m
}

// each hands out images.
func each(images []Image) iter.Seq2[Image, error] {
	return func(yield func(Image, error) bool) {
		for _, image := range images {
			if !yield(image, nil) {
				return
			}
		}
	}
}

// readBack reads those processes of a checkpoint that mine selects, and compares them with the
// originals.
func readBack(s *Source, mine func(pid int) bool) error {
	wanted := make(map[int]Image)
	for _, p := range processes() {
		if mine(p.Pid) {
			wanted[p.Pid] = p
		}
	}
	unseen := false // that something was read which was not written
	err := s.Read(mine, func(pid int, skeleton []byte, fill func([][]byte) error) error {
		want := wanted[pid]
		delete(wanted, pid)
		unseen = unseen || !bytes.Equal(skeleton, want.Skeleton)
		for _, s := range want.Spans {
			got := make([]byte, len(s))
			if err := fill([][]byte{got}); err != nil {
				return err
			}
			unseen = unseen || !bytes.Equal(got, s)
		}
		return nil
	})
	if err == nil && unseen {
		return errors.New("damage is unseen")
	}
	if err == nil && len(wanted) > 0 {
		return fmt.Errorf("processes %v are not read", slices.Collect(maps.Keys(wanted)))
	}
	return err
}

// all selects all processes.
func all(int) bool { return true }

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}
