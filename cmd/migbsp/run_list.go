package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/cli"
)

// printPrograms prints which programs are installed in a directory.
func printPrograms(ctx context.Context, streams cli.Streams, dir string) error {
	all := launch.Describe(ctx, dir)
	if len(all) == 0 {
		return fmt.Errorf("no programs are installed in %s: scripts/install puts them there; others are named by their path, or found in PATH", dir)
	}
	return streams.Print("Programs in " + dir + ":\n\n" + descriptions(all) + "\nmigbsp run PROGRAM -help explains one.\n")
}

func descriptions(all []launch.Description) (text string) {
	width := 0
	for _, d := range all {
		width = max(width, len(d.Name))
	}
	for _, d := range all {
		text += fmt.Sprintf("  %-*s  %s\n", width, d.Name, d.Does)
	}
	return text
}

// printFlagNames prints the flags of a program, as its help has them.
func printFlagNames(ctx context.Context, streams cli.Streams, dir, name string) error {
	path, err := launch.Find(dir, name)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	return streams.Print(lines(launch.Flags(ctx, path)))
}

// lines ends each text with a line end.
func lines(texts []string) string {
	return strings.Join(append(texts, ""), "\n")
}

// absolute is the path of a file wherever a program starts.
func absolute(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(whole)
}
