// Package release_test builds the files of a release and tries each package as a user would: in its
// own root directory, without a network.
package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// lu is a command that works with any installation of migbsp.
const lu = "migbsp run lu -n 500 -quiet"

var (
	scratch string                           // built files, removed after all tests
	release = sync.OnceValues(makeRelease)   // an archive and all packages for this machine
	again   = sync.OnceValues(makeAgain)     // packages of that archive, built again, and packages for other processors
	version = sync.OnceValues(readVersion)   // the newest in CHANGELOG.md
	gompi   = "github.com/sbromberger/gompi" // which is passed on whole
)

func TestMain(m *testing.M) {
	var err error
	scratch, err = os.MkdirTemp("", "packages")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func readVersion() (string, error) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`(?m)^## \[([^]]+)\]`).FindSubmatch(text)
	if found == nil {
		return "", errors.New("CHANGELOG.md has no version")
	}
	return string(found[1]), nil
}

func makeRelease() (string, error) {
	v, err := version()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "release")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	dist := exec.Command("../../scripts/dist", dir)
	dist.Env = append(os.Environ(), "VERSION="+v, "GOFLAGS=")
	if out, err := dist.CombinedOutput(); err != nil {
		return "", fmt.Errorf("dist: %w\n%s", err, out)
	}
	return dir, pack(filepath.Join(dir, "migbsp-"+v+".tar.gz"), dir, []string{"ARCH=" + runtime.GOARCH})
}

// makeAgain repeats makeRelease for this machine with another time, directory and environment; one
// build serves two tests.
func makeAgain() (string, error) {
	first, err := release()
	if err != nil {
		return "", err
	}
	v, err := version()
	if err != nil {
		return "", err
	}
	dir, tmp, archive := filepath.Join(scratch, "again"), filepath.Join(scratch, "elsewhere"), "migbsp-"+v+".tar.gz"
	copied := exec.Command("sh", "-euc", `umask 077; mkdir "$3" "$2"; cp "$1" "$2"`, "sh", filepath.Join(first, archive), dir, tmp)
	if out, err := copied.CombinedOutput(); err != nil {
		return "", fmt.Errorf("another place: %w\n%s", err, out)
	}
	return dir, pack(filepath.Join(dir, archive), dir, []string{"ARCH=" + runtime.GOARCH + " " + other(), "TMPDIR=" + tmp, "TZ=Asia/Tokyo", "GOFLAGS=-buildvcs=false"})
}

// other is an architecture that this machine does not have.
func other() string {
	if runtime.GOARCH == "arm64" {
		return "amd64"
	}
	return "arm64"
}

// pack makes packages, with variables as NAME=value.
func pack(archive, dir string, variables []string, forms ...string) error {
	c := exec.Command("../../scripts/package", append([]string{archive, dir}, forms...)...)
	c.Env = append(append(os.Environ(), "COMPRESSION=0"), variables...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("package %q: %w\n%s", variables, err, out)
	}
	return nil
}

// released is the directory of a release for this machine, and its version.
func released(t *testing.T) (dir, v string) {
	t.Helper()
	if os.Getenv("MIGBSP_TEST_PACKAGES") == "" {
		t.Skip("SKIPPED: this builds everything several times: scripts/test packages runs it")
	}
	testrun.Needs(t, "dpkg-deb", "rpmbuild")
	dir = must.Get(release())(t)
	v, _ = version()
	return dir, v
}

// releasedAgain is the directory of makeAgain.
func releasedAgain(t *testing.T) string {
	t.Helper()
	return must.Get(again())(t)
}

// sh runs a script and returns its output.
func sh(t *testing.T, dir, script string, args ...string) string {
	t.Helper()
	return testrun.Command{Words: append([]string{"sh", "-euc", script, "sh"}, args...), Dir: dir}.Must(t)
}

func unpack(t *testing.T, archive string) (top string) {
	t.Helper()
	into := filepath.Join(t.TempDir(), "a place")
	sh(t, ".", `mkdir "$2" && tar -xzf "$1" -C "$2"`, archive, into)
	tops, _ := filepath.Glob(filepath.Join(into, "*"))
	if len(tops) != 1 || filepath.Base(tops[0]) != strings.TrimSuffix(filepath.Base(archive), ".tar.gz") {
		t.Fatalf("%s unpacks to %q", archive, tops)
	}
	return tops[0]
}

