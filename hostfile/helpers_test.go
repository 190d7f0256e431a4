package hostfile

import (
	"strings"
	"testing"
)

// parse reads text that must be right.
func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("h", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%q:\n%v", text, err)
	}
	return f
}

// failure is the error for text that must be wrong.
func failure(t *testing.T, rules Rules, text string) string {
	t.Helper()
	f, err := rules.Parse("h", strings.NewReader(text))
	if err == nil {
		t.Fatalf("%q was read as %s", text, written(f))
	}
	if _, ok := err.(Problems); !ok {
		t.Fatalf("%q: the error is a %T", text, err)
	}
	return err.Error()
}

// written is the canonical form.
func written(f *File) string {
	var text strings.Builder
	f.WriteTo(&text)
	return text.String()
}

// warnings are the texts of a file's warnings.
func warnings(f *File) []string {
	var texts []string
	for _, w := range f.Warnings {
		texts = append(texts, w.Error())
	}
	return texts
}
