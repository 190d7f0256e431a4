//go:build linux

package core

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
)

// mountCore gives the core, and with it all hosts, its own processes, /run and names of
// hosts. The rest of the file system is the machine's, as the shared one of a cluster.
func mountCore() error {
	dir, err := os.Open(control.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	if err := mount("proc", "/proc", "proc", "", 0); err != nil {
		return err
	}
	if err := mount("tmpfs", "/run", "tmpfs", "mode=755", 0); err != nil {
		return err
	}
	for _, path := range []string{control.Dir, "/run/lock"} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	}
	if err := mount(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), control.Dir, "", "", unix.MS_BIND); err != nil {
		return err
	}
	// The testbed's network has no name server; an empty list avoids waiting for one.
	if _, err := os.Stat("/etc/resolv.conf"); err == nil {
		if err := mount(control.NoServers, "/etc/resolv.conf", "", "", unix.MS_BIND); err != nil {
			return err
		}
	}
	return mount(control.Names, "/etc/hosts", "", "", unix.MS_BIND)
}

// mountHost gives a host its own memory and temporary files, and a view of its own
// interfaces. It keeps the view of all control groups.
func mountHost() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	for _, path := range []string{"/dev/shm", control.Local} {
		if err := mount("tmpfs", path, "tmpfs", "mode=1777", 0); err != nil {
			return err
		}
	}
	const groups = "/sys/fs/cgroup"
	dir, err := os.Open(groups)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := mount("sysfs", "/sys", "sysfs", "", 0); err != nil {
		return err
	}
	return mount(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), groups, "", "", unix.MS_BIND|unix.MS_REC)
}

func mount(source, target, kind, options string, flags uintptr) error {
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("mounting %s: %w", target, err)
	}
	return nil
}
