package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// writeWhole writes a file at once or not at all: readers see the old one or the
// new one. A pipe or a device, which the user has named, is written to as it is.
func writeWhole(name string, write func(io.Writer) error) error {
	if is, err := os.Stat(name); err == nil && !is.Mode().IsRegular() { // a pipe or a device
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	return replace(name, write)
}

// replace is writeWhole for a name that the user has not given, in a directory that may
// belong to another user: a link or a pipe there is removed, not written to.
func replace(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// openInBrowser opens a file with the system's program for pages.
func openInBrowser(file string) error {
	opener := "xdg-open"
	switch runtime.GOOS {
	case "darwin":
		opener = "open"
	case "windows":
		opener = "explorer"
	}
	if err := exec.Command(opener, file).Run(); err != nil {
		return fmt.Errorf("the page is written, but cannot be opened: %s %s: %w", opener, file, err)
	}
	return nil
}
