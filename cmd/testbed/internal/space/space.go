//go:build linux

// Package space works in namespaces of Linux.
package space

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Net is a network namespace, which lives while the file is open.
type Net struct{ File *os.File }

// NewNet makes a network namespace without IPv6 and with a loopback interface
// that is still down.
func NewNet() (Net, error) {
	var made Net
	err := onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("a network namespace: %w", err)
		}
		file, err := os.Open("/proc/thread-self/ns/net")
		made = Net{file}
		return err
	})
	return made, err
}

// NetOf is the network namespace of a process.
func NetOf(pid int) (Net, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	return Net{file}, err
}

// Do runs f in the namespace, on its own thread. Files that f opens stay in the namespace.
func (n Net) Do(f func() error) error {
	return onThread(func() error {
		if err := unix.Setns(int(n.File.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("entering a network namespace: %w", err)
		}
		return f()
	})
}

// onThread runs f on a thread that ends with it, so that f can leave it in any
// state.
func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}

// Kind is a kind of namespaces.
type Kind struct {
	Name string // below /proc/PID/ns
	flag int
}

// HostKinds are the kinds of namespaces that each host has, in an order in which they can be entered.
var HostKinds = []Kind{{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"net", unix.CLONE_NEWNET}, {"mnt", unix.CLONE_NEWNS}}

// Open opens the namespaces of a process that Enter takes.
func Open(pid int) ([]*os.File, error) {
	var files []*os.File
	for _, kind := range HostKinds {
		file, err := os.Open(fmt.Sprintf("/proc/%d/ns/%s", pid, kind.Name))
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// Enter moves the calling thread into the namespaces that Open has opened. The thread must
// be locked to its goroutine and cannot be used for anything else afterwards. Programs that
// it executes or starts are in the namespaces.
func Enter(files []*os.File) error {
	// A mount namespace can be entered only by a thread that shares its working
	// directory with no other.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err
	}
	for i, kind := range HostKinds {
		if err := unix.Setns(int(files[i].Fd()), kind.flag); err != nil {
			return fmt.Errorf("entering the %s namespace: %w", kind.Name, err)
		}
	}
	return nil
}

// StartIn puts all processes that the calling thread, which must be locked, starts from now
// on into a namespace of process identifiers.
func StartIn(processes *os.File) error {
	if err := unix.Setns(int(processes.Fd()), unix.CLONE_NEWPID); err != nil {
		return fmt.Errorf("entering the pid namespace: %w", err)
	}
	return nil
}
