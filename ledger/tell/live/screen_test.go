package live

import (
	"fmt"
	"strings"
	"testing"
)

// Only lines that change are written.
func TestScreenWritesChanges(t *testing.T) {
	var s screen
	first := s.change([]string{"a", "b", "c"})
	if !strings.Contains(first, "\x1b[2J") || !strings.Contains(first, "\x1b[3;1H\x1b[Kc") {
		t.Errorf("the first picture is written as %q", first)
	}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"a", "b", "c"}, ""},
		{[]string{"a", "B", "c"}, "\x1b[2;1H\x1b[KB"},
		{[]string{"", "B", "C"}, "\x1b[1;1H\x1b[K\x1b[3;1H\x1b[KC"},
	} {
		if got := s.change(c.lines); got != c.want {
			t.Errorf("%q is written as %q, want %q", c.lines, got, c.want)
		}
	}
	s.forget()
	if got := s.change([]string{"x", "y", "z"}); strings.Count(got, "H") != 3 {
		t.Errorf("a screen that is not known is written as %q", got)
	}
	if got := s.change([]string{"x"}); !strings.Contains(got, "\x1b[2J") {
		t.Errorf("after a change of size %q is written", got)
	}
}

// What is written adds up to the lines that are to be seen.
func FuzzScreen(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Fuzz(func(t *testing.T, before, after string) {
		var s screen
		shown := make(map[int]string)
		for _, text := range []string{before, after} {
			lines := strings.Split(strings.ReplaceAll(text, "\x1b", ""), "\n")
			written := s.change(lines)
			if strings.Contains(written, "\x1b[2J") {
				clear(shown)
			}
			apply(shown, written)
			for i, l := range lines {
				if shown[i+1] != l {
					t.Fatalf("line %d shows %q, want %q", i+1, shown[i+1], l)
				}
			}
		}
	})
}

// apply does what a terminal does with the sequences of a screen.
func apply(shown map[int]string, written string) {
	at := 0
	for _, part := range strings.Split(written, "\x1b[")[1:] {
		switch {
		case strings.HasSuffix(part, ";1H"):
			fmt.Sscan(strings.TrimSuffix(part, ";1H"), &at)
		case strings.HasPrefix(part, "K"):
			shown[at] = part[1:]
		}
	}
}
