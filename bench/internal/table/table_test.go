package table

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	var w strings.Builder
	some := Table{Title: "Title", Header: []string{"program", "time"}, Rows: [][]string{{"lu", "1 s"}}, Text: []int{0}}
	if err := some.Write(&w, true); err != nil {
		t.Fatal(err)
	}
	if want := "\nTitle:\n\n| program | time |\n|---|--:|\n| lu | 1 s |\n"; w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
}
