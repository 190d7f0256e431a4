package frame

import (
	"strings"
	"testing"
)

// One description gives both forms.
func TestTable(t *testing.T) {
	some := Table{Title: "Title", Header: []string{"program", "time"}, Text: []int{0}, Notes: []string{"note"}}
	some.Add("lu", "1 s")
	some.Add("fractal", "10 s")
	for markdown, want := range map[bool]string{
		true: "\nTitle:\n\n| program | time |\n|---|--:|\n| lu | 1 s |\n| fractal | 10 s |\n\nnote\n",
		false: `
 Title
 program  time
---------------
 lu        1 s
 fractal  10 s
 note
`,
	} {
		var w strings.Builder
		if err := some.Write(&w, markdown); err != nil || w.String() != want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, w.String(), want)
		}
	}
	several := Table{Title: "One\ntwo\n", Header: []string{"x"}}
	var w strings.Builder
	if err := several.Write(&w, false); err != nil || !strings.HasPrefix(w.String(), "\n One\n two\n\n x\n") {
		t.Errorf("%v\n%s", err, w.String())
	}
}
