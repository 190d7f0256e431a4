package release_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Recipes of a release contain its version and the checksum of its archive. Recipes in the sources
// contain the version of the changelog, and no checksum.
func TestRecipesNameTheArchive(t *testing.T) {
	v := must.Get(version())(t)
	for name, want := range map[string][]string{
		"../../slurm/spack/package.py":                          {`version("` + v + `", sha256="SHA256-OF-THE-ARCHIVE")`, "/v" + v + "/migbsp-" + v + ".tar.gz"},
		"../../slurm/easybuild/migbsp-" + v + "-gompi-2025b.eb": {"version = '" + v + "'", "['SHA256-OF-THE-ARCHIVE']"},
		"../../slurm/apptainer/migbsp.def":                      {"SHA256-OF-THE-ARCHIVE  migbsp-" + v + ".tar.gz", "image.version " + v + "\n"},
		"../../CITATION.cff":                                    {"\nversion: " + v + "\n"},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s has no %q", name, w)
			}
		}
	}
	dir, _ := released(t)
	archive := must.Get(os.ReadFile(filepath.Join(dir, "migbsp-"+v+".tar.gz")))(t)
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	for _, name := range []string{".spack.py", "-gompi-2025b.eb", ".def"} {
		text, err := os.ReadFile(filepath.Join(dir, "migbsp-"+v+name))
		if err != nil || strings.Count(string(text), sum) != 1 || strings.Contains(string(text), "OF-THE-ARCHIVE") {
			t.Errorf("%s has not the sum %s: %v\n%s", name, sum, err, text)
		}
	}
}

var tried = sync.OnceValues(makeTried)

// makeTried makes an archive of one program, without bspcc, and the recipes for it. A recipe's steps
// are the same for any number of programs. Cheaper tests check that all programs are installed and
// link with MPI (TestInstalled, and tests under MPI of apps and of bspcc).
func makeTried() (string, error) {
	dir, err := release()
	if err != nil {
		return "", err
	}
	v, err := version()
	if err != nil {
		return "", err
	}
	name, into := "migbsp-"+v, filepath.Join(scratch, "tried")
	const shrink = `mkdir "$2"; cd "$2"; tar -xzf "$1"
for main in */apps/*/main.go; do
	[ "${main%/lu/main.go}" != "$main" ] || rm -r "${main%/main.go}"
done
rm -r */cmd/bspcc
tar -czf "$3.tar.gz" "$3"; rm -r "$3"`
	archive := filepath.Join(dir, name+".tar.gz")
	if out, err := exec.Command("sh", "-euc", shrink, "sh", archive, into, name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("an archive of one program: %w\n%s", err, out)
	}
	return into, pack(filepath.Join(into, name+".tar.gz"), into, nil, "recipes")
}

// recipes returns a directory with the archive of one program and its recipes, and the version.
func recipes(t *testing.T) (dir, v string) {
	t.Helper()
	_, v = released(t)
	dir, err := tried()
	if err != nil {
		t.Fatal(err)
	}
	return dir, v
}

// wrapper is an MPI compiler wrapper of this machine.
func wrapper(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"mpicc.openmpi", "mpicc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: there is no mpicc")
	return ""
}

// checkInstalled checks that the programs below a prefix run, print their version, and include MPI.
func checkInstalled(t *testing.T, prefix string, files []string) {
	t.Helper()
	v, _ := version()
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(prefix, name)); err != nil {
			t.Errorf("of what the recipe promises, %v", err)
		}
	}
	if len(files) < 4 {
		t.Errorf("the recipe promises %q", files)
	}
	if out := sh(t, prefix, "PATH=$1/bin:$PATH; migbsp version", prefix); !strings.HasPrefix(out, "migbsp v"+v+"\n") || !strings.Contains(out, "MPI: ") {
		t.Errorf("its version is %q", out)
	}
	sh(t, prefix, "PATH=$1/bin:$PATH; "+lu, prefix)
}

