package ledger

import (
	"strings"
	"testing"
)

func TestTrimmer(t *testing.T) {
	var out strings.Builder
	w := &trimmer{w: &out}
	for _, part := range []string{" a  b  ", "  \n", "c ", "", " d\n  \n", "e "} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if want := " a  b\nc  d\n\ne"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
