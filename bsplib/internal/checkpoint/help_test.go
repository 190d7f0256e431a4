package checkpoint

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// process is what the tests put into parts.
type process struct {
	pid      int
	skeleton []byte
	spans    [][]byte
}

// processes are some of all sizes that are treated differently.
func processes() []process {
	long := make([]byte, 2*bufferBytes+12345)
	for i := range long {
		long[i] = byte(i * i >> 7)
	}
	return []process{
		{3, []byte("three"), nil},
		{0, bytes.Repeat([]byte("zero"), 3000), [][]byte{long[:1], nil, long[:5000], long[:directBytes]}},
		{2, nil, [][]byte{long}},
		{1, []byte("one"), [][]byte{long[7:bufferBytes], long[:63], long[:64], long[:65]}},
	}
}

// made is a complete checkpoint of the processes in two parts, in a directory
// that holds the checkpoints of a run.
func made(t testing.TB, dir, run string) (string, *Manifest) {
	t.Helper()
	path, number, err := Create(dir, "program", run)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{
		ID: NewID(), Run: run, Number: number, Written: time.Unix(1_800_000_000, 0).UTC(), Program: "program",
		Procs: 4, Ranks: 5, Superstep: 7, Stage: 2, Parameters: []Parameter{{"n", "1000"}},
	}
	all := processes()
	for rank, these := range [][]process{all[:1], all[1:]} {
		part, err := WritePart(path, m.ID, rank, func(w *Writer) error {
			for _, p := range these {
				if err := w.Add(p.pid, p.skeleton, p.spans...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		m.Parts = append(m.Parts, part)
	}
	if err := Commit(path, m); err != nil {
		t.Fatal(err)
	}
	return path, m
}

// readAll reads the processes of a checkpoint and compares them with what was
// written.
func readAll(path string, m *Manifest) error {
	wanted := make(map[int]process)
	for _, p := range processes() {
		wanted[p.pid] = p
	}
	for i := range m.Parts {
		if err := readPart(path, m, &m.Parts[i], wanted); err != nil {
			return err
		}
	}
	return nil
}

func readPart(path string, m *Manifest, part *Part, wanted map[int]process) error {
	in, err := Open(path, m.ID, part)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, record := range part.Records {
		skeleton, err := in.Skeleton(record)
		if err != nil {
			return err
		}
		want := wanted[record.Pid]
		if !bytes.Equal(skeleton, want.skeleton) {
			return in.damaged("another skeleton")
		}
		for _, s := range want.spans {
			got := make([]byte, len(s))
			if err := in.Fill([][]byte{got}); err != nil {
				return err
			}
			if !bytes.Equal(got, s) {
				if in.End() == nil {
					return in.damaged("another span, unseen")
				}
			}
		}
		if err := in.End(); err != nil {
			return err
		}
	}
	return nil
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}