// spack emulates the parts of Spack that the recipe uses: it runs the phases of the recipe's builder
// in the directory of the unpacked archive and prints the files that must then exist.
const spack = `
import contextlib, os, subprocess, sys, types

class Base:
    def __init__(self, pkg): self.pkg = pkg
    build_directory = "."
    def setup_build_environment(self, env): env.set("GOPROXY", "off")
class Directives(type):
    def __prepare__(name, bases): return {}
go = types.ModuleType("spack_repo.builtin.build_systems.go")
go.GoPackage, go.GoBuilder = type("GoPackage", (), {}), Base
systems = types.ModuleType("spack_repo.builtin.build_systems"); systems.go = go
package = types.ModuleType("spack.package")
known = {}
def version(name, **how): known[name] = how
def directive(*args, **how): pass
def which(name, required):
    def call(*args, extra_env): subprocess.run([name, *args], env={**os.environ, **extra_env}, check=True, stdout=sys.stderr)
    return call
@contextlib.contextmanager
def working_dir(path): yield os.chdir(path)
package.version, package.which, package.working_dir, package.join_path = version, which, working_dir, os.path.join
package.variant = package.depends_on = package.license = directive
package.__all__ = ["version", "variant", "depends_on", "license", "which", "working_dir", "join_path"]
for m in ["spack_repo", "spack_repo.builtin", "spack"]: sys.modules[m] = types.ModuleType(m)
sys.modules.update({"spack_repo.builtin.build_systems": systems, "spack_repo.builtin.build_systems.go": go, "spack.package": package})

recipe, prefix, mpicc, wanted = sys.argv[1:]
scope = {"__name__": "recipe"}
exec(compile(open(recipe).read(), recipe, "exec"), scope)
class Spec:
    version = wanted
    def satisfies(self, what): return what == "+mpi"
    def __getitem__(self, name): return types.SimpleNamespace(mpicc=mpicc)
class Env:
    def set(self, name, value): os.environ[name] = value
assert len(known[wanted]["sha256"]) == 64, known
pkg = scope["Migbsp"]()
builder = scope["GoBuilder"](pkg)
builder.setup_build_environment(Env())
builder.build(pkg, Spec(), prefix)
builder.install(pkg, Spec(), prefix)
print("\n".join(pkg.sanity_check_is_file))
`

func TestSpackRecipe(t *testing.T) {
	dir, v := recipes(t)
	testrun.Needs(t, "python3", "gcc")
	mpicc := wrapper(t)
	top := unpack(t, filepath.Join(dir, "migbsp-"+v+".tar.gz"))
	prefix := filepath.Join(t.TempDir(), "prefix")
	t.Setenv("GO_LDFLAGS", "-w")
	out := testrun.Command{Words: []string{"python3", "-c", spack, filepath.Join(dir, "migbsp-"+v+".spack.py"), prefix, mpicc, v}, Dir: top}.Must(t)
	checkInstalled(t, prefix, strings.Fields(out))
}

// easybuild emulates EasyBuild: it reads an easyconfig and prints the command of ConfigureMake's
// install step, then the files that must exist, one per line, with templates expanded.
const easybuild = `
import sys
config, prefix, version = sys.argv[1:]
scope = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
exec(compile(open(config).read(), config, "exec"), scope)
def fill(text): return text % {"name": scope["name"], "version": scope["version"], "installdir": prefix}
assert scope["easyblock"] == "ConfigureMake" and scope["skipsteps"] == ["configure", "build"]
assert scope["version"] == version and len(scope["checksums"][0]) == 64 and len(scope["checksums"]) == len(scope["sources"])
for name in "homepage", "description", "toolchain", "moduleclass": assert scope[name]
print(fill(" ".join([scope["preinstallopts"], scope["install_cmd"], scope.get("installopts", "")])))
for kind in "files", "dirs": print("\n".join(scope["sanity_check_paths"][kind]))
for command in scope["sanity_check_commands"]: print("run " + command)
`

