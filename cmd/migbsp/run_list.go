package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/internal/cli"
)

// writePrograms prints which programs are installed in a directory.
func writePrograms(ctx context.Context, w io.Writer, dir string) error {
	all := launch.Describe(ctx, dir)
	if len(all) == 0 {
		return fmt.Errorf("no programs are installed in %s: scripts/install puts them there; others are named by their path, or found in PATH", dir)
	}
	if err := writeLine(w, "Programs in "+dir+":\n"); err != nil {
		return err
	}
	if err := writeDescriptions(w, all); err != nil {
		return err
	}
	return writeLine(w, "\nmigbsp run PROGRAM -help explains one.")
}

func writeDescriptions(w io.Writer, all []launch.Description) error {
	width := 0
	for _, d := range all {
		width = max(width, len(d.Name))
	}
	for _, d := range all {
		if err := writeLine(w, fmt.Sprintf("  %-*s  %s", width, d.Name, d.Does)); err != nil {
			return err
		}
	}
	return nil
}

func writeNames(w io.Writer, dir string) error {
	for _, name := range launch.Names(dir) {
		if err := writeLine(w, name); err != nil {
			return err
		}
	}
	return nil
}

// writeFlagNames prints the flags of a program, as its help has them.
func writeFlagNames(ctx context.Context, w io.Writer, dir, name string) error {
	path, err := launch.Find(dir, name)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	for _, found := range launch.Flags(ctx, path) {
		if err := writeLine(w, found); err != nil {
			return err
		}
	}
	return nil
}

func writeLine(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, text)
	return err
}

// absolute is the path of a file wherever a program starts.
func absolute(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(whole)
}