// The archive of sources contains all of gompi: the checksum of its files equals the one in go.sum.
func TestSourcesHaveGompiWhole(t *testing.T) {
	dir, v := released(t)
	file := must.Get(os.Open(filepath.Join(dir, "migbsp-"+v+".tar.gz")))(t)
	defer file.Close()
	z := must.Get(gzip.NewReader(file))(t)
	goSum := must.Get(os.ReadFile("../../go.sum"))(t)
	want := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(gompi) + ` (v\S+) (h1:\S+)$`).FindStringSubmatch(string(goSum))
	sums := make(map[string]string)
	var names []string
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(head.Name, "migbsp-"+v+"/vendor/"+gompi+"/")
		if !ours || strings.HasSuffix(name, "/") || name == "" {
			continue
		}
		text := must.Get(io.ReadAll(r))(t)
		name = gompi + "@" + want[1] + "/" + name
		names, sums[name] = append(names, name), fmt.Sprintf("%x", sha256.Sum256(text))
	}
	// As golang.org/x/mod/sumdb/dirhash does it.
	whole := sha256.New()
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(whole, "%s  %s\n", sums[name], name)
	}
	if got := "h1:" + base64.StdEncoding.EncodeToString(whole.Sum(nil)); got != want[2] {
		t.Errorf("the sum of %d files is %s, in go.sum %s", len(names), got, want[2])
	}
}

// A build at another time, in another directory and with other settings gives the same bytes.
func TestReleaseIsReproducible(t *testing.T) {
	dir, _ := released(t)
	first, err1 := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	second, err2 := os.ReadFile(filepath.Join(releasedAgain(t), "SHA256SUMS"))
	must.Do(t, errors.Join(err1, err2))
	for line := range bytes.Lines(first) {
		if !bytes.Contains(second, line) {
			t.Errorf("first:\n%s\nthen, with other processors:\n%s", first, second)
			break
		}
	}
	sh(t, dir, "sha256sum --quiet -c SHA256SUMS")
	if n := bytes.Count(first, []byte("\n")); n != 8 {
		t.Errorf("%d files:\n%s", n, first)
	}
}

// checkPrograms finds all programs below a directory and checks that they are static programs of this
// module for arch, without gompi.
func checkPrograms(t *testing.T, root, arch string) (found []string) {
	t.Helper()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		e, err := elf.Open(path)
		if err != nil {
			return nil
		}
		defer e.Close()
		name, _ := filepath.Rel(root, path)
		found = append(found, name)
		if e.Machine != machine {
			t.Errorf("%s is for %v", name, e.Machine)
		}
		if name == "lib/migbsp/libmigbsp-stub.so" {
			found = found[:len(found)-1]
			return nil
		}
		for _, p := range e.Progs {
			if (p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC) && name != "bin/bspcc" && name != "lib/migbsp/libmigbsp.so" {
				t.Errorf("%s is not static", name)
			}
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		for _, m := range info.Deps {
			if m.Path == gompi {
				t.Errorf("%s has %s in it", name, gompi)
			}
		}
		if !strings.HasPrefix(info.Path, "github.com/migbsp/migbsp/") {
			t.Errorf("%s is %s", name, info.Path)
		}
		return nil
	})
	if err != nil || !slices.Contains(found, "bin/migbsp") || !slices.Contains(found, "libexec/migbsp/lu") {
		t.Errorf("programs: %q, %v", found, err)
	}
	return found
}

// inner is a script that compiles and runs a program in C without go in PATH; innerSaid is its
// output.
const (
	inner     = `PATH=$1/bin:/usr/bin:/bin; ! command -v go >&2; export XDG_CACHE_HOME=/dev/null; `
	innerSaid = "inner product 333833500, expected 333833500\n"
)

// checkC compiles and runs programs in C with the unpacked files.
func checkC(t *testing.T, top string) {
	t.Helper()
	testrun.Needs(t, "cc")
	source := must.Get(filepath.Abs("../../examples/c/inprod.c"))(t)
	for _, c := range []struct{ tool, script string }{
		{"cc", `bspcc -o inprod "$2"; echo 1000 | bsprun -n 4 -quiet ./inprod`},
		{"pkg-config", `ln -s "$1" plain; export PKG_CONFIG_PATH="$PWD/plain/share/pkgconfig"; cc -o inprod "$2" $(pkg-config --cflags --libs migbsp); echo 1000 | ./inprod -procs 4 -quiet`},
		{"cmake", `cp "$2" .; printf 'cmake_minimum_required(VERSION 3.13)\nproject(p C)\nfind_package(migbsp REQUIRED)\nadd_executable(p inprod.c)\ntarget_link_libraries(p migbsp::bsp m)\n' >CMakeLists.txt
			cmake -DCMAKE_PREFIX_PATH="$1" . >/dev/null; cmake --build . >/dev/null; echo 1000 | ./p -procs 4 -quiet`},
	} {
		if _, err := exec.LookPath(c.tool); err != nil {
			t.Logf("SKIPPED in part: there is no %s", c.tool)
		} else if out := sh(t, t.TempDir(), inner+c.script, top, source); out != innerSaid {
			t.Errorf("%s: %q", c.tool, out)
		}
	}
}

