package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

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

// called returns the name of the command, from the executable or from its first argument, and its
// arguments.
func called(words []string) (name string, arguments []string) {
	if len(words) > 1 && isCommand(words[1]) {
		return words[1], words[2:]
	}
	if name := filepath.Base(words[0]); isCommand(name) {
		return name, words[1:]
	}
	return "bspcc", words[1:]
}

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
