package cbsp

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// An object written by Embed is found again, begins at a page, and replaces an older object.
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

// C code cannot call a function of Go while processes have stacks of their own.
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

// FuzzObject looks for objects in files of any content. An object that is found lies within the file.
func FuzzObject(f *testing.F) {
	dir := f.TempDir()
	self := must.Get(os.Executable())(f)
	one := filepath.Join(dir, "one")
	must.Do(f, os.WriteFile(one, []byte("an object"), 0o666))
	must.Do(f, Embed(one, one, filepath.Join(dir, "two")))
	f.Add(must.Get(os.ReadFile(filepath.Join(dir, "two")))(f)[pageSize-9:])
	whole := must.Get(os.ReadFile(self))(f)
	f.Add(whole[:4096])
	f.Add(tiny())
	name := filepath.Join(dir, "any")
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Do(t, os.WriteFile(name, text, 0o666))
		HasObject(name)
		file := must.Get(os.Open(name))(t)
		defer file.Close()
		if o, found := within(file); found && (o.Offset < 0 || o.Size < 0 || o.Size > int64(len(text)) || o.Offset > int64(len(text))-o.Size) {
			t.Errorf("%+v in a file of %d bytes", o, len(text))
		}
	})
}

// tiny returns an ELF file with one dynamic symbol, its entry point.
func tiny() []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			binary.Write(&b, binary.LittleEndian, v)
		}
	}
	names := "\x00" + StartName + "\x00"
	const head, section = 64, 64
	symbols := uint64(head + 3*section)
	put(elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Entry: 0x1000,
		Shoff: head, Ehsize: head, Shentsize: section, Shnum: 3, Shstrndx: 2,
	})
	put(elf.Section64{},
		elf.Section64{Type: uint32(elf.SHT_DYNSYM), Off: symbols, Size: 2 * elf.Sym64Size, Link: 2, Entsize: elf.Sym64Size},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: symbols + 2*elf.Sym64Size, Size: uint64(len(names))})
	put(elf.Sym64{}, elf.Sym64{Name: 1, Value: 0x1000}, []byte(names))
	return b.Bytes()
}

// Files that cannot be programs have no object, and a pipe is not waited for.
func TestHasObject(t *testing.T) {
	dir := t.TempDir()
	name, pipe := filepath.Join(dir, "tiny"), filepath.Join(dir, "pipe")
	must.Do(t, os.WriteFile(name, tiny(), 0o666))
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	for path, want := range map[string]bool{name: true, pipe: false, dir: false, "/dev/zero": false, filepath.Join(dir, "none"): false} {
		if HasObject(path) != want {
			t.Errorf("%s: %t", path, !want)
		}
	}
	if err := Embed(name, pipe, filepath.Join(dir, "out")); err == nil || !strings.HasSuffix(err.Error(), "pipe is a pipe; expected a regular file") {
		t.Errorf("%v", err)
	}
}
