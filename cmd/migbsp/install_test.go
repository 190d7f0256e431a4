package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// builder stands for go: the programs it makes print the prefix that they were installed for, and
// one of them can write pages as migbsp does. It logs its arguments and environment to a file next
// to itself.
const builder = `#!/bin/sh
case $1 in
version) echo "go version go${GO_VERSION:-1.26.1} linux/amd64"; exit ;;
env)
	shift
	for name; do
		case $name in
		GOCACHE) [ -z "${GOCACHE:-}${HOME:-}" ] || echo "${GOCACHE:-$HOME/.cache/go-build}" ;;
		GOMODCACHE) [ -z "${GOMODCACHE:-}${HOME:-}" ] || echo "${GOMODCACHE:-$HOME/go/pkg/mod}" ;;
		CC) echo "${CC:-gcc}" ;;
		GOVERSION) echo go1.26.1 ;;
		*) echo here ;;
		esac
	done
	exit
	;;
esac
{ echo "called with $*"; env; } >>"$0.log" 2>/dev/null
if [ -n "$GO_FAILS" ]; then
	printf 'internal/goarch\n%s\n' "$GO_FAILS" >&2
	exit 1
fi
[ -z "$GO_SLEEPS" ] || { echo "$$" >"$0.pid"; sleep 60; }
for word; do
	case $previous in
	-o) into=$word ;;
	esac
	previous=$word
	case $word in
	./*)
		echo "github.com/migbsp/migbsp/${word#./}" >&2
		mkdir -p "$into"
		cat >"$into/${word##*/}" <<'END'
#!/bin/sh
[ "$1" != man ] || echo page >"$2/migbsp.1"
[ "$1" != completion ] || echo "$2"
END
		chmod +x "$into/${word##*/}"
		;;
	esac
done
`

// compiler stands for gcc, and for the wrappers of two MPIs: by its name.
const compiler = `#!/bin/sh
case $0:$1 in
*/mpicc:--showme:version) echo "mpicc: Open MPI 4.1.4 (Language: C)" ;;
*/mpicc:--showme) echo "gcc -I/openmpi -L/usr/lib/openmpi -lmpi" ;;
*/mpicc.mpich:-v) echo "mpicc.mpich for MPICH version 4.0.2" ;;
*/mpicc.mpich:-show) echo "gcc -I/mpich -L/opt/mpich -lmpich" ;;
*/gcc:*)
	[ -z "$GCC_FAILS" ] || ! grep "$GCC_FAILS" >/dev/null || {
		echo "<stdin>:1:10: fatal error: $GCC_FAILS: No such file or directory" >&2
		exit 1
	}
	;;
*) exit 1 ;;
esac
`

// needed are the programs that scripts/install may call, besides Go and the requirements of TAGS.
var needed = strings.Fields("sh awk basename cat chmod comm cp cut date dirname env find grep head id mkdir mktemp mv rm rmdir sed setsid sleep sort stty tail tr wc")

// installer runs scripts/install of a tree with a builder that takes no time, and with only the
// needed programs in PATH.
type installer struct {
	t       *testing.T
	shell   string   // and its arguments
	bin     string   // all of PATH
	home    string   // HOME
	tree    string   // has scripts/install
	dest    string   // DESTDIR
	environ []string // more variables; NAME alone takes one away
}

// newInstaller installs from the module's own tree.
func newInstaller(t *testing.T) *installer {
	t.Helper()
	i := &installer{t: t, shell: "sh", bin: readable(t), home: readable(t), tree: "../..", dest: filepath.Join(readable(t), "a package")}
	for _, name := range needed {
		if _, err := exec.LookPath(name); err != nil && (name == "setsid" || name == "stty") {
			continue // used if present, but not required
		}
		must.Do(t, os.Symlink(testrun.Needs(t, name), filepath.Join(i.bin, name)))
	}
	i.program("go", builder)
	return i
}

// readable returns a temporary directory that all users can read.
func readable(t *testing.T) string {
	dir := t.TempDir()
	must.Do(t, errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)))
	return dir
}

