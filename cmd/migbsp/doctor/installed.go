package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Where scripts/install puts programs below PREFIX, and the list of all that it has put there.
const (
	programsDir = "libexec/migbsp"
	listFile    = "share/migbsp/install.list"
)

// tools are the programs of ours that belong into PATH.
var tools = []string{"migbsp", "stagevet", "bspcc", "bsprun"}

// prefix is below which directory this tool is installed, "" if it is not.
func (s *System) prefix() string {
	if path.Base(path.Dir(s.Self)) != "bin" {
		return ""
	}
	prefix := path.Dir(path.Dir(s.Self))
	if len(s.names(path.Join(prefix, programsDir))) == 0 && s.listed(prefix) == nil {
		return ""
	}
	return prefix
}

// names returns the names of all files in a directory.
func (s *System) names(dir string) (names []string) {
	entries, _ := fs.ReadDir(s.Files, rooted(dir))
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// listed returns the files, by their paths, that were installed below a directory.
func (s *System) listed(prefix string) (files []string) {
	text, err := fs.ReadFile(s.Files, rooted(path.Join(prefix, listFile)))
	if err != nil {
		return nil
	}
	for file := range strings.Lines(string(text)) {
		if file = strings.TrimSuffix(file, "\n"); !strings.HasSuffix(file, "/") {
			files = append(files, file)
		}
	}
	return files
}

// rooted returns a path relative to the root directory, as an fs.FS requires.
func rooted(name string) string {
	if name = strings.TrimPrefix(path.Clean(name), "/"); name == "" {
		return "."
	}
	return name
}

// checkInstall finds where this tool is installed, whether its programs are there and fit,
// and whether PATH leads to it.
func checkInstall(s *System, _ Wants) []Finding {
	prefix := s.prefix()
	if prefix == "" {
		return note("not installed: this tool is "+s.Self, "scripts/install puts tool, programs and manual pages where all find them; without that, go run ./cmd/migbsp and go build ./apps/... do")
	}
	names := s.names(path.Join(prefix, programsDir))
	found := append(s.absent(prefix, names), s.unfit(prefix, names)...)
	if len(found) == 0 {
		found = ok(fmt.Sprintf("below %s, with %s: migbsp run NAME", prefix, ledger.Count(len(names), "program")))
	}
	return append(found, s.leads()...)
}

// absent finds installed programs that are missing.
func (s *System) absent(prefix string, names []string) []Finding {
	var gone []string
	for _, file := range s.listed(prefix) {
		if path.Dir(file) == programsDir && !slices.Contains(names, path.Base(file)) {
			gone = append(gone, path.Base(file))
		}
	}
	if len(gone) > 0 {
		return missing(fmt.Sprintf("%s was installed in %s/%s and is not there", strings.Join(gone, ", "), prefix, programsDir), "install again: PREFIX="+prefix+" scripts/install")
	}
	if len(names) == 0 {
		return missing("no programs in "+path.Join(prefix, programsDir), "install again: PREFIX="+prefix+" scripts/install")
	}
	return nil
}

// unfit asks programs for version and MPI, and finds programs of another build than this
// tool. Under a launcher they would act as ranks, and are not asked.
func (s *System) unfit(prefix string, names []string) []Finding {
	if tasks, _ := s.Launched(); tasks != 0 {
		return nil
	}
	want := versions{s.Version, s.Library}
	others := map[versions][]string{}
	var order []versions
	var found []Finding
	for _, name := range names {
		text, err := s.Run(path.Join(prefix, programsDir, name), "-version")
		if err != nil {
			found = append(found, missing(name+" does not run: "+brief(cause(text, err)), "load the module of the MPI that it was built with, or install again: PREFIX="+prefix+" scripts/install")...)
			continue
		}
		if v := versionsOf(text); v != want {
			if others[v] == nil {
				order = append(order, v)
			}
			others[v] = append(others[v], name)
		}
	}
	for _, v := range order {
		found = append(found, note(fmt.Sprintf("%s: %s; this tool: %s", strings.Join(others[v], ", "), v, want), "install tool and programs together: PREFIX="+prefix+" scripts/install")...)
	}
	return found
}

// cause returns a program's error text, or without one its exit state.
func cause(text string, err error) string {
	if strings.TrimSpace(text) == "" {
		return err.Error()
	}
	return text
}

// versions must be equal in all programs.
type versions struct{ version, library string }

func (v versions) String() string {
	if v.library == "" {
		return v.version + " without MPI"
	}
	return v.version + " with " + v.library
}

// versionsOf reads the output of -version.
func versionsOf(text string) (v versions) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if library, is := strings.CutPrefix(line, "MPI: "); is {
			v.library = library
		} else if _, version, is := strings.Cut(line, "(migbsp) "); is {
			v.version = version
		}
	}
	return v
}

