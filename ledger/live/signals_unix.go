//go:build unix

package live

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// handled are the signals that a view must know of: what ends it would leave the
// terminal unusable.
var handled = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT}

func isResize(s os.Signal) bool   { return s == syscall.SIGWINCH }
func isStop(s os.Signal) bool     { return s == syscall.SIGTSTP }
func isContinue(s os.Signal) bool { return s == syscall.SIGCONT }

// stopAll asks the processes of the job to stop, as the terminal would.
func stopAll() { syscall.Kill(0, syscall.SIGTSTP) }

// stopSelf stops this process until it is told to go on, unless there is nobody
// who could. It returns a signal that came meanwhile and means something else,
// nil if there was none.
func stopSelf(signals <-chan os.Signal) os.Signal {
	const stopping = 200 * time.Millisecond // until a stop takes effect
	signal.Reset(syscall.SIGTSTP)
	syscall.Kill(syscall.Getpid(), syscall.SIGTSTP)
	for {
		select {
		case s := <-signals:
			switch s {
			case syscall.SIGCONT:
				return nil
			case syscall.SIGTSTP, syscall.SIGWINCH:
			default:
				return s
			}
		case <-time.After(stopping):
			return nil
		}
	}
}
