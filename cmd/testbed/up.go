//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/core"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

func up(arguments []string) error {
	if err := take(arguments, "SPEC"); err != nil {
		return err
	}
	begin := time.Now()
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	s, err := spec.Parse(arguments[0], string(text))
	if err != nil {
		return err
	}
	processors, err := ownProcessors()
	if err != nil {
		return err
	}
	if _, err := s.Place(processors); err != nil {
		return err
	}
	locked, err := lock()
	if err != nil {
		return err
	}
	defer locked.Close()
	switch _, err := control.Core(); {
	case err == nil:
		return same(string(text))
	case !errors.Is(err, control.ErrDown):
		return err
	}
	if err := clearLeftovers(); err != nil {
		return err
	}
	if err := core.Start(s, string(text), processors, locked); err != nil {
		return err
	}
	fmt.Printf("up: %d hosts in %.1f s; hosts are listed in %s\n", len(s.Hosts()), time.Since(begin).Seconds(), control.HostFile)
	return nil
}

// same returns an error if another testbed is up than the one asked for.
func same(text string) error {
	running, err := os.ReadFile(control.Spec)
	if err != nil {
		return err
	}
	if string(running) != text {
		return fmt.Errorf("another testbed is up (its description is %s); end it first with: testbed down", control.Spec)
	}
	fmt.Printf("up already; hosts are listed in %s\n", control.HostFile)
	return nil
}

func down(arguments []string) error {
	if err := take(arguments); err != nil {
		return err
	}
	locked, err := lock()
	if err != nil {
		return err
	}
	defer locked.Close()
	return core.Stop()
}

// lock lets one command at a time start or stop a testbed, until the file is closed. The lock is on the testbed's directory, which another command may have replaced; so after locking,
// lock checks that the directory is still the same.
func lock() (*os.File, error) {
	for {
		if err := os.Mkdir(control.Dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		dir, err := os.Open(control.Dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil && err != unix.EINTR {
			return nil, err
		}
		mine, err := dir.Stat()
		if err != nil {
			return nil, err
		}
		if there, err := os.Stat(control.Dir); err == nil && os.SameFile(mine, there) {
			return dir, nil
		}
		dir.Close()
	}
}

// clearLeftovers removes the remains of a testbed that was killed, but keeps the directory,
// which is locked.
func clearLeftovers() error {
	files, err := filepath.Glob(filepath.Join(control.Dir, "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.RemoveAll(file); err != nil {
			return err
		}
	}
	return core.CleanGroups()
}

// ownProcessors returns the processors that this process may run on.
func ownProcessors() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	var processors []int
	for i := range 1024 {
		if set.IsSet(i) {
			processors = append(processors, i)
		}
	}
	return processors, nil
}