// small makes the installer install from a tree of a few files, at a path with blanks, with these
// compilers in PATH.
func (i *installer) small(compilers ...string) *installer {
	i.t.Helper()
	for _, name := range compilers {
		i.program(name, compiler)
	}
	i.tree = filepath.Join(readable(i.t), "a tree")
	for _, name := range []string{"scripts/install", "scripts/mpi-env", "scripts/find-go", "go.mod", "README.md"} {
		text := must.Get(os.ReadFile(filepath.Join("../..", name)))(i.t)
		i.source(name, string(text))
	}
	for _, name := range []string{"cmd/migbsp/main.go", "cmd/stagevet/main.go", "cmd/testbed/main.go", "apps/lu/main.go", "apps/sort/main.go", "docs/page.md"} {
		i.source(name, "")
	}
	return i
}

func (i *installer) source(name, text string) {
	i.t.Helper()
	must.Write(i.t, filepath.Join(i.tree, name), text, 0o644)
}

func (i *installer) program(name, text string) {
	i.t.Helper()
	must.Do(i.t, os.WriteFile(filepath.Join(i.bin, name), []byte(text), 0o755))
}

func (i *installer) command(args ...string) *exec.Cmd {
	words := append(strings.Fields(i.shell), filepath.Join(i.tree, "scripts/install"))
	command := exec.Command(words[0], append(words[1:], args...)...)
	command.Env = []string{"PATH=" + i.bin, "DESTDIR=" + i.dest, "PREFIX=/opt/x", "HOME=" + i.home, "TMPDIR=" + i.t.TempDir()}
	for _, pair := range i.environ {
		name, _, value := strings.Cut(pair, "=")
		command.Env = slices.DeleteFunc(command.Env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		if value {
			command.Env = append(command.Env, pair)
		}
	}
	return command
}

func (i *installer) run(args ...string) (code int, out string) {
	i.t.Helper()
	command := i.command(args...)
	text, err := command.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		i.t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(text)
}

// must runs the installer, which must end with code 0.
func (i *installer) must(args ...string) (out string) {
	i.t.Helper()
	code, out := i.run(args...)
	if code != 0 {
		i.t.Fatalf("%v: code %d\n%s", args, code, out)
	}
	return out
}

// refuses runs the installer, which must fail before anything is built or installed, with one line.
func (i *installer) refuses(want string) {
	i.t.Helper()
	before := i.files()
	code, out := i.run()
	if code != 1 || strings.Count(out, "\n") != 1 || !regexp.MustCompile("^install: .*"+want).MatchString(out) {
		i.t.Errorf("code %d, want 1 and %q:\n%s", code, want, out)
	}
	if log := i.log(); log != "" || len(i.files()) != len(before) {
		i.t.Errorf("it has built, or left %v\n%s", i.files(), log)
	}
}

// log returns the arguments of go build, or "" if it was not called.
func (i *installer) log() string {
	text, err := os.ReadFile(filepath.Join(i.bin, "go.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.t.Fatal(err)
	}
	return string(text)
}

// files returns all that is below the destination.
func (i *installer) files() map[string]bool {
	i.t.Helper()
	all := map[string]bool{}
	root := filepath.Join(i.dest, "opt/x")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			all[name] = true
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.t.Fatal(err)
	}
	return all
}

func (i *installer) put(name, text string) {
	i.t.Helper()
	must.Write(i.t, filepath.Join(i.dest, "opt/x", name), text, 0o644)
}

// -n only prints the files that would be installed: it neither calls Go, nor downloads, compiles,
// or makes a file.
func TestInstallSaysOnly(t *testing.T) {
	i := newInstaller(t)
	temporary := t.TempDir()
	i.environ = []string{"TMPDIR=" + filepath.Join(temporary, "none"), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOMODCACHE=" + filepath.Join(temporary, "modules"), "GOCACHE=" + filepath.Join(temporary, "cache")}
	i.program("go", "#!/bin/sh\ntouch \"$0.called\"\n")
	out := i.must("-n")
	for _, name := range []string{"bin/stagevet", "libexec/migbsp/lu", "share/man/man1/migbsp.1", "share/man/man1/migbsp-run.1", "share/man/man1/migbsp-lu.1", "share/man/man1/stagevet.1", "share/man/man1/migbsp-completion.1", "share/zsh/site-functions/_migbsp", "share/doc/migbsp/docs/guide/install.md", "share/migbsp/install.list"} {
		must.Have(t, out, "install "+i.dest+"/opt/x/"+name+"\n")
	}
	must.Hold(t, temporary, 0)
	if len(i.files()) > 0 || exists(filepath.Join(i.bin, "go.called")) {
		t.Errorf("it has called Go, or left %v", i.files())
	}
}

func TestInstall(t *testing.T) {
	i := newInstaller(t)
	i.put("bin/other", "not ours")
	if out := i.must("-n"); !strings.Contains(out, "install "+i.dest+"/opt/x/bin/migbsp\n") || len(i.files()) != 1 {
		t.Fatalf("-n: files %v\n%s", i.files(), out)
	}
	i.must()
	files := i.files()
	for _, name := range []string{
		"bin/migbsp", "bin/stagevet", "bin/other", "libexec/migbsp/lu", "libexec/migbsp/sort", "share/man/man1/migbsp.1", "share/bash-completion/completions/migbsp",
		"share/zsh/site-functions/_migbsp", "share/fish/vendor_completions.d/migbsp.fish", "share/doc/migbsp/README.md",
		"share/doc/migbsp/CONTRIBUTING.md", "share/doc/migbsp/SECURITY.md", "share/doc/migbsp/docs/guide/install.md", "share/doc/migbsp/examples/two-sets.hosts", "share/migbsp/install.list",
	} {
		if !files[name] {
			t.Errorf("%s is not there", name)
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "share/doc/migbsp/docs/") && strings.HasSuffix(name, ".go") {
			t.Errorf("%s is no page", name)
		}
		if strings.HasPrefix(name, "bin/") && !slices.Contains([]string{"bin/migbsp", "bin/stagevet", "bin/bspcc", "bin/bspcxx", "bin/bspfc", "bin/bsprun", "bin/other"}, name) {
			t.Errorf("%s is in the way of others", name)
		}
	}
	i.put("share/doc/migbsp/mine", "not ours either")
	if out := i.must("-n", "uninstall"); len(i.files()) != len(files)+1 || !strings.Contains(out, "remove "+i.dest+"/opt/x/libexec/migbsp/lu\n") {
		t.Errorf("-n uninstall: %s", out)
	}
	if out := i.must("uninstall"); !strings.Contains(out, i.dest+"/opt/x/share/doc/migbsp stays") {
		t.Errorf("uninstall does not say what stays:\n%s", out)
	}
	if left := i.files(); len(left) != 2 || !left["bin/other"] || !left["share/doc/migbsp/mine"] {
		t.Errorf("left: %v", left)
	}
	if exists(filepath.Join(i.dest, "opt/x/share/man")) {
		t.Error("an empty directory is left that was not there before")
	}
}

// The script runs in any POSIX shell, a second run changes nothing, and uninstall removes a PREFIX
// that the script has made.
func TestInstallInEveryShell(t *testing.T) {
	for _, shell := range []string{"dash", "busybox sh", "bash --posix", "ksh", "zsh --emulate sh"} {
		t.Run(shell, func(t *testing.T) {
			testrun.Needs(t, strings.Fields(shell)[0])
			i := newInstaller(t).small()
			i.shell, i.environ = shell, []string{"PREFIX=/opt/x/"}
			out := i.must()
			must.Have(t, out, "building 4 programs with go1.26.1\n", "built migbsp, ", " of 4, ", "installed below /opt/x/: migbsp stagevet in bin, 2 programs in libexec/migbsp\n")
			first := i.files()
			if out := i.must("-q"); out != "" {
				t.Errorf("-q: %s", out)
			}
			if second := i.files(); len(second) != len(first) {
				t.Errorf("twice: %v and %v", first, second)
			}
			if out := i.must("-q", "uninstall"); out != "" || exists(filepath.Join(i.dest, "opt/x")) {
				t.Errorf("uninstall -q: %q, left %v", out, i.files())
			}
		})
	}
}

// Programs are installed without debugger tables, unless GO_LDFLAGS asks for them.
func TestInstallWithoutDebuggersTables(t *testing.T) {
	for setting, want := range map[string]string{"GO_LDFLAGS": " -ldflags -s -w ", "GO_LDFLAGS=": " -ldflags  ", "GO_LDFLAGS=-w": " -ldflags -w "} {
		i := newInstaller(t).small()
		i.environ = []string{setting}
		i.must("-q")
		must.Have(t, i.log(), want)
	}
}

// An installation names the checkout that it was made from, for migbsp new. A package, which
// is used on other machines, does not.
func TestInstallNamesTheCheckout(t *testing.T) {
	const file = "share/migbsp/checkout"
	i := newInstaller(t).small()
	i.must("-q")
	if i.files()[file] || strings.Contains(i.must("-n"), file) {
		t.Errorf("a package has %s", file)
	}
	prefix := filepath.Join(readable(t), "opt")
	i.environ = []string{"DESTDIR", "PREFIX=" + prefix}
	must.Have(t, i.must("-n"), "install "+prefix+"/"+file+"\n")
	i.must("-q")
	if text := must.Get(os.ReadFile(filepath.Join(prefix, file)))(t); string(text) != i.tree+"\n" {
		t.Errorf("it names %q, want %s", text, i.tree)
	}
	if i.must("-q", "uninstall"); exists(prefix) {
		t.Errorf("uninstall leaves %s", prefix)
	}
}

// The files of an older version are removed, from all directories that had programs, and files that
// are not in its list stay.
func TestInstallOverAnOlderVersion(t *testing.T) {
	i := newInstaller(t).small()
	for _, name := range []string{"bin/migbsp", "bin/sort", "bin/lu", "share/old/page", "bin/mine"} {
		i.put(name, "old")
	}
	i.put("share/migbsp/install.list", "bin/lu\nbin/migbsp\nbin/sort\nshare/old/page\nshare/\nshare/migbsp/\nshare/old/\n")
	i.must()
	files := i.files()
	if files["bin/sort"] || files["bin/lu"] || !files["libexec/migbsp/sort"] || !files["bin/mine"] || exists(filepath.Join(i.dest, "opt/x/share/old")) {
		t.Errorf("there are %v", files)
	}
	if text, _ := os.ReadFile(filepath.Join(i.dest, "opt/x/bin/migbsp")); string(text) == "old" {
		t.Error("the old tool is still there")
	}
	i.must("uninstall")
	if left := i.files(); len(left) != 1 || exists(filepath.Join(i.dest, "opt/x/share")) {
		t.Errorf("left: %v", left)
	}
}

// An error for files that cannot be written comes before anything is built: as another user, on a
// read-only file system, and if a file is in the way.
func TestInstallWhereNothingCanBeWritten(t *testing.T) {
	i := newInstaller(t).small()
	i.put("bin/other", "")
	must.Do(t, os.Chmod(i.dest, 0o755))
	if os.Getuid() == 0 {
		t.Run("other user", func(t *testing.T) {
			setpriv := testrun.Needs(t, "setpriv")
			other := *i
			other.t, other.shell = t, setpriv+" --reuid=65534 --regid=65534 --clear-groups sh"
			other.environ = []string{"TMPDIR=/tmp"}
			other.refuses("cannot write in .*/opt/x: Permission denied; use sudo, or .* PREFIX=.*/.local")
		})
		t.Run("read-only", func(t *testing.T) {
			if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
				t.Skipf("SKIPPED: no mount namespaces: %v", err)
			}
			other := *i
			other.t, other.shell = t, "readonly"
			i.program("readonly", fmt.Sprintf(`#!/bin/sh
PATH="$PATH:%s"
exec unshare -m sh -c 'mount -t tmpfs -o ro none "$DESTDIR/opt/x" && exec sh "$@"' sh "$@"
`, os.Getenv("PATH")))
			other.shell = filepath.Join(i.bin, "readonly")
			other.refuses("cannot write in .*/opt/x: Read-only file system\n")
		})
	} else if err := os.Chmod(filepath.Join(i.dest, "opt/x/bin"), 0o555); err == nil {
		i.refuses("cannot write in .*/opt/x/bin: Permission denied; use sudo")
	}
	i.environ = []string{"PREFIX=/opt/x/bin/other"}
	i.refuses("/opt/x/bin/other is not a directory")
}

// Tags that need C are refused with the missing programs and how to get them.
func TestInstallWithoutWhatTagsNeed(t *testing.T) {
	for name, c := range map[string]struct {
		tags, programs, environ, want string
	}{
		"compiler":      {"mpi", "mpicc", "A=", `TAGS=mpi needs a C compiler, and there is no gcc in PATH: .*apt-get install gcc libc6-dev .*dnf install gcc glibc-devel`},
		"other one":     {"openblas", "gcc", "CC=icx -O2", `TAGS=openblas needs a C compiler, and there is no icx in PATH`},
		"switched off":  {"mpi", "gcc mpicc", "CGO_ENABLED=0", `CGO_ENABLED=0 switches it off`},
		"C's headers":   {"mpi", "gcc mpicc", "GCC_FAILS=stdlib.h", `gcc does not compile \(stdlib.h: No such file or directory\): .*libc6-dev`},
		"MPI":           {"mpi", "gcc", "A=", `no mpicc in PATH: .*apt-get install libopenmpi-dev openmpi-bin .*dnf install openmpi-devel`},
		"another MPI":   {"mpi", "gcc mpicc", "MPICC=mpiicx", `no mpiicx in PATH`},
		"MPI's headers": {"noasm,mpi", "gcc mpicc", "GCC_FAILS=mpi.h", `TAGS=noasm,mpi needs an MPI, .*\(mpi.h: No such file or directory\)`},
		"flags":         {"mpi", "gcc", "GCC_FAILS=mpi.h CGO_CFLAGS=-I/x", `TAGS=mpi needs an MPI, .*\(mpi.h: No such file or directory\)`},
		"OpenBLAS":      {"mpi openblas", "gcc mpicc", "GCC_FAILS=cblas.h", `needs OpenBLAS, .*cblas.h: No such file.*libopenblas-dev`},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t).small(strings.Fields(c.programs)...)
			i.environ = append([]string{"TAGS=" + c.tags}, strings.Split(strings.Replace(c.environ, " CGO", "\nCGO", 1), "\n")...)
			code, out := i.run("-q")
			i.refuses(c.want)
			if code != 1 || strings.Count(out, "\n") != 1 {
				t.Errorf("-q: code %d\n%s", code, out)
			}
		})
	}
}

