package live

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// TestMain makes the test program a view that panics, where a test runs it so.
func TestMain(m *testing.M) {
	if path := os.Getenv("MIGBSP_TEST_PANIC"); path != "" {
		var none context.Context // makes Watch panic, but not before it has the terminal
		err := Watch(none, os.Stdin, os.Stdout, Options{Path: path, Interval: time.Second})
		fmt.Println("it did not panic:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A view that panics leaves the terminal as it was.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	self := must.Get(os.Executable())(t)
	p := livetest.NewPane(t, 200, 50)
	p.Type("echo it was'' here")
	p.Shows("it was here")
	p.Type("MIGBSP_TEST_PANIC=. " + self + "; echo code $?")
	p.Shows("it was here", "panic: runtime error", "code 2")
	p.IsUsable("code 2")
}

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

// The written bytes add up to the lines to be shown.
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

// apply executes the sequences of a screen like a terminal.
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

func TestKeys(t *testing.T) {
	for text, want := range map[string][]key{
		"q":            {'q'},
		"jk":           {'j', 'k'},
		"\x03\x1a":     {interrupt, suspend},
		"\x1b[A\x1bOB": {keyUp, keyDown},
		"\x1b[5~x":     {keyPageUp, 'x'},
		"\x1b[1;5C.":   {keyOther, '.'},
		"\x1b[200~q":   {keyOther, 'q'},
		"\x1bx":        {keyOther, 'x'},
	} {
		whole := new(keyboard).keys([]byte(text))
		if fmt.Sprint(whole) != fmt.Sprint(want) {
			t.Errorf("%q: %v, want %v", text, whole, want)
		}
		var k keyboard
		var parts []key
		for i := range len(text) {
			parts = append(parts, k.keys([]byte{text[i]})...)
		}
		if fmt.Sprint(parts) != fmt.Sprint(want) {
			t.Errorf("%q byte by byte: %v, want %v", text, parts, want)
		}
	}
}

func TestPress(t *testing.T) {
	v := View{Table: "sets"}
	for _, c := range []struct {
		k    key
		want View
	}{
		{'r', View{Table: "ranks"}}, {'j', View{Table: "ranks", Scroll: 1}}, {keyPageDown, View{Table: "ranks", Scroll: 10}},
		{keyUp, View{Table: "ranks", Scroll: 9}}, {keyHome, View{Table: "ranks"}}, {keyUp, View{Table: "ranks"}},
		{'?', View{Table: "ranks", Help: true}}, {'c', View{Table: "ranks"}}, {'c', View{Table: "calls"}},
		{'p', View{Table: "calls", Paused: true}}, {'p', View{Table: "calls"}}, {'w', View{Table: "calls", Whole: true}},
		{'G', View{Table: "calls", Whole: true, Scroll: 1 << 30}}, {'e', View{Table: "sets", Whole: true}}, {'x', View{Table: "sets", Whole: true}}, {keyOther, View{Table: "sets", Whole: true}},
	} {
		if v.press(c.k, 10); v != c.want {
			t.Errorf("after %d: %+v, want %+v", c.k, v, c.want)
		}
	}
}

// For any division of the input, no key is invented and memory does not grow.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[5~q"), 2)
	f.Add([]byte("\x1b[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		var k keyboard
		cut = max(0, min(cut, len(b)))
		got := append(k.keys(b[:cut]), k.keys(b[cut:])...)
		if len(got)+len(k.rest) > len(b) || len(k.rest) > 32 {
			t.Errorf("%q: %d keys and %d bytes kept", b, len(got), len(k.rest))
		}
	})
}
