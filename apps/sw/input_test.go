package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings sets flags for a test.
func settings(t *testing.T, values ...string) {
	t.Helper()
	for i := 0; i < len(values); i += 2 {
		f := flag.Lookup(values[i])
		old := f.Value.String()
		if err := f.Value.Set(values[i+1]); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(old) })
	}
}

func TestWhatCannotBeAligned(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.fa"), filepath.Join(dir, "bad.fa")
	for path, text := range map[string]string{good: ">a\nARND\n", bad: ">a\nA1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		procs int
		want  string
		flags []string
	}{
		{1, "-n -1: expected a number of letters from 1 to", []string{"n", "-1"}},
		{9, "9 processes are too many for the 8 letters of the target", []string{"n", "8"}},
		{2, "-blocks 9: the query has only 8 letters", []string{"n", "8", "blocks", "9"}},
		{2, "-blocks -1: at least one block is needed", []string{"blocks", "-1"}},
		{2, "-matrix pam: it is blosum62 or dna", []string{"matrix", "pam"}},
		{2, "-match 0 -mismatch -3: expected", []string{"matrix", "dna", "match", "0"}},
		{2, "-extend 0: a gap's letters cost at least 1", []string{"extend", "0"}},
		{2, "-match, -mismatch, -open, -extend: expected numbers between -100 and 100, not 1000", []string{"open", "1000"}},
		{2, "-query and -target: expected both, or none", []string{"query", good}},
		{2, "-n 5: only sequences that are made", []string{"query", good, "target", good, "n", "5"}},
		{2, bad + ":2:2: '1' is not one of the letters", []string{"query", good, "target", bad}},
		{2, "no such file", []string{"query", good, "target", filepath.Join(dir, "none")}},
		{5, "5 processes are too many for the 4 letters", []string{"query", good, "target", good}},
		{2, "-out " + dir + "/none/x: there is no directory", []string{"out", filepath.Join(dir, "none", "x")}},
		{2, "-png " + dir + "/none/x: there is no directory", []string{"png", filepath.Join(dir, "none", "x")}},
		{2, "-density 5: expected", []string{"density", "5"}},
		{2, "-message -1: expected", []string{"message", "-1"}},
		{2, "-kept 0: expected a number from -message (5)", []string{"message", "5"}},
	} {
		t.Run(c.want, func(t *testing.T) {
			settings(t, c.flags...)
			p, err := readInput()
			if err == nil {
				_, err = p.forProcesses(c.procs)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	settings(t, "query", good, "target", good, "blocks", "4")
	p, err := readInput()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.forProcesses(2); err != nil || p.text(p.query) != "ARND" || p.targetName != "a" {
		t.Errorf("%+v, %v", p, err)
	}
}

// A file is written as a whole or not at all.
func TestOut(t *testing.T) {
	dir := t.TempDir()
	s := dnaScoring(2, -3)
	p := &parameters{scoring: s, query: []byte{0, 1}, target: []byte{0, 1}, queryName: "q", targetName: "t"}
	a := &alignment{score: 4, begin: place{1, 1}, end: place{2, 2}, pieces: []byte("MM")}
	settings(t, "out", filepath.Join(dir, "a.txt"))
	if err := p.hand(a, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	if err != nil || !strings.Contains(string(text), "query          1 AC 2") {
		t.Errorf("%s, %v", text, err)
	}
	settings(t, "out", filepath.Join(dir, "none", "a.txt"))
	if err := p.hand(a, nil); err == nil || !strings.HasPrefix(err.Error(), "-out: ") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}

func TestMadeSequencesAreOfTheLengthThatIsAskedFor(t *testing.T) {
	for _, s := range []*scoring{proteinScoring(), dnaScoring(2, -3)} {
		for n := 1; n < 100; n++ {
			query, target := generate(n, uint64(n), s)
			if len(query) != n || len(target) != n {
				t.Fatalf("%d: %d and %d letters", n, len(query), len(target))
			}
		}
	}
}
