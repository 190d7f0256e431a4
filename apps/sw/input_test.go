package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

func TestWhatCannotBeAligned(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.fa"), filepath.Join(dir, "bad.fa")
	for path, text := range map[string]string{good: ">a\nARND\n", bad: ">a\nA1\n"} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
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
		{1, "-n 0: expected a number of letters from 1 to", []string{"n", "0"}},
		{2, "-match 0: expected a number from 1 to 100", []string{"matrix", "dna", "match", "0"}},
		{2, "-mismatch 0: expected a number from -100 to -1", []string{"matrix", "dna", "mismatch", "0"}},
		{2, "-extend 0: expected a number from 1 to 100", []string{"extend", "0"}},
		{2, "-extend -1: expected a number from 1 to 100", []string{"extend", "-1"}},
		{2, "-open 1000: expected a number from 0 to 100", []string{"open", "1000"}},
		{2, "-open -50: expected a number from 0 to 100", []string{"open", "-50"}},
		{2, "-query and -target: expected both, or none", []string{"query", good}},
		{2, bad + ":2:2: '1' is not one of the letters", []string{"query", good, "target", bad}},
		{2, "...no such file", []string{"query", good, "target", filepath.Join(dir, "none")}},
		{5, "5 processes are too many for the 4 letters", []string{"query", good, "target", good}},
		{2, "-out " + dir + "/none/x: there is no directory", []string{"out", filepath.Join(dir, "none", "x")}},
		{2, "-png " + dir + "/none/x: there is no directory", []string{"png", filepath.Join(dir, "none", "x")}},
		{2, "-density 5: expected", []string{"density", "5"}},
		{2, "-message -1: expected", []string{"message", "-1"}},
		{2, "-kept 0: expected a number from -message (5)", []string{"message", "5"}},
	} {
		apptest.Wrong(t, func() error {
			p, err := readInput()
			if err == nil {
				_, err = p.forProcesses(c.procs)
			}
			return err
		}, c.want, c.flags...)
	}
	apptest.Set(t, "query", good, "target", good, "blocks", "4")
	p, err := must.Get(readInput())(t).forProcesses(2)
	if err != nil || p.scoring.text(p.query) != "ARND" || p.targetName != "a" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestFlagsWithoutUse(t *testing.T) {
	files := "-query testdata/alpha.fa -target testdata/beta.fa "
	for args, want := range map[string]string{
		"-match 3":             "-match 3: only -matrix dna has use for it",
		files + "-mismatch -3": "-mismatch -3: only -matrix dna has use for it",
		files + "-n 5":         "-n 5: the sequences are those of -query and -target",
		files + "-seed 1":      "-seed 1: the sequences are those of -query and -target",
	} {
		apptest.Refused(t, ".", args, want)
	}
}

