package hostfile

import (
	"strings"
	"testing"
)

// row is a text, and what a reader makes of it.
type row struct{ name, text, want string }

// gives holds what a reader makes of texts to the rows.
func gives(t *testing.T, read func(t *testing.T, text string) string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got := read(t, r.text); got != r.want {
				t.Errorf("%q\n got %s\nwant %s", r.text, got, r.want)
			}
		})
	}
}

// refuses holds a reader to Problems that begin as the rows say.
func refuses[T any](t *testing.T, read func(text string) (T, error), rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := read(r.text)
			if _, ok := err.(Problems); !ok || !strings.HasPrefix(err.Error(), r.want) {
				t.Errorf("%.60q\n got %v, %T %v\nwant %s", r.text, got, err, err, r.want)
			}
		})
	}
}

// by reads files by rules.
func by(rules Rules) func(text string) (*File, error) {
	return func(text string) (*File, error) { return rules.Parse("h", strings.NewReader(text)) }
}

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
