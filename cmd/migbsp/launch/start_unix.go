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
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/loss"
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

// Start runs a launcher to its end and returns the outcome of the run. If a loss comes into the
// inbox, Start prints its line, drops the launcher's further output, and returns the code
// bsplib.ExitLost, regardless of the launcher's code. It ends a launcher that waits for a host that
// does not answer, and so does not end by itself.
//
// The launcher is in its own process group, so that a signal reaches it once, from here, whether it
// comes from a terminal or another process. It does not read a terminal itself, which would stop
// it; typed text is passed on to it.
//
// If surviving is set, the caller starts the launcher again after a loss, and a first signal that
// asks for an end asks running ranks for a checkpoint. A second one ends the run at once.
func (l Launcher) Start(line []string, box *loss.Inbox, surviving bool) (o Outcome, err error) {
	signals := make(chan os.Signal, 8)
	for _, s := range passed {
		if !signal.Ignored(s) { // a signal that nohup ignores stays ignored, also in started programs
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	c := exec.Command(line[0], line[1:]...)
	c.Env = append(os.Environ(), box.Environment())
	said := &listener{to: os.Stderr, goesOn: surviving}
	if l.MPI.hydra() {
		said.own = []string{"[mpiexec@", "[proxy:"}
	}
	c.Stdout, c.Stderr = os.Stdout, said
	c.WaitDelay = insisting
	c.SysProcAttr = ownGroup()
	typed := io.WriteCloser(nil)
	if term.IsTerminal(int(os.Stdin.Fd())) {
		if typed, err = c.StdinPipe(); err != nil {
			return o, err
		}
	} else {
		c.Stdin = os.Stdin
	}
	// A launcher ends with the thread that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.Start(); err != nil {
		return o, err
	}
	var made, ran, stopping atomic.Bool // the launcher was made to end; ranks have run; they write their last checkpoint
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for of := box.Look(); ; of = box.Look() {
			if box.Attended() {
				ran.Store(true)
			}
			if of != nil {
				said.report(of)
				time.AfterFunc(leaving, func() { made.Store(c.Process.Signal(syscall.SIGTERM) == nil) })
				time.AfterFunc(leaving+insisting, func() { c.Process.Kill() })
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(looking):
			}
		}
	})
	if typed != nil {
		signal.Ignore(syscall.SIGTTIN) // for where this runs in the background
		go func() {
			io.Copy(typed, os.Stdin)
			typed.Close()
		}()
	}
	asked, saving := make(chan syscall.Signal, 1), surviving
	go func() {
		for s := range signals {
			ends := slices.Index(passed, s) < ending
			if ends && saving && ran.Load() && !made.Load() {
				saving = false
				fmt.Fprintf(os.Stderr, "migbsp run: %v: the run ends when it has written a checkpoint; another signal ends it at once\n", s)
				c.Process.Signal(syscall.SIGUSR1)
				stopping.Store(true)
				continue
			}
			if ends {
				select {
				case asked <- s.(syscall.Signal):
				default: // the first counts
				}
			}
			c.Process.Signal(l.instead(s.(syscall.Signal)))
		}
	}()
	err = c.Wait()
	close(ended)
	watching.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay) {
		said.finish()
		return o, err
	}
	o.Ran, o.Asked = ran.Load(), stopping.Load()
	select {
	case s := <-asked:
		said.finish()
		o.Asked, o.Code = true, 128+int(s)
		return o, nil
	default:
	}
	if said.loss() == nil && !c.ProcessState.Success() {
		if of := box.Await(reporting); of != nil {
			said.report(of)
		}
	}
	said.finish()
	if made.Load() {
		fmt.Fprintf(os.Stderr, "migbsp run: %s did not end by itself and was ended\n", filepath.Base(line[0]))
	}
	o.Loss = said.loss()
	switch status, _ := c.ProcessState.Sys().(syscall.WaitStatus); {
	case o.Loss != nil:
		o.Code = bsplib.ExitLost
	case status.Signaled():
		o.Code, o.Killed = 128+int(status.Signal()), status.Signal() == syscall.SIGKILL
	default:
		o.Code = l.code(c.ProcessState.ExitCode())
	}
	return o, nil
}

// looking is the pause between two looks for a loss while the launcher runs.
const looking = 100 * time.Millisecond

// instead returns the signal that a launcher is given: at an interrupt, hydra explains that a
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
