package live

import (
	"fmt"
	"testing"
)

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

// However keys arrive, none is made up or takes memory.
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
