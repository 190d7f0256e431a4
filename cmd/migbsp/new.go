package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/cli"
)

var newCommand = cli.Command{
	Name:    "new",
	Summary: "begins a program of one's own, with a test",
	About: `Makes a directory NAME with a Go module: main.go, a small program whose processes
move, its test, and emulated.hosts, a file of fast and slow hosts to try it on. It
then prints the commands that build and run the program. Replace the program's
computation by your own.

The module's path is example.com/NAME, or the path that -module gives. The module uses
the library from the sources in a directory: the one that -replace names, else the
checkout of migbsp that contains the working directory, else the checkout that this
tool was built or installed from. A directory NAME that exists is refused.`,
	Args: []cli.Arg{{Name: "NAME"}},
	Examples: []cli.Example{
		{Line: "migbsp new life", Does: "in the directory life"},
		{Line: "migbsp new -module example.org/me/life life", Does: "a module that others can get from there"},
		{Line: "migbsp new -replace ~/src/migbsp life", Does: "with the library in a directory"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		f := &newFlags{}
		f.module = flags.String("module", "", "the module's `path` (default: example.com/NAME)")
		f.replace = cli.Path(flags, "replace", "use the library in this `directory` (default: the nearest checkout)", cli.Directory)
		return f.run
	},
}

//go:embed template
var template embed.FS

// library is the module that programs import, and repository the address of its sources.
const (
	library    = "github.com/migbsp/migbsp"
	repository = "https://" + library
)

// newFlags are the flags of migbsp new.
type newFlags struct{ module, replace *string }

// run makes the directory.
func (f *newFlags) run(_ context.Context, streams cli.Streams, args []string) error {
	name := args[0]
	if strings.Contains(name, "/") {
		return cli.Usagef("%s: expected a name without a slash; -module has the path", name)
	}
	module := cmp.Or(*f.module, "example.com/"+name)
	if err := checkModule(module); err != nil {
		return cli.Usagef("%v", err)
	}
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	dir, err := f.library()
	if err != nil {
		return cli.Usagef("%v", err)
	}
	files, err := files(module, dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(name, 0o777); err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(name, file), text, 0o666); err != nil {
			return errors.Join(err, os.RemoveAll(name))
		}
	}
	return streams.Print(strings.NewReplacer("NAME", name, "DIR", dir).Replace(next))
}

const next = `NAME has main.go, main_test.go, emulated.hosts and go.mod, which uses migbsp
from DIR. To go on:

  cd NAME
  go test
  go run . -procs 8                           # ranks are goroutines
  go run . -procs 8 -shake                    # each process moves after each stage
  go run . -procs 16 -hosts emulated.hosts    # on two fast and two slow hosts
  go build -tags mpi -o NAME && mpirun -np 2 ./NAME -procs 8
`

// modulePath matches the paths of modules for Go: the first element is a domain, because
// names without a dot are the standard library's.
var modulePath = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+(/\w[\w~-]*(\.[\w~-]+)*)*$`)

// firstVersion ends paths that Go refuses, for only versions from v2 on end one.
var firstVersion = regexp.MustCompile(`/v(0\d*|1|\d+\.[\d.]*)$`)

func checkModule(module string) error {
	switch {
	case !modulePath.MatchString(module):
		return fmt.Errorf("%q cannot be the path of a module: expected a domain, and names of letters, digits and . _ - ~ behind slashes", module)
	case firstVersion.MatchString(module):
		return fmt.Errorf("%q cannot be the path of a module: it may end in /v2 or later, not in this", module)
	}
	return nil
}

// goVersion is the least version of Go for the library.
const goVersion = "1.26.0"

// library returns the directory with the sources of the library that the module is to use.
func (f *newFlags) library() (string, error) {
	if *f.replace == "" {
		return checkout(checkouts())
	}
	dir, err := filepath.Abs(*f.replace)
	if err == nil && !isLibrary(dir) {
		err = fmt.Errorf("-replace %s: expected a directory with the sources of migbsp: git clone %s", *f.replace, repository)
	}
	return dir, err
}

// checkouts returns the directories in which to look for a checkout of the library, the preferred
// one first: the working directory, the source directory of this tool if the program has its path
// (-trimpath removes it), the directory of the program, and the checkout from which scripts/install
// installed the program.
func checkouts() (dirs []string) {
	if dir, err := os.Getwd(); err == nil {
		dirs = append(dirs, dir)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		dirs = append(dirs, filepath.Dir(file))
	}
	if tool, err := launch.Self(); err == nil {
		dirs = append(dirs, filepath.Dir(tool))
		installed := filepath.Join(filepath.Dir(launch.Installed(tool)), "..", "share", "migbsp", "checkout")
		if text, err := os.ReadFile(installed); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(text)))
		}
	}
	return dirs
}

// checkout returns the first directory with the sources of the library among some
// directories and those above each of them.
func checkout(dirs []string) (string, error) {
	for _, dir := range dirs {
		for ; ; dir = filepath.Dir(dir) {
			if isLibrary(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", fmt.Errorf("no checkout of migbsp found here or where this tool was built: git clone %s, then add -replace migbsp", repository)
}

// isLibrary reports whether a directory has the sources of the library.
func isLibrary(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module "+library+"\n")
}

// requirement matches a module that a go.mod requires, in a block.
var requirement = regexp.MustCompile(`(?m)^\t(\S+ v\S+)( // indirect)?$`)

// files returns the files of a module that uses the library in a directory. It lists the
// modules that the library requires, and their checksums: then the go command builds it
// without go mod tidy, which would download modules that only tests of others need.
func files(module, dir string) (map[string][]byte, error) {
	its, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return nil, err
	}
	mod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nrequire (\n", module, goVersion, library)
	for _, found := range requirement.FindAllSubmatch(its, -1) {
		mod += fmt.Sprintf("\t%s // indirect\n", found[1])
	}
	mod += fmt.Sprintf(")\n\nreplace %s => %s\n", library, strconv.Quote(dir))
	files := map[string][]byte{"go.mod": []byte(mod), "go.sum": sums}
	entries, err := template.ReadDir("template")
	for _, entry := range entries {
		if files[entry.Name()], err = template.ReadFile("template/" + entry.Name()); err != nil {
			break
		}
	}
	return files, err
}