// Programs run from any directory and print their version, and the bill of materials lists all of
// them with their checksums.
func TestArchiveOfPrograms(t *testing.T) {
	dir, v := released(t)
	name := "migbsp-" + v + "-linux-" + runtime.GOARCH
	top := unpack(t, filepath.Join(dir, name+".tar.gz"))
	programs := checkPrograms(t, top, runtime.GOARCH)
	sh(t, "/", `PATH=$1/bin:$PATH; `+lu, top)
	if out := sh(t, "/", `"$1/bin/migbsp" version`, top); !strings.HasPrefix(out, "migbsp v"+v+"\n") {
		t.Errorf("its version is %q", out)
	}
	for _, p := range programs {
		if strings.HasPrefix(p, "libexec/") {
			if out := sh(t, "/", `"$1/$2" -version`, top, p); !strings.Contains(out, "(migbsp) v"+v+"\n") {
				t.Errorf("%s: its version is %q", p, out)
			}
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(top, "bin")); len(entries) != 6 {
		t.Errorf("in bin are %v", entries)
	}
	checkC(t, top)
	for _, file := range []string{"LICENSE", "NOTICE", "CHANGELOG.md", "README.md", "third-party-notices.txt", "sbom.spdx.json"} {
		if _, err := os.Stat(filepath.Join(top, "share/doc/migbsp", file)); err != nil {
			t.Error(err)
		}
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, name+".spdx.json")))(t)
	var bill struct {
		Files []struct {
			FileName  string
			Checksums []struct{ Algorithm, ChecksumValue string }
		}
	}
	must.Do(t, json.Unmarshal(text, &bill))
	for _, f := range bill.Files {
		content, err := os.ReadFile(filepath.Join(top, f.FileName))
		if err != nil {
			t.Error(err)
		}
		for _, c := range f.Checksums {
			if c.Algorithm == "SHA256" && c.ChecksumValue != fmt.Sprintf("%x", sha256.Sum256(content)) {
				t.Errorf("%s has another sum in the bill of materials", f.FileName)
			}
		}
	}
	if len(bill.Files) != len(programs) {
		t.Errorf("%d programs, in the bill of materials %d", len(programs), len(bill.Files))
	}
}

// The archive for other processors has the same files, with programs for those.
func TestArchiveForOtherProcessors(t *testing.T) {
	dir, v := released(t)
	top := unpack(t, filepath.Join(releasedAgain(t), "migbsp-"+v+"-linux-"+other()+".tar.gz"))
	checkPrograms(t, top, other())
	list := func(top string) string { return sh(t, top, "find . | LC_ALL=C sort") }
	if _, err := exec.LookPath("aarch64-linux-gnu-gcc"); err != nil && other() == "arm64" {
		t.Skip("SKIPPED in part: there is no aarch64-linux-gnu-gcc, so that bspcc is not in it")
	}
	if here := unpack(t, filepath.Join(dir, "migbsp-"+v+"-linux-"+runtime.GOARCH+".tar.gz")); list(top) != list(here) {
		t.Error("there are other files in it")
	}
}

func TestPackageRefuses(t *testing.T) {
	testrun.Needs(t, "bash")
	dir := t.TempDir()
	for _, name := range []string{"migbsp-1.2.tar.gz", "migbsp-fe12.tar.gz", "other-1.2.tar.gz"} {
		sh(t, dir, `mkdir m; tar -czf "$1" m; rmdir m`, name)
	}
	for _, c := range []struct{ args, env, want string }{
		{"", "", "package: expected ARCHIVE DIRECTORY"},
		{"nothing.tar.gz D", "", "package: there is no archive nothing.tar.gz"},
		{"D/migbsp-1.2.tar.gz D/x", "", "package: there is no directory "},
		{"D/migbsp-1.2.tar.gz D zip", "", `package: unexpected form "zip"; there are tar, deb, rpm and recipes`},
		{"D/migbsp-fe12.tar.gz D", "", "VERSION=0.2.0 scripts/dist makes that"},
		{"D/other-1.2.tar.gz D", "", "expected migbsp-VERSION.tar.gz"},
		{"D/migbsp-1.2.tar.gz D", "ARCH=sparc", "package: ARCH=sparc: there are amd64 and arm64"},
		{"D/migbsp-1.2.tar.gz D", "COMPRESSION=10", "package: COMPRESSION=10: expected 0 to 9"},
	} {
		command := testrun.Line("../../scripts/package", strings.ReplaceAll(c.args, "D", dir))
		command.Env = []string{c.env}
		if r := command.Run(t); r.Code != 2 || !strings.Contains(r.Err, c.want) || strings.Count(r.Err, "\n") != 1 {
			t.Errorf("%s %s: code %d, %q, want %q", c.env, c.args, r.Code, r.Err, c.want)
		}
	}
	if r := testrun.Line("../../scripts/package", dir+"/migbsp-1.2.tar.gz "+dir+" tar").Run(t); r.Code != 1 || !strings.Contains(r.Err, "scripts/install") {
		t.Errorf("an archive of nothing: code %d, %q", r.Code, r.Err)
	}
}