// With two MPIs the script prints which it uses and how to select the other, and uses that one; the
// user's setting comes first.
func TestInstallWithTwoMPIs(t *testing.T) {
	i := newInstaller(t).small("gcc", "mpicc", "mpicc.mpich")
	for environ, want := range map[string][]string{
		"A=":                {"for Open MPI 4.1.4 (" + i.bin + "/mpicc)\n", "also here: MPICH 4.0.2; MPICC=" + i.bin + "/mpicc.mpich builds for that\n", "CGO_CFLAGS=-O2 -I/openmpi\n"},
		"MPICC=mpicc.mpich": {"for MPICH 4.0.2 (" + i.bin + "/mpicc.mpich)\n", "also here: Open MPI 4.1.4", "CGO_LDFLAGS=-Wl,--as-needed -L/opt/mpich -lmpich -Wl,-rpath,/opt/mpich\n", "-tags mpi -ld"},
		"CGO_CFLAGS=-I/own": {"for the MPI of CGO_CFLAGS and CGO_LDFLAGS\n", "CGO_CFLAGS=-I/own\n"},
	} {
		os.Remove(filepath.Join(i.bin, "go.log"))
		i.environ = []string{"TAGS=mpi", environ}
		said := i.must() + i.log()
		must.Have(t, said, want...)
	}
}

