//go:build linux

// Package launch runs commands on the hosts of a testbed.
package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/space"
)

// Run runs a command on a host, in the caller's directory and with its
// environment, and returns the exit code, 128 + n after signal n. Signals that ask
// the caller to end are passed on; if the caller is killed, so is the command.
func Run(host string, environment []string, command ...string) (int, error) {
	return attended(host, environment, command, new(atomic.Int32))
}

// attended is Run, and notes the last signal that asked the caller to end.
func attended(host string, environment, command []string, asked *atomic.Int32) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	return run(host, "attend", os.Stdin, os.Stdout, os.Stderr, environment, command, func(p *os.Process) { go pass(signals, p, asked) })
}

// Beside runs a command in the network and file system of a host, but not at its speed: the command
// has all processors. Its output goes to a file.
func Beside(host string, output *os.File, environment []string, command ...string) (int, error) {
	return run(host, "beside", nil, output, output, environment, command, func(*os.Process) {})
}

// On is Run without a terminal, with the output in a file.
func On(host string, output *os.File, environment []string, command ...string) (int, error) {
	return run(host, "attend", nil, output, output, environment, command, func(*os.Process) {})
}

// run runs a command through a part of this program that enters the host.
func run(host, part string, in, out, problems *os.File, environment, command []string, started func(*os.Process)) (code int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock, because the thread stays in another namespace
		var call *control.Call
		if call, err = control.Ask(control.Request{Do: control.Enter, Host: host}); err != nil {
			return
		}
		call.Close()
		if err = space.StartIn(call.Files[0]); err != nil {
			return
		}
		c := exec.Command(control.Binary, append([]string{part, host}, command...)...)
		c.Env = append(os.Environ(), environment...)
		c.Stdin, c.Stdout, c.Stderr = reader(in), out, problems
		if err = c.Start(); err != nil {
			return
		}
		started(c.Process)
		code, err = codeOf(c.Wait())
	}()
	<-done
	return code, err
}

// reader is nil for no file.
func reader(file *os.File) io.Reader {
	if file == nil {
		return nil
	}
	return file
}

// pass passes signals on, except a terminal's, which the command gets too.
func pass(signals chan os.Signal, process *os.Process, asked *atomic.Int32) {
	terminal := term.IsTerminal(int(os.Stdin.Fd()))
	for s := range signals {
		asked.Store(int32(s.(syscall.Signal)))
		if terminal && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
			continue
		}
		process.Signal(s)
	}
}

func codeOf(err error) (int, error) {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return 0, err
	}
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return ended.ExitCode(), nil
}

// Job is Run for a command whose processes, on all hosts, end with it. shown is the name of the job.
// A launcher that was asked to end has failed, regardless of its code: hydra's is sometimes 0.
func Job(host string, shown, environment []string, command ...string) (int, error) {
	call, err := control.Ask(control.Request{Do: control.Job, Command: shown})
	if err != nil {
		return 0, err
	}
	defer call.Finish()
	asked := new(atomic.Int32)
	code, err := attended(host, append(environment, fmt.Sprint(control.Mark, "=", call.Job)), command, asked)
	if n := asked.Load(); n > 0 && code == 0 && err == nil {
		code = 128 + int(n)
	}
	return code, err
}

// Attend is Enter for a process started by Run or, without the host's speed, by Beside: it ends if
// its parent does.
func Attend(host string, speed bool, command []string) error {
	if err := endWithParent(); err != nil {
		return err
	}
	return enter(host, speed, command)
}

// endWithParent locks the calling goroutine to its thread.
func endWithParent() error {
	runtime.LockOSThread() // the request applies to the thread
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() == 1 { // the first process of the namespace, so the parent has ended already
		os.Exit(1)
	}
	return nil
}

// Enter moves the calling process to a host, in the same directory if the host has it, and executes a
// command in its place. It returns only if that fails.
func Enter(host string, command []string) error { return enter(host, true, command) }

func enter(host string, groups bool, command []string) error {
	runtime.LockOSThread()
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	call, err := control.Ask(control.Request{Do: control.Enter, Host: host})
	if err != nil {
		return err
	}
	spaces, doors := call.Files[1:1+len(space.HostKinds)], call.Files[1+len(space.HostKinds):]
	for _, door := range doors {
		if !groups {
			break
		}
		if _, err := door.WriteString("0"); err != nil {
			return fmt.Errorf("joining the control groups of %s: %w", host, err)
		}
	}
	if err := space.Enter(spaces); err != nil {
		return err
	}
	if err := unix.Chdir(dir); err != nil {
		return fmt.Errorf("directory %s on %s: %w", dir, host, err)
	}
	os.Setenv("HOSTNAME", host)
	os.Setenv("TMPDIR", control.Local)
	os.Setenv("PWD", dir)
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, command, os.Environ()))
}