// A requested gap cost of zero besides its letters is not replaced by the default.
func TestGapsThatWereAskedFor(t *testing.T) {
	for _, c := range [][4]string{{"dna", "", "", "5 2"}, {"dna", "0", "1", "0 1"}, {"blosum62", "", "", "11 1"}, {"blosum62", "0", "", "0 1"}, {"blosum62", "100", "100", "100 100"}} {
		apptest.Set(t, "matrix", c[0], "open", c[1], "extend", c[2])
		p, err := readInput()
		if err != nil || fmt.Sprint(p.scoring.Open, p.scoring.Extend) != c[3] {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// Letters that stand for several are read as any, with a single note.
func TestUnclearLetters(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.fa": ">a\nACGTRYacgu\n>b\nRRR\n", "b.fa": ">b\nACGTNNACGT\n", "p.fa": ">p\nARNDUOJX\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for args, want := range map[string]string{
		"-matrix dna -query a.fa -target b.fa": "sw: letters read as N, any: 2 of a.fa\n",
		"-matrix dna -query a.fa -target a.fa": "sw: letters read as N, any: 2 of a.fa, 2 of a.fa\n",
		"-matrix dna -query b.fa -target b.fa": "",
		"-query p.fa -target p.fa":             "sw: letters read as X, any: 3 of p.fa, 3 of p.fa\n",
	} {
		if code, out, errs := apptest.Call(t, dir, args+" -procs 3 -quiet"); code != 0 || errs != want || !strings.Contains(out, "PASSED") {
			t.Errorf("%s: code %d, %s, %q, want %q", args, code, out, errs, want)
		}
	}
}

// A file is written as a whole or not at all.
func TestOut(t *testing.T) {
	dir := t.TempDir()
	s := dnaScoring(2, -3)
	p := &parameters{scoring: s, query: []byte{0, 1}, target: []byte{0, 1}, queryName: "q", targetName: "t"}
	a := &alignment{score: 4, begin: place{1, 1}, end: place{2, 2}, pieces: []byte("MM")}
	apptest.Set(t, "out", filepath.Join(dir, "a.txt"))
	must.Do(t, p.hand(a, nil))
	text, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	if err != nil || !strings.Contains(string(text), "query          1 AC 2") {
		t.Errorf("%s, %v", text, err)
	}
	apptest.Set(t, "out", filepath.Join(dir, "none", "a.txt"))
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

func TestFasta(t *testing.T) {
	s := proteinScoring()
	for _, c := range []struct{ text, want string }{
		{">a b\nARN\nd c\n\n>second\r\nQ\r\n", "a b:ARNDC second:Q"},
		{">no end\nW", "no end:W"},
		{"\n\n>\nA\n", ":A"},
		{"", "x.fa: there is no sequence in it; expected a line that begins with > and a name"},
		{" \n\n", "x.fa: there is no sequence in it; expected a line that begins with > and a name"},
		{"\nARN\n>a\nA\n", "x.fa:2: expected a line that begins with > and a name"},
		{">a\n>b\nA\n", `x.fa:1: sequence "a" has no letters`},
		{">a\nA\n\n>b\n", `x.fa:4: sequence "b" has no letters`},
		{">a\nAR\nA-R\n", "x.fa:3:2: '-' is not one of the letters ARNDCQEGHILKMFPSTWYVBZX*UOJ"},
		{">a\nARuOj\n", "a:ARXXX"},
		{">a\nAR\x00\n", `x.fa:2:3: '\x00' is not one of the letters`},
		{">a\nAR>b\n", "x.fa:2:3: '>' is not one of the letters"},
	} {
		all, err := parseFasta("x.fa", []byte(c.text), s)
		var got []string
		for _, x := range all {
			got = append(got, x.name+":"+s.text(x.codes))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, c.want) || err == nil && text != c.want {
			t.Errorf("%q: %s, want %s", c.text, text, c.want)
		}
	}
}

// Input that is read can be written and read again; errors name the file.
func FuzzFasta(f *testing.F) {
	f.Add(">a b\nARN\nd c\n\n>second\r\nQ\r\n")
	f.Add(">a\n>b\nA\n")
	f.Add("ARN")
	f.Add(">\n*")
	s := proteinScoring()
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseFasta("x.fa", []byte(text), s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.fa:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		var again strings.Builder
		for _, x := range all {
			again.WriteString(">" + x.name + "\n" + s.text(x.codes) + "\n")
		}
		same, err := parseFasta("y.fa", []byte(again.String()), s)
		if err != nil || len(same) != len(all) {
			t.Fatalf("%q: %v", again.String(), err)
		}
		for i, x := range all {
			if same[i].name != x.name || string(same[i].codes) != string(x.codes) || len(x.codes) == 0 {
				t.Errorf("%q has become %q", text, again.String())
			}
		}
	})
}

// text is a sequence in letters.
func (s *scoring) text(codes []byte) string {
	text := make([]byte, len(codes))
	for i, c := range codes {
		text[i] = s.letters[c]
	}
	return string(text)
}
