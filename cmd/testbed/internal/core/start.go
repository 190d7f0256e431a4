//go:build linux

package core

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/cgroup"
	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/network"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Start starts a testbed on the processors; its description may use fewer. None must be up. The lock
// is a file that the caller has locked; if the caller is killed, the core keeps it locked until it is
// up.
func Start(s *spec.Spec, text string, processors []int, lock *os.File) error {
	if err := writeFiles(s, text); err != nil {
		return err
	}
	err := spawn(processors, lock)
	if err != nil {
		return errors.Join(err, Clean())
	}
	return nil
}

// writeFiles writes the files that the core and its hosts read, all below control.Dir.
func writeFiles(s *spec.Spec, text string) error {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(control.Spec, []byte(text), 0o644),
		os.WriteFile(control.HostFile, []byte(s.HostFile()), 0o644),
		os.WriteFile(control.MachineFile, []byte(s.MachineFile()), 0o644),
		os.WriteFile(control.Names, []byte(network.Hosts(s)), 0o644),
		os.WriteFile(control.NoServers, []byte("# none\n"), 0o644),
		os.WriteFile(control.Binary, program, 0o755),
		os.Symlink(control.Binary, control.Agent))
}

// spawn starts the core, detached from the caller, and waits until it is up.
func spawn(processors []int, lock *os.File) error {
	log, err := os.OpenFile(control.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	command := exec.Command(control.Binary, "core", joinProcessors(processors))
	command.Dir = "/"
	command.Env = environment()
	command.Stdout, command.Stderr = log, log
	command.ExtraFiles = []*os.File{writer, lock}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Setsid:     true,
	}
	if err := closeOnExec(); err != nil {
		return err
	}
	err = command.Start()
	writer.Close()
	if err != nil {
		return fmt.Errorf("starting the core: %w", err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return err
	}
	if string(text) != up {
		command.Wait()
		if len(text) == 0 {
			text, _ = os.ReadFile(control.Log)
		}
		return errors.New(strings.TrimSpace(string(text)))
	}
	return command.Process.Release()
}

// closeOnExec prevents programs that this process starts from inheriting the files that it has
// inherited: the core outlives the caller, which may hold a lock on one of them. Standard input,
// output and error are set for each program.
func closeOnExec() error {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, file := range files {
		if fd, err := strconv.Atoi(file.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// environment is the environment of the testbed's own processes: without the caller's
// variables, which could make them belong to a job.
func environment() []string {
	return []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C", control.Variable + "=" + os.Getenv(control.Variable)}
}

// Stop ends the testbed, if one is up, and removes its remains or the remains of a killed one. The
// caller must hold the lock.
func Stop() error {
	pid, err := control.Core()
	if errors.Is(err, control.ErrDown) {
		return Clean()
	}
	if err != nil {
		return err
	}
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil && err != unix.ESRCH {
		return err
	}
	if err == nil {
		defer unix.Close(process)
		if err := unix.PidfdSendSignal(process, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH {
			return err
		}
		if err := awaitEnd(process); err != nil {
			return err
		}
	}
	return Clean()
}

// awaitEnd waits until a process has ended, and with it its namespace.
func awaitEnd(process int) error {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, -1)
		if err != unix.EINTR {
			return err
		}
	}
}

// Clean removes the files and control groups of a testbed that has ended. Missing ones are not an
// error.
func Clean() error { return errors.Join(CleanGroups(), os.RemoveAll(control.Dir)) }

// CleanGroups removes only the control groups.
func CleanGroups() error {
	tree, err := cgroup.Find(control.Name)
	if err != nil {
		return err
	}
	return tree.Remove()
}
