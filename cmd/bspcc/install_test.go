package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/cbsp"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// installBelow installs the command below a prefix, and returns a PATH with it and the system's
// directories, but without go.
func installBelow(t *testing.T, prefix string) (path string) {
	t.Helper()
	bin := commands(t, "cgo")
	must.Do(t, errors.Join(os.MkdirAll(prefix, 0o777), os.Rename(bin, filepath.Join(prefix, "bin"))))
	testrun.Command{Words: []string{filepath.Join(prefix, "bin/bspcc"), "-install", prefix, "1.2.3"}}.Must(t)
	path = filepath.Join(prefix, "bin") + ":/usr/bin:/bin"
	if err := exec.Command("env", "PATH="+path, "sh", "-c", "! command -v go").Run(); err != nil {
		t.Skip("go is in /usr/bin: nothing can be shown to do without")
	}
	return path
}

// The installation compiles and runs programs by the command, by a compiler and pkg-config, and by
// CMake, without Go and without a cache; when it is moved, programs find it in PATH.
func TestInstalled(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	prefix := filepath.Join(base, "prefix")
	path := installBelow(t, prefix)
	t.Run("pages", func(t *testing.T) {
		checkPages(t, prefix, "bsp.h", 44)
		checkPages(t, prefix, "migbsp.h", 21)
	})
	must.Do(t, os.WriteFile(filepath.Join(base, "hello.c"), []byte(hello), 0o666))
	project := "cmake_minimum_required(VERSION 3.13)\nproject(hello C)\nfind_package(migbsp 1.2 REQUIRED)\nadd_executable(hello hello.c)\ntarget_link_libraries(hello migbsp::bsp)\n"
	must.Do(t, os.WriteFile(filepath.Join(base, "CMakeLists.txt"), []byte(project), 0o666))
	run := func(t *testing.T, script string) testrun.Command {
		return testrun.Command{Words: []string{"sh", "-euc", script}, Dir: base, Env: []string{
			"PATH=" + path, "XDG_CACHE_HOME=" + filepath.Join(base, "cache"), "MIGBSP_QUIET=true", "MIGBSP_PROFILES=off",
			"PKG_CONFIG_PATH=" + filepath.Join(prefix, "share/pkgconfig"), "CMAKE_PREFIX_PATH=" + prefix,
		}}
	}
	for _, c := range []struct{ name, needs, script string }{
		{"bspcc", "cc", "bspcc -O2 -o by-bspcc hello.c; ./by-bspcc -procs 3 x"},
		{"bsprun", "cc", "bspcc -O2 -o by-bsprun hello.c; bsprun -n 3 ./by-bsprun x"},
		{"pkg-config", "pkg-config", "cc -O2 -o by-pkg hello.c $(pkg-config --cflags --libs migbsp); ./by-pkg -procs 3 x"},
		{"hidden", "pkg-config", "cc -O2 -fvisibility=hidden -o hidden hello.c $(pkg-config --cflags --libs migbsp); ./hidden -procs 3 x"},
		{"C++", "g++", "cp hello.c hello.cc; g++ -o by-g++ hello.cc $(pkg-config --cflags --libs migbsp); ./by-g++ -procs 3 x"},
		{"CMake", "cmake", "cmake -S . -B build >/dev/null; cmake --build build >/dev/null; build/hello -procs 3 x"},
		{"CMake, optimised", "cmake", "cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -S . -B release >/dev/null; cmake --build release >/dev/null; release/hello -procs 3 x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			testrun.Needs(t, c.needs)
			if out := run(t, c.script).Must(t); out != "3: x\n" {
				t.Errorf("%q", out)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(base, "cache")); err == nil {
		t.Error("a cache was made")
	}
	moved := filepath.Join(base, "moved")
	must.Do(t, os.Rename(prefix, moved))
	run(t, "./by-bspcc x").Fails(t, "is neither where it was")
	path = filepath.Join(moved, "bin") + ":" + path
	if out := run(t, "./by-bspcc -procs 3 x; bspcc -o again hello.c; ./again -procs 2 y").Must(t); out != "3: x\n2: y\n" {
		t.Errorf("moved: %q", out)
	}
}

// checkPages looks for the manual pages of all functions that a header declares.
func checkPages(t *testing.T, prefix, header string, prototypes int) {
	text := must.Get(cbsp.Files.ReadFile("include/" + header))(t)
	names := regexp.MustCompile(`(?m)^[a-z].*\b((?:mig)?bsp_\w+)\(`).FindAllSubmatch(text, -1)
	if len(names) != prototypes {
		t.Errorf("%s has %d prototypes", header, len(names))
	}
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(prefix, manualDir, string(name[1])+".3"))
		if err != nil {
			t.Error(err)
			continue
		}
		said := string(page)
		if lacks := !strings.Contains(said, ".B #include <"+header+">\n"); lacks || !strings.Contains(said, string(name[1])+"(") || !strings.Contains(said, "migbsp 1.2.3") {
			t.Errorf("the page of %s lacks something:\n%s", name[1], said)
		}
		if strings.Count(said, " "+string(name[1])+"(")+strings.Count(said, "*"+string(name[1])+"(") != strings.Count(string(text), " "+string(name[1])+"(")+strings.Count(string(text), "*"+string(name[1])+"(") {
			t.Errorf("the page of %s has other prototypes:\n%s", name[1], said)
		}
	}
	if man, err := exec.LookPath("man"); err == nil {
		page := filepath.Join(prefix, manualDir, "bsp_put.3")
		out := testrun.Command{Words: []string{man, "--warnings", "-l", page}, Env: []string{"MANWIDTH=80"}}.Run(t)
		if out.Code != 0 || out.Err != "" || !strings.Contains(out.Out, "write into an area of another process") {
			t.Errorf("man: %s%s", out.Out, out.Err)
		}
	}
}
