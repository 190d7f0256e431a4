//go:build linux

package core

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
)

// children are the processes that the core has started. The core also waits for orphans,
// because it is the first process of its namespace.
type children struct {
	lock  sync.Mutex
	ended map[int]func() // by process
}

func newChildren() *children {
	c := &children{ended: map[int]func(){}}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCHLD)
	go func() {
		for range signals {
			c.bury()
		}
	}()
	return c
}

// bury takes note of all processes that have ended.
func (c *children) bury() {
	for {
		c.lock.Lock()
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		ended := c.ended[pid]
		if pid > 0 {
			delete(c.ended, pid)
		}
		c.lock.Unlock()
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if ended != nil {
			go ended()
		}
	}
}

// start starts this program with arguments. The core ends if the process does: without it
// the testbed would be wrong.
func (c *children) start(files []*os.File, arguments ...string) error {
	_, err := c.startWith(nil, files, func() { os.Exit(1) }, arguments...)
	return err
}

// startWith starts this program in its own session, with files from number 3 on, and calls
// ended, if it is not nil, when the program has ended.
func (c *children) startWith(attributes *syscall.SysProcAttr, files []*os.File, ended func(), arguments ...string) (int, error) {
	if attributes == nil {
		attributes = &syscall.SysProcAttr{}
	}
	attributes.Setsid = true
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	numbers := []uintptr{null.Fd(), 1, 2}
	for _, file := range files {
		numbers = append(numbers, file.Fd())
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	pid, err := syscall.ForkExec(control.Binary, append([]string{control.Binary}, arguments...), &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: numbers, Sys: attributes,
	})
	if err == nil && ended != nil {
		c.ended[pid] = ended
	}
	return pid, err
}

// pause waits between two checks of a condition.
func pause() { time.Sleep(2 * time.Millisecond) }