// leads checks whether PATH leads to this tool.
func (s *System) leads() []Finding {
	first := s.has("migbsp")
	if first == "" {
		return note("no migbsp on PATH", "export PATH=\""+path.Dir(s.Self)+":$PATH\"")
	}
	if real, err := s.RealPath(first); err == nil && real != s.Self {
		text, _ := s.Run(first, "version")
		return note(fmt.Sprintf("PATH leads to another one, %s (%s)", first, brief(text)), "uninstall that one, or put "+path.Dir(s.Self)+" before it in PATH")
	}
	return nil
}

// checkPath finds programs of migbsp in PATH before others of the same name: earlier
// versions put all of them there.
func checkPath(s *System, _ Wants) []Finding {
	dirs := filepath.SplitList(s.Getenv("PATH"))
	var found []Finding
	for i, dir := range dirs {
		names, do := s.ours(dir)
		var before []string
		for _, name := range names {
			if other := s.next(name, dir, dirs[i+1:]); other != "" {
				before = append(before, path.Join(dir, name)+" comes before "+other)
			}
		}
		if len(before) > 0 {
			found = append(found, note(strings.Join(before, ", ")+": scripts that call that get ours", do)...)
		}
	}
	if len(found) == 0 {
		return ok("no program of ours is in the way of another one")
	}
	return found
}

// ours returns the programs of migbsp in a directory of PATH, without tools, and the advice
// if they hide others.
func (s *System) ours(dir string) (names []string, do string) {
	if strings.HasSuffix(path.Clean(dir), "/"+programsDir) {
		return s.names(dir), "take " + dir + " out of PATH: migbsp run finds programs there by itself"
	}
	prefix := path.Dir(path.Clean(dir))
	for _, file := range s.listed(prefix) {
		if path.Join(prefix, path.Dir(file)) == path.Clean(dir) && !slices.Contains(tools, path.Base(file)) {
			names = append(names, path.Base(file))
		}
	}
	return names, "an older version has put it there: PREFIX=" + prefix + " scripts/install puts this one in its place"
}

// next returns the next program of that name in directories of the path, or "".
func (s *System) next(name, dir string, dirs []string) string {
	for _, other := range dirs {
		if path.IsAbs(other) && path.Clean(other) != path.Clean(dir) && s.exists(rooted(path.Join(other, name))) {
			return path.Join(other, name)
		}
	}
	return ""
}

// checkModule checks whether this tool comes from a module, and whether the present
// directory belongs to it.
func checkModule(s *System, _ Wants) []Finding {
	loaded := slices.DeleteFunc(strings.Split(s.Getenv("LOADEDMODULES"), ":"), func(name string) bool { return !strings.HasPrefix(name+"/", "migbsp/") })
	text := strings.Join(loaded, ", ")
	root := s.Getenv("MIGBSP_ROOT")
	switch {
	case root != "" && !s.exists(rooted(root)):
		return note(fmt.Sprintf("MIGBSP_ROOT=%s, which is not there", root), "load the module again, or correct the directory in its file (slurm/modulefile)")
	case root != "" && !s.within(root):
		return note(fmt.Sprintf("MIGBSP_ROOT=%s, but this tool is %s", root, s.Self), "another one comes first in PATH: load the module last, or call "+path.Join(root, "bin/migbsp"))
	case text != "":
		return ok(text + " is loaded")
	case s.Getenv("MODULEPATH") != "" || s.Getenv("MODULESHOME") != "":
		return ok("there are modules here, and none of migbsp is loaded")
	default:
		return ok("no modules; only clusters have them")
	}
}

// within reports whether this tool is below a directory.
func (s *System) within(dir string) bool {
	real, err := s.RealPath(dir)
	return err == nil && strings.HasPrefix(s.Self, path.Clean(real)+"/")
}

// checkHome checks the home directory, where go has its cache.
func checkHome(s *System, _ Wants) []Finding {
	home := s.Getenv("HOME")
	switch {
	case home != "" && s.exists(rooted(home)):
		return ok("HOME=" + home)
	case s.Getenv("GOCACHE") != "":
		return ok("no home directory; GOCACHE=" + s.Getenv("GOCACHE"))
	case home == "":
		home = "HOME is not set"
	default:
		home = "HOME=" + home + ", which is not there"
	}
	return note(home, "needed only to build: go wants GOCACHE and GOMODCACHE, two directories; scripts/install makes them for itself")
}
