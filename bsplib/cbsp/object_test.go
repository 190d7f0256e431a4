package cbsp

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// What Embed writes is found again, begins at a page, and replaces an older object.
func TestEmbed(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	program := file("program", strings.Repeat("program", 1000))
	first, second := file("first", "an object"), file("second", "another object")
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, c := range []struct{ executable, object, out, want string }{
		{program, first, one, "an object"},
		{one, second, two, "another object"},
	} {
		must.Do(t, Embed(c.executable, c.object, c.out))
		f := must.Get(os.Open(c.out))(t)
		defer f.Close()
		o, found := within(f)
		text := make([]byte, o.Size)
		if _, err := f.ReadAt(text, o.Offset); !found || err != nil || string(text) != c.want || o.Offset != 1<<16 {
			t.Errorf("%s: %+v %t, %q, %v", c.out, o, found, text, err)
		}
		begin := make([]byte, 7000)
		if _, err := f.ReadAt(begin, 0); err != nil || !bytes.Equal(begin, []byte(strings.Repeat("program", 1000))) {
			t.Errorf("%s: the executable is changed: %v", c.out, err)
		}
	}
	f := must.Get(os.Open(program))(t)
	defer f.Close()
	if o, found := within(f); found {
		t.Errorf("%+v in a file without one", o)
	}
	if _, found := Embedded(); found {
		t.Error("the test has an object")
	}
}

// No function of Go can be called from C where processes have stacks of their own.
func TestNothingExported(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text := must.Get(os.ReadFile(name))(t)
		first, _, _ := strings.Cut(string(text), "\n")
		if strings.Contains(string(text), "\n//"+"export ") && !strings.HasSuffix(first, "&& staticrank") {
			t.Errorf("%s has functions for C", name)
		}
	}
}

// Flags of the engine stand before the program's arguments.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ all, flags, own string }{
		{"", "", ""},
		{"-procs 4 input", "-procs 4", "input"},
		{"-procs=4 --shake -p 7 -procs 3", "-procs=4 --shake", "-p 7 -procs 3"},
		{"-quiet -- -quiet -n 3", "-quiet", "-quiet -n 3"},
		{"100 -quiet", "", "100 -quiet"},
		{"procs 4", "", "procs 4"},
		{"- -quiet", "", "- -quiet"},
	} {
		flags, own, err := Arguments(strings.Fields(c.all))
		if err != nil || !slices.Equal(flags, strings.Fields(c.flags)) || !slices.Equal(own, strings.Fields(c.own)) {
			t.Errorf("%q: %q and %q, %v", c.all, flags, own, err)
		}
	}
	if _, _, err := Arguments([]string{"-quiet", "-procs"}); err == nil {
		t.Error("a flag without its value is taken")
	}
}
