package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Transcripts repeats the files testdata/*.txt, as sub-tests. A transcript has events, one
// in a line, and the answers to them in lines that begin with >; empty lines and lines that
// begin with # are for the reader. For each file begin returns a function that carries out
// a line, given as its words, and answers with lines. The test fails if an answer differs;
// with update the new answer is written into the file.
func Transcripts(t *testing.T, update bool, begin func() func(word string, rest []string) (string, error)) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want := must.Get(os.ReadFile(file))(t)
			got := repeat(t, string(want), begin())
			if update {
				must.Do(t, os.WriteFile(file, []byte(got), 0o644))
			} else if got != string(want) {
				t.Errorf("%s: go test -run Transcripts -update writes what is answered now:\n%s", file, got)
			}
		})
	}
}

// repeat returns a transcript with the present answers.
func repeat(t *testing.T, text string, do func(string, []string) (string, error)) string {
	var out strings.Builder
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		answer, err := do(words[0], words[1:])
		if err != nil {
			t.Fatalf("line %d: %q: %v", n+1, line, err)
		}
		for row := range strings.Lines(answer) {
			out.WriteString(strings.TrimRight("> "+row, " \n") + "\n")
		}
	}
	return out.String()
}