func TestMPIEnv(t *testing.T) {
	i := newInstaller(t).small("mpicc", "mpicc.mpich")
	ask := func(args ...string) string {
		c := i.command()
		c.Args = append([]string{"sh", filepath.Join(i.tree, "scripts/mpi-env")}, args...)
		out, _ := c.CombinedOutput()
		return string(out)
	}
	if want := "Open MPI 4.1.4\t" + i.bin + "/mpicc\nMPICH 4.0.2\t" + i.bin + "/mpicc.mpich\n"; ask("-list") != want {
		t.Errorf("-list: %q, want %q", ask("-list"), want)
	}
	settings := "export CGO_CFLAGS='-O2 -I/openmpi'\nexport CGO_LDFLAGS='-Wl,--as-needed -L/usr/lib/openmpi -lmpi'\n"
	if out := ask("mpicc"); out != settings {
		t.Errorf("mpicc: %q", out)
	}
	if out := ask(); !strings.HasSuffix(out, settings) || !strings.HasPrefix(out, "mpi-env: these are settings for Open MPI 4.1.4 ("+i.bin+"/mpicc); for MPICH 4.0.2 name "+i.bin+"/mpicc.mpich\n") {
		t.Errorf("without a name: %q", out)
	}
	if out := ask("gcc"); strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "mpi-env: no gcc in PATH") {
		t.Errorf("gcc: %q", out)
	}
	i.program("gcc", compiler)
	if out := ask("gcc"); out != "mpi-env: gcc tells neither with --showme nor with -show how it compiles\n" {
		t.Errorf("gcc: %q", out)
	}
}

