package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"# nothing\n\n \t# at all", ""},
		{"procs = 4", "procs=4@1:9"},
		{"procs=4 # of them\r\nranks\t=\t2\r\n", "procs=4@1:7 ranks=2@2:9"},
		{"a = 1_000_000\nb = -3\nc = +7\nd = 0", "a=1000000@1:5 b=-3@2:5 c=7@3:5 d=0@4:5"},
		{"a = 1.5\nb = 1e3\nc = -2.5E-0_3\nd = 6_0.0_1", "a=1.5@1:5 b=1e3@2:5 c=-2.5E-03@3:5 d=60.01@4:5"},
		{"a = true\nb = false", "a=true@1:5 b=false@2:5"},
		{`a = "x # \t\"\\\u00e9\U0001F600"`, "a=x # \t\"\\é😀@1:5"},
		{`a = 'C:\x "y" # z'`, `a=C:\x "y" # z@1:5`},
		{`a = ""` + "\n" + `b = ''`, "a=@1:5 b=@2:5"},
		{`"run-dir" = 'x'` + "\n" + `'why' = true`, "run-dir=x@1:13 why=true@2:9"},
		{"why = true\n[lu]\nn = 5\n[ \"a.out\" ] # other\nn = 6\n[empty]", "why=true@1:7 lu/n=5@3:5 a.out/n=6@5:5"},
		{"n = 1\n[lu]\nn = 2", "n=1@1:5 lu/n=2@3:5"},
		{"a = 0x1_F\nb = inf", "a=0x1F@1:5 b=inf@2:5"},
		{"a = \"\"\"\nx\ny\"\"\"\nb = 1", "a=x\ny@1:5 b=1@4:5"},
	} {
		f, err := read("f", c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := listed(f); got != c.want {
			t.Errorf("%q is read as\n%s, want\n%s", c.text, got, c.want)
		}
	}
}

// listed formats the entries of a file as table/key=text@line:column, separated by blanks.
func listed(f *file) string {
	var all []string
	for _, e := range f.entries {
		key := e.key
		if e.table != "" {
			key = e.table + "/" + key
		}
		line, column := f.place(e.at)
		all = append(all, fmt.Sprintf("%s=%s@%d:%d", key, e.text, line, column))
	}
	return strings.Join(all, " ")
}

