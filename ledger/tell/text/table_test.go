package text

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWriteRows(t *testing.T) {
	var b strings.Builder
	must.Do(t, WriteRows(&b, []string{"measure", "min"}, [][]string{{"empty", "137 ns"}, {"put8_1", "1.20 us"}}, 0))
	for _, want := range []string{" measure ", " empty     137 ns", " put8_1   1.20 us"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

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