// Without tags no part needs C. A tree that has all modules is built without a network, regardless
// of settings.
func TestInstallFromAnArchive(t *testing.T) {
	i := newInstaller(t).small()
	i.environ = []string{"GOFLAGS=-mod=mod -p=2", "GOPROXY=https://proxy.example"}
	i.must()
	must.Have(t, i.log(), "GOFLAGS=-mod=mod -p=2\n", "GOPROXY=https://proxy.example\n", "CGO_ENABLED=0\n")
	os.Remove(filepath.Join(i.bin, "go.log"))
	i.source("vendor/modules.txt", "")
	i.must()
	must.Have(t, i.log(), "GOFLAGS=-mod=mod -p=2 -mod=vendor\n", "GOPROXY=off\n", "GOTOOLCHAIN=local\n")
}

// A missing home directory is not made: Go's caches are then temporary.
func TestInstallWithoutAHome(t *testing.T) {
	for _, home := range []string{"HOME", "HOME=" + filepath.Join(t.TempDir(), "none")} {
		i := newInstaller(t).small()
		temporary := t.TempDir()
		i.environ = []string{home, "TMPDIR=" + temporary}
		must.Have(t, i.must(), "no directory for Go's cache") // why it takes long
		must.Have(t, i.log(), "\nGOCACHE="+temporary+"/", "\nGOMODCACHE="+temporary+"/", "\nGOTMPDIR="+temporary+"/")
		must.Hold(t, temporary, 0)
		if exists(strings.TrimPrefix(home, "HOME=")) {
			t.Errorf("%s is made", home)
		}
	}
	i := newInstaller(t).small()
	i.environ = []string{"HOME", "GOCACHE=" + i.bin, "GOMODCACHE=" + i.bin}
	if out := i.must(); strings.Contains(out, "no directory") || !strings.Contains(i.log(), "GOCACHE="+i.bin+"\n") {
		t.Errorf("with a cache of its own:\n%s", out)
	}
	i.environ = []string{"TMPDIR=" + i.bin + "/none"}
	os.Remove(filepath.Join(i.bin, "go.log"))
	i.refuses("there can be no temporary files in .*/none: set TMPDIR")
}