// Invalid TOML, and TOML beyond the needs of settings, is rejected with its position.
func TestReadProblems(t *testing.T) {
	const value = ", expected a string in quotes, a number, true or false"
	const name = ", expected a name: letters, digits, - and _, or any others in quotes"
	for _, c := range []struct{ text, want string }{
		{"procs", "1:6: the end of the line, expected '=' after key"},
		{"\nprocs 4", `2:7: "4", expected '=' after key`},
		{"procs =", "1:8: the end of the line" + value},
		{"procs =\r\na = 1", "1:8: the end of the line" + value},
		{"procs = # 4", "1:9: the end of the line" + value},
		{"table = sites", `1:9: "sites"` + value},
		{"why = True", `1:7: "True"` + value},
		{"a = [1, 2]", `1:5: "[1,"` + value},
		{"a = {b = 1}", `1:5: "{b"` + value},
		{"a = 1979-05-27", `1:5: "1979-05-27"` + value},
		{"a = 07:32:00", `1:5: "07:32:00"` + value},
		{"a = 007", `1:5: "007", integers cannot have leading zeroes`},
		{"a = 1__0", `1:6: "__0", number must have at least one digit between underscores`},
		{"a = _1", `1:5: "_1"` + value},
		{"a = .5", `1:5: ".5"` + value},
		{"a = 5.", "1:7: the end of the line, decimal point must be followed by a digit"},
		{"a = \"\"\"x\n\ny", "3:2: the end of the line, multiline basic string not terminated by "},
		{`a = "x`, "1:7: the end of the line, basic strings cannot have new lines"},
		{`a = 'x`, "1:7: the end of the line, literal strings cannot have new lines"},
		{`a = "C:\migbsp"`, `1:8: "\\migbsp\"", invalid escape character U+006D 'm'; between single quotes a backslash is itself`},
		{`a = "\ud800"`, `1:6: "\\ud800\"", escape sequence is not a valid unicode code point`},
		{`a = "\u12`, `1:6: "\\u12", unicode escape sequence is too short`},
		{"a = 1 2", `1:7: "2", expected the end of the line or a comment`},
		{`a = "x"y`, `1:8: "y", expected the end of the line or a comment`},
		{"a.b = 1", `1:1: "a.b", expected a name without dots`},
		{`"a" . b = 1`, `1:1: "\"a\"", expected a name without dots`},
		{"[a.b]", `1:2: "a.b]", expected a name without dots`},
		{"[[lu]]", "1:3: [[lu]], expected one table, [lu]"},
		{"[lu", "1:4: the end of the line, expected ']' to close table name"},
		{"[]", `1:2: "]"` + name},
		{`[""]`, `1:2: "\"\"]"` + name},
		{`"" = 1`, `1:1: "\"\""` + name},
		{"[lu] n = 1", `1:6: "n", expected the end of the line or a comment`},
		{"= 1", `1:1: "="` + name},
		{"é = 1", `1:1: "é"` + name},
		{"a = 1\n\n'a' = 2", `3:1: "a" again after line 1, expected it once`},
		{"[x]\nb = 1\nb = 1", `3:1: "b" again after line 2, expected it once`},
		{"[x]\n[y]\n[x]", `3:2: [x] again after line 1, expected it once`},
		{"a = '\xff'", `1:6: "\xff'", invalid UTF-8 character in literal string`},
		{"# \x00", `1:3: "\x00", control characters are not allowed in comments`},
		{"a = 1\rb = 2\n", `1:6: "\rb", expected the end of the line or a comment`},
		{"\ufeffa = 1", `1:1: "\ufeffa"` + name},
		{"a = " + strings.Repeat("é", 30), `1:5: "` + strings.Repeat("é", 20) + `..."` + value},
	} {
		f, err := read("f", c.text)
		if err == nil {
			t.Errorf("%q is read as %s, want %s", c.text, listed(f), c.want)
		} else if !strings.HasPrefix(err.Error(), "f:"+c.want) {
			t.Errorf("%q:\n%v, want\nf:%s", c.text, err, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"balance", "config", "n", "procs", "quiet", "ranks", "run-dir"}
	for _, c := range []struct{ read, want string }{
		{"porcs", "procs"}, {"rpocs", "procs"}, {"proc", "procs"}, {"prcos", "procs"}, {"procxs", "procs"}, {"rank", "ranks"}, {"rundir", "run-dir"},
		{"bal", "balance"}, {"quite", "quiet"}, {"blaance", "balance"}, {"m", "n"}, {"nodes", ""}, {"walrus", ""},
	} {
		if got := nearest(c.read, names); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.read, got, c.want)
		}
	}
}

// Another process receives the given values, in order, and defaults that differ from its own.
func TestApply(t *testing.T) {
	values, _, err := newProgram().resolve(t, "-word a -word b -procs 3", "MIGBSP_EVERY=1m", map[string]string{"here.toml": "[lu]\nn = 7"})
	if err != nil {
		t.Fatal(err)
	}
	other := newProgram()
	other.Lookup("share").Value.Set("0.25") // its own default
	for _, v := range values {
		if err := v.Apply(other.FlagSet); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{"procs": "3", "every": "1m0s", "n": "7", "share": "0.5", "quiet": "false"} {
		if got := other.Lookup(name).Value.String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if !slices.Equal(other.words, []string{"a", "b"}) {
		t.Errorf("words %v", other.words)
	}
	if err := (Value{Name: "word", Origin: Flag, Given: []string{"bad"}}).Apply(other.FlagSet); err == nil || !strings.Contains(err.Error(), "a word was expected") {
		t.Errorf("a value that the flag does not take: %v", err)
	}
}

// FuzzRead looks for panics, for errors without a position, and for files whose entries change when
// they are rewritten.
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

// rewritten returns a file with the same entries, all values as basic strings.
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
