//go:build unix

package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/migbsp/migbsp/bsplib"
)

// Replace makes this process a program, with the same environment and signals.
func Replace(path string, args []string) error {
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// passed are the signals that are passed on to the launcher; those that ask for an end come
// first.
var passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}

// ending is the number of passed signals that ask for an end.
const ending = 4

// Start runs a launcher to its end and returns the exit code of the run. After the loss of
// a rank the code is bsplib.ExitLost, whatever the launcher makes of it; and a launcher
// that waits for a host that does not answer, and so does not end by itself, is ended. Of
// its output after the loss only one line is shown, with the file that has all of it.
//
// The launcher is in its own process group, so that a signal reaches it once, from here,
// whether it comes from a terminal or another process. It does not read a terminal itself,
// which would stop it; typed text is passed on to it.
func (l Launcher) Start(line []string) (code int, err error) {
	signals := make(chan os.Signal, 8)
	for _, s := range passed {
		if !signal.Ignored(s) { // a signal that nohup ignores stays ignored, also in started programs
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	c := exec.Command(line[0], line[1:]...)
	said := &listener{to: os.Stderr}
	c.Stdout, c.Stderr = os.Stdout, said
	c.WaitDelay = insisting
	c.SysProcAttr = ownGroup()
	typed := io.WriteCloser(nil)
	if term.IsTerminal(int(os.Stdin.Fd())) {
		if typed, err = c.StdinPipe(); err != nil {
			return 0, err
		}
	} else {
		c.Stdin = os.Stdin
	}
	// A launcher ends with the thread that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.Start(); err != nil {
		return 0, err
	}
	var made atomic.Bool // to end
	said.onLost(func() {
		time.AfterFunc(leaving, func() { made.Store(c.Process.Signal(syscall.SIGTERM) == nil) })
		time.AfterFunc(leaving+insisting, func() { c.Process.Kill() })
	})
	if typed != nil {
		signal.Ignore(syscall.SIGTTIN) // for where this runs in the background
		go func() {
			io.Copy(typed, os.Stdin)
			typed.Close()
		}()
	}
	asked := make(chan syscall.Signal, 1)
	go func() {
		for s := range signals {
			if slices.Index(passed, s) < ending {
				select {
				case asked <- s.(syscall.Signal):
				default: // the first counts
				}
			}
			c.Process.Signal(l.instead(s.(syscall.Signal)))
		}
	}()
	err = c.Wait()
	sayLast(filepath.Base(line[0]), made.Load(), said.close())
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && !errors.Is(err, exec.ErrWaitDelay) {
		return 0, err
	}
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	select {
	case s := <-asked:
		return 128 + int(s), nil
	default:
	}
	if said.hasLost() {
		return bsplib.ExitLost, nil
	}
	if status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return l.code(c.ProcessState.ExitCode()), nil
}

// sayLast says how a launcher that has lost a rank ended, and which file has its last
// output.
func sayLast(launcher string, made bool, words string) {
	switch {
	case made && words != "":
		fmt.Fprintf(os.Stderr, "migbsp run: %s did not end by itself and was ended; its last words are in %s\n", launcher, words)
	case made:
		fmt.Fprintf(os.Stderr, "migbsp run: %s did not end by itself and was ended\n", launcher)
	case words != "":
		fmt.Fprintf(os.Stderr, "migbsp run: the last words of %s are in %s\n", launcher, words)
	}
}

// instead is the signal that a launcher is given: at an interrupt, hydra explains that a
// second one would kill it.
func (l Launcher) instead(s syscall.Signal) syscall.Signal {
	if l.MPI.hydra() && s == syscall.SIGINT {
		return syscall.SIGTERM
	}
	return s
}

// fatal are the signals that end programs which do not handle them. 13 is the signal of a
// pipe without readers.
var fatal = []syscall.Signal{syscall.SIGILL, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGTERM}

// code returns a program's exit code from its launcher's: after a signal hydra's is the
// number of the signal.
func (l Launcher) code(code int) int {
	if l.MPI.hydra() && slices.Contains(fatal, syscall.Signal(code)) {
		return 128 + code
	}
	return code
}