// Go is also found if it is not in PATH, as under sudo; if no version is new enough, the script
// prints one line.
func TestInstallFindsGo(t *testing.T) {
	i := newInstaller(t).small()
	i.source("go.mod", "module m\n\ngo 9.2.0\n")
	i.environ = []string{"GO_VERSION=9.1.3"}
	i.refuses(i.bin + "/go is Go 9.1, which is too old: get Go 9.2 or later from https://go.dev/dl")
	for _, environ := range []string{"GO_VERSION=9.1.3 GOTOOLCHAIN=auto", "GO_VERSION=9.10", "GO_VERSION=10.0"} {
		i.environ = strings.Fields(environ)
		i.must("-q")
	}
	must.Do(t, errors.Join(os.Remove(filepath.Join(i.bin, "go.log")), os.MkdirAll(filepath.Join(i.home, "sdk/go9.2.0/bin"), 0o755), os.Rename(filepath.Join(i.bin, "go"), filepath.Join(i.home, "sdk/go9.2.0/bin/go"))))
	i.environ = []string{"GO_VERSION=9.2.0"}
	i.must("-q")
	if !exists(filepath.Join(i.home, "sdk/go9.2.0/bin/go.log")) {
		t.Error("it has built with another Go")
	}
	if os.Getuid() != 0 || exec.Command("unshare", "-m", "true").Run() != nil {
		t.Log("SKIPPED: that no Go is said needs a namespace without any")
		return
	}
	i.program("without", fmt.Sprintf(`#!/bin/sh
PATH="$PATH:%s"
exec unshare -m sh -c 'for dir in /usr/local/go /usr/lib/go-* /opt/go; do
	[ ! -d "$dir" ] || mount -t tmpfs none "$dir"
done; PATH=${PATH%%%%:*}; exec sh "$@"' sh "$@"
`, os.Getenv("PATH")))
	i.shell, i.environ = filepath.Join(i.bin, "without"), []string{"HOME=/nonexistent"}
	i.refuses("there is no go, neither in PATH nor in /usr/local/go/bin: get Go 9.2 or later from https://go.dev/dl")
}

