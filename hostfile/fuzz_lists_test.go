package hostfile

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostNames is how many names of a list are worth folding again in a fuzz test.
const mostNames = 1 << 14

var large = regexp.MustCompile(`\[[^\]]*[0-9]{3}|(\[[^\[]*){4}`)

// skipLarge leaves out texts that stand for many hosts: they take long, and find
// nothing more.
func skipLarge(t *testing.T, text string) {
	t.Helper()
	if large.MatchString(text) {
		t.Skip()
	}
}

// checkProblems looks whether an error is Problems that lie in the text.
func checkProblems(t *testing.T, text string, err error) {
	t.Helper()
	problems, ok := err.(Problems)
	if !ok || len(problems) == 0 || len(problems) > maxProblems {
		t.Fatalf("error %T of %d lines: %v", err, len(problems), err)
	}
	checkPlaces(t, text, problems)
}

// FuzzSlurmList looks for lists that do not survive folding.
func FuzzSlurmList(f *testing.F) {
	for _, text := range []string{
		"", "n[1-3],gpu1", "r[0-1]n[00-02]", "n[08-11] n[8-011]", "n[1,01],n1,n1", "gpu[1-2]-ib", "n003,n001\nn002", "n[1-2", "n1-2]",
		"n[3-1]", "n[]", "n[0-3:2]", "n[0-65536]", "n[0-999]x[0-999]", "switch{s1,s2}", ",,a, ,b,", "fe80::1,[fe80::2],10.0.0.1", "n999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skipLarge(t, text)
		names, err := ParseSlurmList("v", text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		if len(names) > mostNames {
			return
		}
		checkFolds(t, names)
	})
}

func FuzzSlurmCounts(f *testing.F) {
	for _, text := range []string{"", "2(x3),1", "16", "0,0", "1(x65536),1", "2(x3", "2x3", "-1", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		counts, err := ParseSlurmCounts("v", text)
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		if len(counts) > maxHosts || slices.ContainsFunc(counts, func(n int) bool { return n < 0 || n > maxSlots }) {
			t.Fatal(len(counts), counts)
		}
	})
}

// FuzzForms looks for panics, and for files of others that do not survive
// writing.
func FuzzForms(f *testing.F) {
	for _, text := range []string{
		"n1\nn1 # c\nn2\n", "n1,n[2-3]*2\n", "n1 4 all.q@n1 UNDEFINED\n", "n\\#1\n", "#@set x\na,b\n#@set y\nc*3\n", "a b\tc\r\n", "n1 x\n", "*\n", "n1*\n", "n1 4\nn1 2\n",
	} {
		f.Add(text, uint8(SlurmHosts))
		f.Add(text, uint8(GridEngine))
	}
	f.Fuzz(func(t *testing.T, text string, form uint8) {
		skipLarge(t, text)
		rules := Rules{Form: Form(form % 3)}
		file, err := rules.Parse("h", strings.NewReader(text))
		if err != nil {
			checkProblems(t, text, err)
			return
		}
		checkPlaces(t, text, file.Warnings)
		checkSound(t, file)
		checkRoundTrip(t, Rules{Strict: len(file.Sets) > 1}, file)
		checkSlurmFile(t, file)
		if guess := FormOf(text); guess < Launchers || guess > GridEngine {
			t.Fatal(guess)
		}
	})
}

// checkSlurmFile writes a file for Slurm and reads it again, if it is not large.
func checkSlurmFile(t *testing.T, f *File) {
	t.Helper()
	var text strings.Builder
	if f.Ranks() > mostNames || f.WriteSlurm(&text) != nil {
		return
	}
	again, err := Rules{Form: SlurmHosts}.Parse("h", strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	plain := bare(f)
	for i := range plain.Hosts {
		plain.Hosts[i].User, plain.Hosts[i].MaxSlots = "", 0
	}
	if got, want := written(again), written(plain); got != want {
		t.Fatalf("for Slurm\n%s\ngives\n%s\nnot\n%s", text.String(), got, want)
	}
}
