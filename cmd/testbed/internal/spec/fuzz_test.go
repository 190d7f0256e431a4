package spec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
)

// FuzzParse looks for panics, for errors that lie outside the text, and for
// testbeds whose host files are not read.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("../../../../examples/*.testbed")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{
		three, "cores\n", "cluster a\r\n", "cluster a hosts=64 speed=0.1%,,\n", "link a b latency=1us rate=1B/s\n", "\xff\x00 #\n", "cluster x hosts=1 speed=1% =\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("s", text)
		if err != nil {
			checkPlaces(t, text, err)
			return
		}
		if _, err := hostfile.Parse("h", strings.NewReader(s.HostFile())); err != nil {
			t.Fatalf("host file: %v\n%s", err, s.HostFile())
		}
		if places, err := s.Place([]int{0, 1, 2, 3}); err == nil && len(places) != len(s.Hosts()) {
			t.Fatalf("%d places for %d hosts", len(places), len(s.Hosts()))
		}
	})
}

// checkPlaces looks whether problems lie in the text.
func checkPlaces(t *testing.T, text string, err error) {
	t.Helper()
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 || len(problems) > maxProblems {
		t.Fatalf("error %T of %d lines", err, len(problems))
	}
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 || p.Read == "" || p.Expected == "" {
			t.Fatalf("%+v", p)
		}
	}
}