// scripts/testbed finds Go by the same rules, which sudo's PATH often does not lead to, and runs no
// program from a directory of another user.
func TestTestbedFindsGo(t *testing.T) {
	i := newInstaller(t).small()
	for _, name := range []string{"bash", "readlink", "cksum"} {
		must.Do(t, os.Symlink(testrun.Needs(t, name), filepath.Join(i.bin, name)))
	}
	text := must.Get(os.ReadFile("../../scripts/testbed"))(t)
	i.source("scripts/testbed", string(text))
	i.source("go.mod", "module m\n\ngo 9.2.0\n")
	start := func(environ ...string) string {
		i.environ = environ
		c := i.command()
		c.Path, c.Args = filepath.Join(i.bin, "bash"), []string{"bash", filepath.Join(i.tree, "scripts/testbed"), "--help"}
		out, _ := c.CombinedOutput()
		return string(out)
	}
	if out := start("GO_VERSION=9.1"); out != "testbed: "+i.bin+"/go is Go 9.1, which is too old: get Go 9.2 or later from https://go.dev/dl (or set GOTOOLCHAIN=auto, and this one downloads it)\n" {
		t.Errorf("%q", out)
	}
	testbed := "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n{ echo '#!/bin/sh'; echo 'echo it runs \"$@\"'; } >\"$2\"\nchmod +x \"$2\"\n"
	must.Write(t, filepath.Join(i.home, "sdk/go9.2.0/bin/go"), "#!/bin/sh\n[ \"$1\" != version ] || { echo go9.2; exit; }\n"+testbed, 0o755)
	if out := start("GO_VERSION=9.1"); out != "it runs --help\n" {
		t.Errorf("%q", out)
	}
	temporary := t.TempDir()
	i.program("go", strings.Replace(testbed, "\n", "\n[ \"$1\" != version ] || { echo go9.2; exit; }\n", 1))
	for range 2 {
		if out := start("HOME", "TMPDIR="+temporary); out != "testbed: HOME= is not a directory that only this user can change: all is compiled anew\nit runs --help\n" {
			t.Errorf("without a home: %q", out)
		}
	}
	must.Hold(t, temporary, 0)
	// Programs that another user may have put there are not run: neither in a directory that all
	// can write, nor behind a link to one.
	planted := filepath.Join(readable(t), "all")
	must.Do(t, errors.Join(os.Mkdir(planted, 0o755), os.Chmod(planted, 0o777|os.ModeSticky)))
	plant := func(dir string) {
		t.Helper()
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), os.RemoveAll(dir), os.Symlink(planted, dir)))
	}
	kept, err := filepath.Glob(filepath.Join(i.home, ".cache/migbsp/testbed-*"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	evil := filepath.Join(planted, filepath.Base(kept[0]))
	must.Do(t, os.WriteFile(evil, []byte("#!/bin/sh\necho planted\n"), 0o755))
	plant(filepath.Join(temporary, fmt.Sprintf("migbsp-%d", os.Getuid()), "migbsp"))
	plant(filepath.Join(i.home, ".cache/migbsp"))
	open := readable(t)
	must.Do(t, errors.Join(os.Chmod(open, 0o777), os.MkdirAll(filepath.Join(open, ".cache"), 0o777),
		os.Mkdir(filepath.Join(open, ".cache/migbsp"), 0o755)))
	must.Do(t, os.WriteFile(filepath.Join(open, ".cache/migbsp", filepath.Base(evil)), []byte("#!/bin/sh\necho planted\n"), 0o755))
	for _, home := range []string{"HOME", "HOME=" + i.home, "HOME=" + open} {
		if out := start(home, "TMPDIR="+temporary); !strings.HasSuffix(out, "all is compiled anew\nit runs --help\n") {
			t.Errorf("%s: %q", home, out)
		}
	}
	if info, err := os.Stat(planted); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("the mode of somebody else's directory is %v, %v", info.Mode(), err)
	}
}

