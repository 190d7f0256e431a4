package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// builder stands for go build: the programs it makes print where they were
// installed for, and one of them can write pages as migbsp does.
const builder = `#!/bin/sh
for last; do :; done
while [ "$1" != -o ]; do shift; done
cat >"$2/${last##*/}" <<'END'
#!/bin/sh
[ "$1" != man ] || echo page >"$2/migbsp.1"
[ "$1" != completion ] || echo "$2"
END
chmod +x "$2/${last##*/}"
`

// installer runs scripts/install with a builder that takes no time.
type installer struct {
	t         *testing.T
	bin, dest string
}

func newInstaller(t *testing.T) *installer {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("SKIPPED: no sh on this machine")
	}
	i := &installer{t: t, bin: t.TempDir(), dest: filepath.Join(t.TempDir(), "a package")}
	if err := os.WriteFile(filepath.Join(i.bin, "go"), []byte(builder), 0o755); err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *installer) run(args ...string) (code int, out string) {
	command := exec.Command("sh", append([]string{"../../scripts/install"}, args...)...)
	command.Env = append(os.Environ(), "PATH="+i.bin+":"+os.Getenv("PATH"), "DESTDIR="+i.dest, "PREFIX=/opt/x")
	text, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		i.t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(text)
}

// files are all that is below the destination.
func (i *installer) files() map[string]bool {
	all := map[string]bool{}
	root := filepath.Join(i.dest, "opt/x")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			all[name] = true
		}
		return nil
	})
	if err != nil {
		i.t.Fatal(err)
	}
	return all
}

func (i *installer) put(name, text string) {
	path := filepath.Join(i.dest, "opt/x", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		i.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		i.t.Fatal(err)
	}
}

func TestInstall(t *testing.T) {
	i := newInstaller(t)
	i.put("bin/other", "not ours")
	if code, out := i.run("-n"); code != 0 || !strings.Contains(out, "install "+i.dest+"/opt/x/bin/migbsp\n") || len(i.files()) != 1 {
		t.Fatalf("-n: code %d, files %v\n%s", code, i.files(), out)
	}
	for range 2 { // the second time over the first
		if code, out := i.run(); code != 0 {
			t.Fatalf("code %d\n%s", code, out)
		}
	}
	files := i.files()
	for _, name := range []string{
		"bin/migbsp", "bin/stagevet", "bin/lu", "bin/other", "share/man/man1/migbsp.1", "share/bash-completion/completions/migbsp",
		"share/zsh/site-functions/_migbsp", "share/fish/vendor_completions.d/migbsp.fish", "share/doc/migbsp/README.md",
		"share/doc/migbsp/docs/guide/install.md", "share/doc/migbsp/examples/two-sets.hosts", "share/migbsp/install.list",
	} {
		if !files[name] {
			t.Errorf("%s is not there", name)
		}
	}
	i.put("share/doc/migbsp/mine", "not ours either")
	if code, out := i.run("-n", "uninstall"); code != 0 || len(i.files()) != len(files)+1 {
		t.Errorf("-n uninstall: code %d\n%s", code, out)
	}
	if code, out := i.run("uninstall"); code != 0 {
		t.Errorf("uninstall: code %d\n%s", code, out)
	}
	if left := i.files(); len(left) != 2 || !left["bin/other"] || !left["share/doc/migbsp/mine"] {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(i.dest, "opt/x/share/man")); err == nil {
		t.Error("an empty directory is left that was not there before")
	}
}

func TestUninstallRefuses(t *testing.T) {
	for _, text := range []string{"", "/etc/passwd\n", "bin/a\n../../outside\n", "bin/../../b\n", "bin/a\n\nbin/b\n"} {
		i := newInstaller(t)
		i.put("bin/a", "")
		if text != "" {
			i.put("share/migbsp/install.list", text)
		}
		if code, out := i.run("uninstall"); code != 1 || !strings.HasPrefix(out, "install: ") || !i.files()["bin/a"] {
			t.Errorf("list %q: code %d\n%s", text, code, out)
		}
	}
}

func TestInstallUsage(t *testing.T) {
	i := newInstaller(t)
	if code, out := i.run("instal"); code != 2 || strings.Count(out, "\n") != 1 {
		t.Errorf("code %d\n%s", code, out)
	}
	if code, out := i.run("--help"); code != 0 || !strings.Contains(out, "scripts/install uninstall") || strings.Contains(out, "set -eu") {
		t.Errorf("code %d\n%s", code, out)
	}
}
