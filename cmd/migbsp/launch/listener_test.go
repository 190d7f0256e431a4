package launch

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Of what a launcher says all is shown up to the line by which a rank is lost, and the rest
// is in a file, however it comes.
func TestLastWords(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const (
		before = "lu: 2 Sets\nrank 3 of 4 is lost: a word\n"
		loss   = "lu: rank 3 on far1 is lost: no answer for 10 s in superstep 7; there is no checkpoint\n"
		after  = "[near1:1] Signal: Segmentation fault (11)\nlu: rank 2 on far1 is lost: again\n[near1:1] main"
	)
	for _, c := range []struct{ shown, kept string }{{before + loss, after}, {before + loss, ""}, {before, ""}, {"no line", ""}, {"", ""}} {
		for piece := range 4 {
			said, calls := new(bytes.Buffer), 0
			l := &listener{to: said, lost: func() { calls++ }}
			text := []byte(c.shown + c.kept)
			for rest := text; len(rest) > 0; {
				n := len(rest)
				if piece > 0 {
					n = min(n, 1<<(3*(piece-1)))
				}
				if wrote, err := l.Write(rest[:n]); wrote != n || err != nil {
					t.Fatalf("%d bytes of %d are written, %v", wrote, n, err)
				}
				rest = rest[n:]
			}
			kept := []byte{}
			if file := l.close(); file != "" {
				var err error
				if kept, err = os.ReadFile(file); err != nil {
					t.Fatal(err)
				}
				if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
					t.Errorf("others may read the last words: %v", info.Mode())
				}
			}
			if said.String() != c.shown || string(kept) != c.kept {
				t.Errorf("it shows %q and keeps %q, want %q and %q", said, kept, c.shown, c.kept)
			}
			if want := strings.Count(c.shown, " far1 is lost: "); calls != want || l.hasLost() != (want == 1) {
				t.Errorf("%d losses are noticed, want %d", calls, want)
			}
		}
	}
}