// Go's messages about a failed build are shown, and no files are installed or left behind.
func TestInstallThatIsNotBuilt(t *testing.T) {
	for says, want := range map[string]string{
		"# m/apps/lu\napps/lu/main.go:1:1: expected package":  "# m/apps/lu\napps/lu/main.go:1:1: expected package\ninstall: not built, for the reasons above; nothing has been installed\n",
		"go: x@v1: Get \"https://p\": dial tcp: lookup p: no": "go: x@v1: Get \"https://p\": dial tcp: lookup p: no\ninstall: modules cannot be downloaded; without a network build from a release's archive, which has them all (scripts/dist makes one)\n",
	} {
		i := newInstaller(t).small()
		i.environ = []string{"GO_FAILS=" + says}
		if code, out := i.run("-q"); code != 1 || out != want || len(i.files()) > 0 {
			t.Errorf("code %d, left %v: %q, want %q", code, i.files(), out, want)
		}
	}
}

// A signal ends the build, and leaves no files behind.
func TestInstallIsInterrupted(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		i := newInstaller(t).small()
		temporary := t.TempDir()
		i.environ = []string{"GO_SLEEPS=yes", "TMPDIR=" + temporary}
		command := i.command()
		must.Do(t, command.Start())
		var pid []byte
		for begin := time.Now(); len(pid) == 0; time.Sleep(10 * time.Millisecond) {
			if pid, _ = os.ReadFile(filepath.Join(i.bin, "go.pid")); time.Since(begin) > time.Minute {
				t.Fatal("it does not build")
			}
		}
		must.Do(t, command.Process.Signal(signal))
		_ = command.Wait()
		must.Hold(t, temporary, 0)
		if code := command.ProcessState.ExitCode(); code != want || len(i.files()) > 0 {
			t.Errorf("%v: code %d, left %v", signal, code, i.files())
		}
		if exists("/proc/self") && exists("/proc/"+strings.TrimSpace(string(pid))) {
			t.Errorf("%v: the build goes on", signal)
		}
	}
}

// On a terminal progress is one line, not wider than that.
func TestInstallOnATerminal(t *testing.T) {
	script := testrun.Needs(t, "script")
	i := newInstaller(t).small()
	command := i.command()
	line := "stty cols 40; exec sh '" + filepath.Join(i.tree, "scripts/install") + "'"
	command.Path, command.Args = script, []string{"script", "-q", "-e", "-c", line, os.DevNull}
	command.Env = append(command.Env, "TERM=xterm", "SHELL=/bin/sh")
	text, err := command.Output()
	if err != nil || !strings.Contains(string(text), "4 of 4 built, ") || strings.Contains(string(text), "built migbsp, ") {
		t.Errorf("%v\n%q", err, text)
	}
	for _, line := range strings.FieldsFunc(string(text), func(r rune) bool { return r == '\r' || r == '\n' }) {
		if strings.Contains(line, " of 4 built") && len(strings.TrimSuffix(line, "\x1b[K")) > 39 {
			t.Errorf("a line is too long: %q", line)
		}
	}
}

func TestUninstallRefuses(t *testing.T) {
	for _, text := range []string{"", "/etc/passwd\n", "bin/a\n../../outside\n", "bin/../../b\n", "bin/a\n\nbin/b\n"} {
		i := newInstaller(t).small()
		i.put("bin/a", "")
		if text != "" {
			i.put("share/migbsp/install.list", text)
		}
		if code, out := i.run("uninstall"); code != 1 || !strings.HasPrefix(out, "install: ") || !i.files()["bin/a"] {
			t.Errorf("list %q: code %d\n%s", text, code, out)
		}
		if text != "" {
			i.refuses("paths that are not below PREFIX")
		}
	}
}

func TestInstallUsage(t *testing.T) {
	i := newInstaller(t)
	if code, out := i.run("instal"); code != 2 || strings.Count(out, "\n") != 1 {
		t.Errorf("code %d\n%s", code, out)
	}
	out := i.must("--help")
	if !strings.Contains(out, "scripts/install uninstall") || strings.Contains(out, "set -eu") {
		t.Errorf("help:\n%s", out)
	}
	isNarrow(t, out)
	i.environ = []string{"PREFIX=opt"}
	if code, out := i.run(); code != 2 || out != "install: PREFIX=opt does not begin with /\n" {
		t.Errorf("code %d\n%s", code, out)
	}
}
