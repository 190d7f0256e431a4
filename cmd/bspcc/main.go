package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

//go:embed doc.go
var doc string

func main() {
	if object, found := cbsp.Embedded(); found {
		launch(object)
	}
	name, arguments := called(os.Args)
	end(name, command(name, arguments))
}

// launch runs the program whose object this executable has, and ends as it does.
func launch(object cbsp.Object) {
	flags, own, err := cbsp.Arguments(os.Args[1:])
	if err != nil {
		end(filepath.Base(os.Args[0]), usagef("%v", err))
	}
	cbsp.Main(object, flags, append([]string{os.Args[0]}, own...))
}

// called returns the name of the command, which is that of the executable or its first
// argument, and its arguments.
func called(words []string) (name string, arguments []string) {
	if len(words) > 1 && isCommand(words[1]) {
		return words[1], words[2:]
	}
	if name := filepath.Base(words[0]); isCommand(name) {
		return name, words[1:]
	}
	return "bspcc", words[1:]
}

const runName = "bsprun"

func isCommand(name string) bool {
	return name == runName || slices.ContainsFunc(compilers, func(c compiler) bool { return c.command == name })
}

func command(name string, arguments []string) error {
	if name == runName {
		return start(arguments)
	}
	i := slices.IndexFunc(compilers, func(c compiler) bool { return c.command == name })
	return compile(&compilers[i], arguments)
}

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an invalid command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, arguments ...any) error {
	return usageError(fmt.Sprintf(format, arguments...))
}

// end ends the program with what err says. A command that failed has spoken for itself.
func end(name string, err error) {
	var failed *exec.ExitError
	var wrong usageError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &failed):
		os.Exit(max(failed.ExitCode(), exitFailed))
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	if errors.As(err, &wrong) {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}

// help is what stands at the top of the package, and a command's usage and flags.
func help(usage, flags string) string {
	var text strings.Builder
	about, _, _ := strings.Cut(doc, "\npackage ")
	for line := range strings.Lines(about) {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return text.String() + "\n\nUsage: " + usage + "\n\nFlags:\n" + flags
}
