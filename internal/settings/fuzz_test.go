package settings

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzRead looks for panics, for errors that point nowhere, and for files that
// say something else when they are written anew.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "procs = 4 # of them\r\n[lu]\nn = 1_000\nshape = \"2x3\"\n", "a = 'b'\n\"a\" = 1", "[\"a.out\"]\nx = -1.5e-3\ny = true",
		`a = "\t\u00e9\U0001F600\\"`, "a = [1]", "a = '''x'''", "[[a]]", "a.b = 1", "a = 1979-05-27", "\xff", "a = \"\\", "[a]\n[a]", "'='=''#",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := read("f", text)
		if err != nil {
			var line, column int
			lines := strings.Split(text, "\n")
			if n, _ := fmt.Sscanf(err.Error(), "f:%d:%d: ", &line, &column); n < 2 || line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := read("f", rewritten(in))
		if err != nil {
			t.Fatalf("%q, rewritten as %q: %v", text, rewritten(in), err)
		}
		if len(again.entries) != len(in.entries) {
			t.Fatalf("%q has %d entries, rewritten %d", text, len(in.entries), len(again.entries))
		}
		for _, e := range in.entries {
			same := again.find(e.table, e.key)
			if same == nil || same.text != e.text {
				t.Fatalf("%q: %+v is %+v in %q", text, e, same, rewritten(in))
			}
			if !strings.HasPrefix(text[e.at:], e.source) {
				t.Fatalf("%q: %+v is not there", text, e)
			}
		}
	})
}

// rewritten is a file that says the same, all values as basic strings.
func rewritten(in *file) string {
	var b strings.Builder
	table := ""
	for _, e := range in.entries {
		if e.table != table {
			table = e.table
			fmt.Fprintf(&b, "[%s]\n", inQuotes(table))
		}
		fmt.Fprintf(&b, "%s = %s\n", inQuotes(e.key), inQuotes(e.text))
	}
	return b.String()
}

// inQuotes is a basic string with all but letters and digits as numbers.
func inQuotes(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return `"` + b.String() + `"`
}