func TestEasyconfig(t *testing.T) {
	dir, v := recipes(t)
	testrun.Needs(t, "python3", "gcc")
	top := unpack(t, filepath.Join(dir, "migbsp-"+v+".tar.gz"))
	bin, prefix := t.TempDir(), filepath.Join(t.TempDir(), "prefix")
	must.Do(t, os.Symlink(wrapper(t), filepath.Join(bin, "mpicc")))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GO_LDFLAGS", "-w")
	out := testrun.Command{Words: []string{"python3", "-c", easybuild, filepath.Join(dir, "migbsp-"+v+"-gompi-2025b.eb"), prefix, v}}.Must(t)
	install, promised, _ := strings.Cut(strings.TrimSpace(out), "\n")
	sh(t, top, install)
	var files []string
	for line := range strings.Lines(promised) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "run "); ok {
			sh(t, prefix, "PATH=$1/bin:$PATH; "+command, prefix)
		} else {
			files = append(files, strings.TrimSpace(line))
		}
	}
	checkInstalled(t, prefix, files)
}

// container is a script that runs a stage of a definition as Apptainer would, in a root with all
// files of this machine. Writes go to memory and are lost, except in the directory that stages share.
// The root has no network, so apt-get can install only packages that this machine has.
const container = `
shared=$1; script=$2; go=$3; cache=$4
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/tree
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/tree
mkdir -p /mnt/tree/src /mnt/tree/opt
rm -rf /mnt/tree/opt/migbsp
cp -a "$shared"/. /mnt/tree/
mkdir -p "/mnt/tree$cache" /mnt/tree/proc /mnt/tree/dev
mount --bind "$cache" "/mnt/tree$cache"
mount -t proc proc /mnt/tree/proc
mount --rbind /dev /mnt/tree/dev
chroot /mnt/tree /usr/bin/env -i HOME=/root PATH="/usr/sbin:/usr/bin:/sbin:/bin:$go" GOCACHE="$cache" GO_LDFLAGS=-w /bin/sh -c "$script"
[ ! -d /mnt/tree/opt/migbsp ] || cp -a /mnt/tree/opt/migbsp "$shared/opt/"`

// section is a part of a stage of a definition.
func section(t *testing.T, stage, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?ms)^%` + name + `( from build)?\n(.*?)(^\S|\z)`).FindStringSubmatch(stage)
	if found == nil {
		t.Fatalf("there is no %%%s in\n%s", name, stage)
	}
	return found[2]
}

func TestApptainerDefinition(t *testing.T) {
	dir, v := recipes(t)
	testrun.Needs(t, "gcc", "apt-get", "dpkg-query")
	wrapper(t)
	if exec.Command("sh", "-c", "dpkg-query -W gcc libc6-dev libopenmpi-dev openmpi-bin libopenmpi3").Run() != nil {
		t.Skip("SKIPPED: Debian's libopenmpi-dev and openmpi-bin are not installed")
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "migbsp-"+v+".def")))(t)
	build, final, ok := strings.Cut(string(text), "Stage: final\n")
	if !ok || !strings.Contains(build, "From: golang:"+strings.TrimPrefix(runtime.Version()[:len("go1.26")], "go")+"-") {
		t.Errorf("its stages are not those that are expected:\n%s", text)
	}
	shared := t.TempDir()
	sh(t, dir, `mkdir "$2/src" "$2/opt"; cp "$1" "$2/src/"`, strings.Fields(section(t, build, "files"))[0], shared)
	cache := strings.TrimSpace(sh(t, ".", "go env GOCACHE"))
	bin := filepath.Join(strings.TrimSpace(sh(t, ".", "go env GOROOT")), "bin")
	run := func(script string) string {
		t.Helper()
		return testrun.Command{Words: append(unshared(t), "sh", "-euc", container, "sh", shared, script, bin, cache)}.Must(t)
	}
	run(section(t, build, "post"))
	if want := strings.Fields(section(t, final, "files"))[0]; want != "/opt/migbsp" {
		t.Errorf("the second stage takes %s", want)
	}
	out := run(section(t, final, "post") + "\n" + section(t, final, "environment") + "\nset -e\n" + section(t, final, "test"))
	if !strings.Contains(out, "migbsp v"+v+"\n") || !strings.Contains(out, "MPI: Open MPI") {
		t.Errorf("its test prints\n%s", out)
	}
	notices, err := os.ReadFile(filepath.Join(shared, "opt/migbsp/share/doc/migbsp/third-party-notices.txt"))
	if err != nil || !strings.Contains(string(notices), "Seth Bromberger") {
		t.Errorf("gompi's licence is not in the image: %v", err)
	}
}
