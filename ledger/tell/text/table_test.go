package text

import (
	"strings"
	"testing"
)

func TestWriteRows(t *testing.T) {
	var b strings.Builder
	err := WriteRows(&b, []string{"measure", "min"}, [][]string{{"empty", "137 ns"}, {"put8_1", "1.20 us"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" measure ", " empty     137 ns", " put8_1   1.20 us"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
