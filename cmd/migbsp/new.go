package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/cli"
)

var newCommand = cli.Command{
	Name:    "new",
	Summary: "begins a program of one's own, with a test",
	About: `Makes a directory NAME with a Go module: main.go, a small program whose processes
move, its test, and emulated.hosts, a file of fast and slow hosts to try it on. It
then says how to build and run that. What the program computes is to be replaced by
what yours does.

The module's path is example.com/NAME unless -module says another. It gets migbsp by
go mod tidy; -replace DIR has it use a copy of the sources in its place. A directory
that exists is refused.`,
	Args: []cli.Arg{{Name: "NAME"}},
	Examples: []cli.Example{
		{Line: "migbsp new life", Does: "in the directory life"},
		{Line: "migbsp new -module example.org/me/life life", Does: "a module that others can get from there"},
		{Line: "migbsp new -replace ~/src/migbsp life", Does: "with the library of a directory"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		f := &newFlags{}
		f.module = flags.String("module", "", "the module's `path` (default: example.com/NAME)")
		f.replace = cli.Path(flags, "replace", "use the sources of migbsp in this `directory`", cli.Directory)
		return f.run
	},
}

//go:embed template
var template embed.FS

// library is the module that programs import.
const library = "github.com/migbsp/migbsp"

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
	files, err := f.files(module)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if err := os.Mkdir(name, 0o777); err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(name, file), text, 0o666); err != nil {
			return errors.Join(err, os.RemoveAll(name))
		}
	}
	return streams.Print(strings.ReplaceAll(next, "NAME", name))
}

const next = `NAME has main.go, main_test.go, emulated.hosts and go.mod. To go on:

  cd NAME
  go mod tidy                                 # get migbsp, and note what is used
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

// files returns the files of the module. The sums of the library's dependencies are the
// library's own.
func (f *newFlags) files(module string) (map[string][]byte, error) {
	mod := fmt.Sprintf("module %s\n\ngo %s\n", module, goVersion)
	files := make(map[string][]byte)
	if *f.replace != "" {
		dir, err := filepath.Abs(*f.replace)
		its, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil || !strings.HasPrefix(string(its), "module "+library+"\n") {
			return nil, fmt.Errorf("-replace %s: expected a directory with the sources of migbsp", *f.replace)
		}
		if files["go.sum"], err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
			return nil, err
		}
		mod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", library, library, strconv.Quote(dir))
	}
	files["go.mod"] = []byte(mod)
	entries, err := template.ReadDir("template")
	for _, entry := range entries {
		if files[entry.Name()], err = template.ReadFile("template/" + entry.Name()); err != nil {
			break
		}
	}
	return files, err
}
