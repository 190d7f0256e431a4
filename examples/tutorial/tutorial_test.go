// Package tutorial_test checks that docs/guide/tutorial.md shows the programs in this directory. The
// tests of package docs compare their output.
package tutorial_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const page = "../../docs/guide/tutorial.md"

// block is one between fences, with the file of a program that was linked last before.
type block struct {
	language, text, file string
}

var (
	fence = regexp.MustCompile("(?ms)^```(\\w*)[^\n]*\n(.*?)^```$")
	link  = regexp.MustCompile(`\]\(\.\./\.\./examples/tutorial/([\w/-]+/\w+\.go)\)`)
)

func blocks(t *testing.T) []block {
	t.Helper()
	text := must.Get(os.ReadFile(page))(t)
	var all []block
	for _, at := range fence.FindAllSubmatchIndex(text, -1) {
		b := block{language: string(text[at[2]:at[3]]), text: string(text[at[4]:at[5]])}
		if links := link.FindAllSubmatch(text[:at[0]], -1); len(links) > 0 {
			b.file = string(links[len(links)-1][1])
		}
		all = append(all, b)
	}
	return all
}

// Each listing stands in the file that was named last, as it is there.
func TestListings(t *testing.T) {
	shown := make(map[string]bool)
	for _, b := range blocks(t) {
		if b.language != "go" {
			continue
		}
		file, err := os.ReadFile(b.file)
		if err != nil || !bytes.Contains(append([]byte("\n"), file...), []byte("\n"+b.text)) {
			t.Errorf("%s has no such part: %v\n%s", b.file, err, b.text)
		}
		shown[b.file] = true
	}
	for _, pattern := range []string{"*/*.go", "testdata/*/*.go"} {
		files := must.Get(filepath.Glob(pattern))(t)
		for _, file := range files {
			if !shown[filepath.ToSlash(file)] {
				t.Errorf("%s is not in %s", file, page)
			}
		}
	}
}

// A program prints the same with any moves of processes.
func TestMovesChangeNothing(t *testing.T) {
	bin := testrun.Build(t, "", "./examples/tutorial/05-rod", "./examples/tutorial/07-zoom")
	for _, args := range []string{"05-rod -procs 7 -n 50 -steps 20", "07-zoom -procs 9 -n 40 -frames 7"} {
		var want []byte
		for _, more := range []string{"-ranks 1", "-ranks 4", "-shake -ranks 4"} {
			words := strings.Fields(args + " -quiet -config " + os.DevNull + " " + more)
			got, err := exec.Command(filepath.Join(bin, words[0]), words[1:]...).CombinedOutput()
			if err != nil || want != nil && !bytes.Equal(got, want) {
				t.Errorf("%s %s: %v\n%s, want\n%s", args, more, err, got, want)
			}
			want = got
		}
	}
}
