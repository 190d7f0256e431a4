//go:build linux

// Package cgroup gives the hosts of a testbed their parts of the processors, by
// control groups of version 1 or, where it is the only one, version 2.
//
// A group may run 1 ms of every 1 ms/speed, the shortest quota that Linux takes.
// Quotas are enforced when the scheduler runs, so something must make it run more
// often than its tick does: see package metronome.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Tree is the testbed's part of the machine's control groups.
type Tree struct {
	name               string // of the group below the roots
	cpu, cpuset, usage string // roots of hierarchies, all the same in version 2
	unified            bool
}

// Find finds the hierarchies of the controllers cpu, cpuset and cpuacct. name is the
// testbed's group, which need not exist.
func Find(name string) (*Tree, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	return find(name, string(mounts))
}

func find(name, mounts string) (*Tree, error) {
	controller, unified := map[string]string{}, ""
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields, tail := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(tail) < 3 {
			continue
		}
		switch tail[0] {
		case "cgroup":
			for _, name := range strings.Split(tail[2], ",") {
				if controller[name] == "" {
					controller[name] = fields[4]
				}
			}
		case "cgroup2":
			unified = fields[4]
		}
	}
	t := &Tree{name: name, cpu: controller["cpu"], cpuset: controller["cpuset"], usage: controller["cpuacct"]}
	if t.cpu != "" && t.cpuset != "" && t.usage != "" {
		return t, nil
	}
	if t.cpu != "" || t.cpuset != "" || unified == "" {
		return nil, errors.New("no control groups with cpu, cpuset and cpuacct are mounted, neither of version 1 nor of version 2")
	}
	return &Tree{name: name, cpu: unified, cpuset: unified, usage: unified, unified: true}, nil
}

// Version returns the version of the control groups, 1 or 2.
func (t *Tree) Version() int {
	if t.unified {
		return 2
	}
	return 1
}

// Usable returns an error if the calling process may not make groups.
func (t *Tree) Usable() error {
	for _, root := range t.roots() {
		if err := unix.Access(root, unix.W_OK); err != nil {
			return fmt.Errorf("%s cannot be written to: %w", root, err)
		}
	}
	return nil
}

// roots are the directories of the hierarchies, each once.
func (t *Tree) roots() []string {
	var all []string
	seen := map[string]bool{}
	for _, root := range []string{t.cpu, t.cpuset, t.usage} {
		if !seen[root] {
			all = append(all, root)
		}
		seen[root] = true
	}
	return all
}

// Create makes the testbed's group, whose only processes are in its hosts' groups.
func (t *Tree) Create() error {
	for _, root := range t.roots() {
		if t.unified {
			if err := write(root, "cgroup.subtree_control", "+cpu +cpuset"); err != nil {
				return err
			}
		}
		if err := os.Mkdir(filepath.Join(root, t.name), 0o755); err != nil {
			return err
		}
	}
	if t.unified {
		return errors.Join(
			write(filepath.Join(t.cpu, t.name), "cpu.weight", "10000"),
			write(filepath.Join(t.cpu, t.name), "cgroup.subtree_control", "+cpu +cpuset"))
	}
	return errors.Join(
		write(filepath.Join(t.cpu, t.name), "cpu.shares", "262144"),
		inherit(t.cpuset, t.name, "cpuset.cpus"),
		inherit(t.cpuset, t.name, "cpuset.mems"))
}

// Join moves the calling process out of all groups that could keep it from running with
// real-time priority. Version 2 has none.
func (t *Tree) Join() error {
	if t.unified {
		return nil
	}
	for _, root := range t.roots() {
		if err := write(root, "cgroup.procs", "0"); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes all groups of the testbed, whose processes must have been killed. Missing groups are
// not an error.
func (t *Tree) Remove() error {
	for _, root := range t.roots() {
		base := filepath.Join(root, t.name)
		var all []string
		err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for i := len(all) - 1; i >= 0; i-- {
			if err := removeGroup(all[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeGroup waits for killed processes to be gone.
func removeGroup(dir string) error {
	const patience = 5 * time.Second
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Rmdir(dir)
		if err == nil || err == syscall.ENOENT {
			return nil
		}
		if err != syscall.EBUSY || time.Since(begin) > patience {
			return fmt.Errorf("removing %s: %w", dir, err)
		}
	}
}

// inherit copies a file of the parent's to a group.
func inherit(parent, group, file string) error {
	text, err := os.ReadFile(filepath.Join(parent, file))
	if err != nil {
		return err
	}
	return write(filepath.Join(parent, group), file, strings.TrimSpace(string(text)))
}

func write(dir, file, text string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0)
}
