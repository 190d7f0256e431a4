package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// vendoring stands for go mod vendor.
const vendoring = "#!/bin/sh\n[ \"$*\" = 'mod vendor' ] && mkdir vendor && cp go.mod vendor/modules.txt\n"

// packer runs a copy of scripts/dist in a tree of a few files.
type packer struct {
	t         *testing.T
	bin, tree string
}

func newPacker(t *testing.T, name string) *packer {
	testrun.Needs(t, "bash", "sha256sum", "gzip", "git")
	if out, _ := exec.Command("tar", "--version").Output(); !strings.Contains(string(out), "GNU tar") {
		t.Skip("SKIPPED: tar is not GNU tar")
	}
	p := &packer{t, t.TempDir(), filepath.Join(t.TempDir(), name)}
	writeFile(t, filepath.Join(p.bin, "go"), vendoring)
	script := must.Get(os.ReadFile("../../scripts/dist"))(t)
	for name, text := range map[string]string{"scripts/dist": string(script), "go.mod": "module m\n", "a b/c": "c", ".hidden": "", "vendor/old": ""} {
		p.write(name, text)
	}
	return p
}

func (p *packer) write(name, text string) {
	p.t.Helper()
	must.Write(p.t, filepath.Join(p.tree, name), text, 0o755)
}

// run packs into a new directory, which it returns with the exit code and the output.
func (p *packer) run(environ ...string) (into string, code int, said string) {
	p.t.Helper()
	into = p.t.TempDir()
	dist := exec.Command("bash", filepath.Join(p.tree, "scripts/dist"), into)
	dist.Env = append(os.Environ(), append([]string{"PATH=" + p.bin + ":" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(p.tree), "VERSION="}, environ...)...)
	out, err := dist.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return into, dist.ProcessState.ExitCode(), string(out)
}

// packed returns an archive and the names in it, without directories.
func (p *packer) packed(name string) (text []byte, names []string) {
	p.t.Helper()
	text = must.Get(os.ReadFile(name))(p.t)
	z := must.Get(gzip.NewReader(bytes.NewReader(text)))(p.t)
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if err == io.EOF {
			return text, names
		}
		if err != nil {
			p.t.Fatal(err)
		}
		if !strings.HasSuffix(head.Name, "/") {
			names = append(names, head.Name)
		}
	}
}

// The same files give the same bytes regardless of their times; the directory has the version in
// its name; no file is left in the tree.
func TestDistIsReproducible(t *testing.T) {
	p := newPacker(t, "migbsp-1.2")
	into, code, said := p.run()
	name := filepath.Join(into, "migbsp-1.2.tar.gz")
	if code != 0 {
		t.Fatalf("code %d: %s", code, said)
	}
	text, names := p.packed(name)
	if want := fmt.Sprintf("%s\nsha256 %x\n", name, sha256.Sum256(text)); said != want {
		t.Errorf("%q, want %q", said, want)
	}
	want := []string{"migbsp-1.2/.hidden", "migbsp-1.2/a b/c", "migbsp-1.2/go.mod", "migbsp-1.2/scripts/dist", "migbsp-1.2/vendor/modules.txt"}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("packed are %v", names)
	}
	if exists(filepath.Join(p.tree, "vendor/modules.txt")) {
		t.Error("what was vendored is left in the tree")
	}
	old := time.Now().Add(-48 * time.Hour)
	must.Do(t, errors.Join(os.Chtimes(filepath.Join(p.tree, "go.mod"), old, old), os.Chmod(filepath.Join(p.tree, "go.mod"), 0o700)))
	into, _, _ = p.run("TZ=Asia/Tokyo", "LC_ALL=C")
	if again, _ := p.packed(filepath.Join(into, "migbsp-1.2.tar.gz")); !bytes.Equal(again, text) {
		t.Error("the same files at another time give other bytes")
	}
	p.write("a b/c", "d")
	into, _, _ = p.run()
	if again, _ := p.packed(filepath.Join(into, "migbsp-1.2.tar.gz")); bytes.Equal(again, text) {
		t.Error("other files give the same bytes")
	}
}

// In a working copy git supplies the list of files and the version.
func TestDistOfAWorkingCopy(t *testing.T) {
	p := newPacker(t, "tree")
	p.write(".gitignore", "/ignored\nvendor/\n")
	p.write("ignored", "")
	p.write("removed", "")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", p.tree, "-c", "user.name=n", "-c", "user.email=e@x"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	git("tag", "-a", "-m", "first", "v1.3.0")
	p.write("new", "")
	os.Remove(filepath.Join(p.tree, "removed"))
	into, code, said := p.run()
	if code != 0 {
		t.Fatalf("code %d: %s", code, said)
	}
	_, names := p.packed(filepath.Join(into, "migbsp-1.3.0-dirty.tar.gz"))
	var short []string
	for _, name := range names {
		short = append(short, strings.TrimPrefix(name, "migbsp-1.3.0-dirty/"))
	}
	want := []string{".gitignore", ".hidden", "a b/c", "go.mod", "new", "scripts/dist", "vendor/modules.txt"}
	if slices.Sort(short); !slices.Equal(short, want) {
		t.Errorf("packed are %v, want %v", short, want)
	}
}

func TestDistRefuses(t *testing.T) {
	p := newPacker(t, "tree")
	for environ, want := range map[string]string{
		"A=":                     "dist: which version is this? give VERSION=...\n",
		"VERSION=1/2":            "dist: VERSION=1/2: expected letters, digits and . _ + -\n",
		"VERSION=1 2":            "dist: VERSION=1 2: expected letters, digits and . _ + -\n",
		"SOURCE_DATE_EPOCH=soon": "dist: SOURCE_DATE_EPOCH=soon: expected seconds since 1970\n",
	} {
		environs := []string{environ}
		if strings.HasPrefix(environ, "SOURCE") {
			environs = append(environs, "VERSION=1")
		}
		into, code, said := p.run(environs...)
		if code != 2 || said != want {
			t.Errorf("%s: code %d, %q, want %q", environ, code, said, want)
		}
		must.Hold(t, into, 0)
	}
	writeFile(t, filepath.Join(p.bin, "go"), "#!/bin/sh\necho go: no network >&2\nexit 1\n")
	into, code, said := p.run("VERSION=1")
	if code != 1 || said != "go: no network\n" {
		t.Errorf("without modules: code %d, %q", code, said)
	}
	must.Hold(t, into, 0)
}
