//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Libraries are found where the dynamic linker finds them.
func TestLibrariesAsTheDynamicLinker(t *testing.T) {
	testrun.Needs(t, "ldd")
	object := compile(t, "g++", "moves.cc")
	out := string(must.Get(exec.Command("ldd", object).Output())(t))
	where := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(\S+) => (\S+) `).FindAllStringSubmatch(out, -1) {
		where[m[1]] = m[2]
	}
	all := findLibraries(Object{Path: object})
	all = slices.DeleteFunc(all, func(l library) bool { return strings.HasPrefix(l.name, "ld-linux") }) // ldd lists it otherwise
	for _, l := range all {
		if a, b := must.Get(os.Stat(l.path))(t), must.Get(os.Stat(where[l.name]))(t); !os.SameFile(a, b) {
			t.Errorf("found %s, the dynamic linker finds %s", l.path, where[l.name])
		}
		if rank := strings.HasPrefix(l.name, "libc.") || strings.HasPrefix(l.name, "libm."); rank != (l.shared != "") {
			t.Errorf("%s: shared because %q", l.name, l.shared)
		}
	}
	if len(all) != len(where) {
		t.Errorf("%d libraries, want those of\n%s", len(all), out)
	}
}

// buildObject compiles C sources to shared libraries. Each source is preceded by the library's name and a
// colon, with options between them; the last library is the object.
func buildObject(t *testing.T, sources ...string) (object, dir string) {
	t.Helper()
	testrun.Needs(t, "gcc")
	dir = t.TempDir()
	include := must.Get(filepath.Abs("include"))(t)
	for _, s := range sources {
		head, text, _ := strings.Cut(s, ":\n")
		words := strings.Fields(head)
		source := filepath.Join(dir, strings.TrimSuffix(words[0], ".so")+".c")
		must.Do(t, os.WriteFile(source, []byte(text), 0o666))
		object = filepath.Join(dir, words[0])
		c := testrun.Command{Words: append([]string{"gcc", "-O1", "-g", "-w", "-shared", "-fPIC", "-I" + include, "-o", object, source, "-L" + dir, "-Wl,-rpath,$ORIGIN"}, words[1:]...)}
		c.Must(t)
	}
	return object, dir
}

const countsOf = `
#include <bsp.h>
int next(void);
int main(void) {
	bsp_begin(bsp_nprocs());
	for (int i = 1; i < 20; i++) {
		if (next() != i)
			bsp_abort("another process's variable");
		bsp_sync();
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
`

// Each process has its own variables of libraries, for every kind of library.
func TestLibrariesOfProcesses(t *testing.T) {
	for name, sources := range map[string][]string{
		"variable": {"libnext.so:\nint n; int next(void) { return ++n; }", "a.so -lnext:" + countsOf},
		"thread":   {"libnext.so:\n__thread int pad[5], n = 0; int next(void) { return ++n; }", "a.so -lnext:" + countsOf},
		"library of a library": {
			"libn.so:\nstatic int zero; int *n = &zero;", "libnext.so -ln:\nextern int *n; int next(void) { return ++*n; }", "a.so -lnext:" + countsOf,
		},
		"thread of another": {
			"libn.so:\n__thread int a[100], n;", "libnext.so -ln:\nextern __thread int n; __thread int own = 3; int next(void) { own++; n++; return own - 3 == n ? n : -1; }", "a.so -lnext:" + countsOf,
		},
		"chosen by processor": {
			"libnext.so:\nstatic int n; static int first(void) { return ++n; } static void *choose(void) { return first; } int next(void) __attribute__((ifunc(\"choose\")));", "a.so -lnext:" + countsOf,
		},
		"constructor": {
			"libn.so:\nint n = 7; __attribute__((constructor)) static void c(void) { n = 0; }",
			"libnext.so -ln:\nextern int n; static int seen; __attribute__((constructor)) static void c(void) { seen = n == 0; } int next(void) { return seen ? ++n : -1; }", "a.so -lnext:" + countsOf,
		},
		"replaced by the program": {
			"libnext.so:\nint step(void) { return 5; } int n; int next(void) { return n += step(); }", "a.so -lnext:\nint step(void) { return 1; }" + countsOf,
		},
		"static thread": {"libnext.so -ftls-model=initial-exec:\n__thread int n, pad[100] = {[50] = 7}; int next(void) { return pad[50] == 7 ? ++n : -1; }", "a.so -lnext:" + countsOf},
		"static thread of another": {
			"libn.so:\n__thread int a[100] = {5}, n; int *at(void) { return &n; }",
			"libnext.so -ln -ftls-model=initial-exec:\nextern __thread int n; int *at(void); __thread int own = 3; int next(void) { own++; n++; return own - 3 == n && at() == &n ? n : -1; }", "a.so -lnext:" + countsOf,
		},
		"described thread": {"libnext.so -mtls-dialect=gnu2:\n__thread int n, pad[100] = {[50] = 7}; int next(void) { return pad[50] == 7 ? ++n : -1; }", "a.so -lnext -mtls-dialect=gnu2:" + strings.ReplaceAll(countsOf, "int main", "__thread int here = 1;\nint main")},
		"old table":        {"libnext.so -Wl,--hash-style=sysv:\nint n; int next(void) { return ++n; }", "a.so -lnext -Wl,--hash-style=sysv:" + countsOf},
		"packed":           {"libnext.so -Wl,-z,pack-relative-relocs:\nstatic int x[40]; int *a[40] = {x, x + 1, x + 2}, n; int *b[100] = {&n, [70] = &n}; int next(void) { return a[2] == x + 2 && b[70] == &n ? ++*b[0] : -1; }", "a.so -lnext:" + countsOf},
		"allocated":        {"libnext.so:\n#include <stdlib.h>\nstatic int *n; int next(void) { if (!n) n = calloc(1, 4); return ++*n; }", "a.so -lnext:" + countsOf},
		"large":            {"libnext.so:\nint x[1 << 20] = {1}, y[1 << 20], n; int next(void) { int r = x[n] == 1 && y[n] == n; n++; x[n] = 1; y[n] = n; return r ? n : -1; }", "a.so -lnext:" + countsOf},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "packed" {
				if out, _ := exec.Command("ld", "--help").Output(); !strings.Contains(string(out), "pack-relative-relocs") {
					t.Skip("ld has no -z pack-relative-relocs")
				}
			}
			object, _ := buildObject(t, sources...)
			for _, way := range ways {
				if out := program(object, strings.Fields(way+" -quiet")...).Must(t); out != "all is right\n" {
					t.Errorf("%s: %q", way, out)
				}
			}
		})
	}
}

// Symbols of several versions are bound as the dynamic linker binds them.
func TestVersionsOfSymbols(t *testing.T) {
	const library = `
__asm__(".symver old,step@ONE"); int old(void) { return 1; }
__asm__(".symver new,step@@TWO"); int new(void) { return 2; }
`
	const user = `
#include <bsp.h>
int step(void);
%s
int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (step() != %d)
		bsp_abort("step %%d", step());
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
`
	for version, asm := range []string{1: `__asm__(".symver step,step@ONE");`, 2: ""} {
		if version == 0 {
			continue
		}
		dir := t.TempDir()
		script := filepath.Join(dir, "versions")
		must.Do(t, os.WriteFile(script, []byte("ONE { };\nTWO { } ONE;\n"), 0o666))
		object, _ := buildObject(t, "libstep.so -Wl,--version-script="+script+":\n"+library, "a.so -lstep:\n"+fmt.Sprintf(user, asm, version))
		if out := program(object, "-procs", "3", "-ranks", "2", "-shake", "-quiet").Must(t); out != "all is right\n" {
			t.Errorf("version %d: %q", version, out)
		}
	}
}

// A library that cannot be copied is shared: a warning names it, and processes stay.
func TestSharedLibraries(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the relocation is one of x86-64")
	}
	object, _ := buildObject(t, "libnext.so:\nint n; int next(void) { return ++n; } __asm__(\".pushsection .data\\n.quad next@SIZE\\n.popsection\");", "a.so -lnext:"+strings.ReplaceAll(countsOf, "next() != i", "next() < i"))
	r := program(object, "-procs", "4", "-ranks", "2", "-shake", "-quiet").Run(t)
	if want := `^a: .*processes stay where they are, and those of a rank share the variables of libnext.so: it has relocations of type 33; linked by  bspcc -static-rank  each has its own\n$`; r.Code != 0 || r.Out != "all is right\n" || !regexp.MustCompile(want).MatchString(r.Err) {
		t.Errorf("code %d, %q, %s", r.Code, r.Out, r.Err)
	}
	object, _ = buildObject(t, "libnext.so:\nint n; int next(void) { return ++n; }", "a.so -lnext:"+countsOf)
	p := program(object, "-procs", "2", "-ranks", "1", "-quiet")
	p.Env = append(p.Env, sharedVariable+"=libnext.so")
	p.Fails(t, "another process's variable")
	must.Do(t, os.Remove(filepath.Join(filepath.Dir(object), "libnext.so")))
	program(object, "-quiet").Fails(t, `^a: .*/a.so: libnext.so: cannot open shared object file: No such file or directory\n$`)
	missing, _ := buildObject(t, "libnext.so:\nint other(void); int next(void) { return other(); }", "a.so -lnext:"+countsOf)
	program(missing, "-quiet").Fails(t, `^a: .*/a.so: libnext.so: undefined symbol other\n$`)
}

// A cache of the dynamic linker with any content is read without a panic.
func FuzzLinkerCache(f *testing.F) {
	text, _ := os.ReadFile("/etc/ld.so.cache")
	f.Add(text[:min(len(text), 1<<14)])
	entry := make([]byte, 24)
	binary.LittleEndian.PutUint32(entry[4:], 72)
	binary.LittleEndian.PutUint32(entry[8:], 82)
	head := append([]byte("glibc-ld.so.cache1.1"), 1, 0, 0, 0)
	f.Add(slices.Concat(head, make([]byte, 24), entry, []byte("libx.so.1\x00/lib/libx.so.1\x00")))
	f.Fuzz(func(t *testing.T, text []byte) { readLinkerCache(text) })
}

func TestLinkerCache(t *testing.T) {
	entry := make([]byte, 24)
	binary.LittleEndian.PutUint32(entry[4:], 72)
	binary.LittleEndian.PutUint32(entry[8:], 82)
	head := append([]byte("glibc-ld.so.cache1.1"), 1, 0, 0, 0)
	text := slices.Concat([]byte("an older cache before"), head, make([]byte, 24), entry, []byte("libx.so.1\x00/lib/libx.so.1\x00"))
	if got := readLinkerCache(text); len(got) != 1 || !slices.Equal(got["libx.so.1"], []string{"/lib/libx.so.1"}) {
		t.Errorf("%q", got)
	}
}
