package doctor

import (
	"errors"
	"testing"
	"testing/fstest"
)

// installation returns a machine with this tool below /opt/x, and two programs.
func installation() *System {
	const says = " (migbsp) v1.0.0\nMPI: Open MPI v4.1.4\ngo1.26 linux/amd64\n"
	s := bare().programs(map[string]string{
		"migbsp version":                      "migbsp v1.0.0",
		"/opt/x/libexec/migbsp/lu -version":   "lu" + says,
		"/opt/x/libexec/migbsp/sort -version": "sort" + says,
	})
	s.Self, s.Version, s.Library = "/opt/x/bin/migbsp", "v1.0.0", "Open MPI v4.1.4"
	s.LookPath = func(string) (string, error) { return "/opt/x/bin/migbsp", nil }
	s.Files = fstest.MapFS{
		"opt/x/libexec/migbsp/lu": {}, "opt/x/libexec/migbsp/sort": {}, "opt/x/bin/migbsp": {},
		"opt/x/share/migbsp/install.list": {Data: []byte("bin/migbsp\nlibexec/migbsp/lu\nlibexec/migbsp/sort\nlibexec/migbsp/\n")},
		"usr/bin/sort":                    {},
	}
	return s
}

func TestInstall(t *testing.T) {
	expect(t, "not", checkInstall(bare(), Wants{}), "note not installed: this tool is /tmp/migbsp > scripts/install")
	expect(t, "complete", checkInstall(installation(), Wants{}), "ok below /opt/x, with 2 programs: migbsp run NAME")

	s := installation()
	delete(s.Files.(fstest.MapFS), "opt/x/libexec/migbsp/sort")
	expect(t, "one is gone", checkInstall(s, Wants{}), "missing sort was installed in /opt/x/libexec/migbsp and is not there > PREFIX=/opt/x scripts/install")
	delete(s.Files.(fstest.MapFS), "opt/x/share/migbsp/install.list")
	expect(t, "no list", checkInstall(s, Wants{}), "ok below /opt/x, with 1 program")

	s = installation()
	s.Files = fstest.MapFS{"opt/x/share/migbsp/install.list": {Data: []byte("bin/migbsp\n")}}
	expect(t, "no programs", checkInstall(s, Wants{}), "missing no programs in /opt/x/libexec/migbsp")

	s = installation()
	s.Version, s.Library = "v1.1.0", ""
	expect(t, "of another build", checkInstall(s, Wants{}), "note lu, sort: v1.0.0 with Open MPI v4.1.4; this tool: v1.1.0 without MPI > together")
	s.Launched = func() (int, string) { return 4, "mpirun" }
	expect(t, "as a rank", checkInstall(s, Wants{}), "ok below /opt/x")

	s = installation()
	run := s.Run
	s.Run = func(name string, args ...string) (string, error) {
		if name == "/opt/x/libexec/migbsp/lu" {
			return "lu: error while loading shared libraries: libmpi.so.40\n", errors.New("exit status 127")
		}
		return run(name, args...)
	}
	expect(t, "a library is missing", checkInstall(s, Wants{}), "missing lu does not run: lu: error while loading shared libraries: libmpi.so.40 > load the module of the MPI")
}

// The check compares the targets of links with the program that PATH leads to.
func TestPathToTheTool(t *testing.T) {
	s := installation()
	s.LookPath = func(string) (string, error) { return "/usr/bin/migbsp", nil }
	expect(t, "another", checkInstall(s, Wants{})[1:], "note PATH leads to another one, /usr/bin/migbsp > put /opt/x/bin before it")
	s.RealPath = func(string) (string, error) { return "/opt/x/bin/migbsp", nil }
	expect(t, "a link", checkInstall(s, Wants{}), "ok below /opt/x")
	s.LookPath = func(string) (string, error) { return "", errors.New("not on PATH") }
	expect(t, "none", checkInstall(s, Wants{})[1:], `note no migbsp on PATH > export PATH="/opt/x/bin:$PATH"`)
}

func TestPath(t *testing.T) {
	expect(t, "none", checkPath(bare(), Wants{}), "ok no program of ours")
	path := func(s *System, path string) *System { return s.environment(map[string]string{"PATH": path}) }
	expect(t, "as installed", checkPath(path(installation(), "/opt/x/bin:/usr/bin"), Wants{}), "ok no program of ours")
	expect(t, "behind the system's", checkPath(path(installation(), "/usr/bin:/opt/x/libexec/migbsp"), Wants{}), "ok no program of ours")
	expect(t, "by hand", checkPath(path(installation(), "/opt/x/libexec/migbsp/::/usr/bin"), Wants{}),
		"note /opt/x/libexec/migbsp/sort comes before /usr/bin/sort: scripts that call that get ours > take /opt/x/libexec/migbsp/ out of PATH")
	s := installation()
	s.Files.(fstest.MapFS)["usr/local/share/migbsp/install.list"] = &fstest.MapFile{Data: []byte("bin/lu\nbin/migbsp\nbin/sort\n")}
	s.Files.(fstest.MapFS)["usr/bin/migbsp"] = &fstest.MapFile{}
	expect(t, "an older version", checkPath(path(s, "/usr/local/bin:/usr/bin"), Wants{}),
		"note /usr/local/bin/sort comes before /usr/bin/sort > PREFIX=/usr/local scripts/install")
}

func TestModule(t *testing.T) {
	module := func(environ map[string]string) []Finding {
		return checkModule(installation().environment(environ), Wants{})
	}
	expect(t, "none", module(nil), "ok no modules")
	expect(t, "not loaded", module(map[string]string{"MODULEPATH": "/m", "LOADEDMODULES": "migbspx/1:gcc/12"}), "ok there are modules here, and none of migbsp")
	expect(t, "loaded", module(map[string]string{"LOADEDMODULES": "gcc/12:migbsp/1.0", "MIGBSP_ROOT": "/opt/x"}), "ok migbsp/1.0 is loaded")
	expect(t, "another one first", module(map[string]string{"LOADEDMODULES": "migbsp/1.0", "MIGBSP_ROOT": "/usr"}), "note MIGBSP_ROOT=/usr, but this tool is /opt/x/bin/migbsp > load the module last")
	expect(t, "gone", module(map[string]string{"MIGBSP_ROOT": "/opt/y"}), "note MIGBSP_ROOT=/opt/y, which is not there > slurm/modulefile")
}

func TestHome(t *testing.T) {
	home := func(environ map[string]string) []Finding {
		return checkHome(installation().environment(environ), Wants{})
	}
	expect(t, "unset", home(nil), "note HOME is not set > GOCACHE")
	expect(t, "not there", home(map[string]string{"HOME": "/nonexistent"}), "note HOME=/nonexistent, which is not there > scripts/install")
	expect(t, "there", home(map[string]string{"HOME": "/opt/x"}), "ok HOME=/opt/x")
	expect(t, "not needed", home(map[string]string{"GOCACHE": "/c"}), "ok no home directory; GOCACHE=/c")
}
