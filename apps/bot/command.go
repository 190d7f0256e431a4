package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limits is the resource limits of a child process.
type limits struct {
	Time   time.Duration // 0: any
	Output int           // bytes on each of its outputs
}

// command runs a child process for a task. Its words are those after the flags, in which {} is
// replaced by the task's input and {#} by its number from 1. If no word contains {}, the input is
// appended as a word.
type command struct {
	words  []string
	limits limits
}

// line is the command line of a task.
func (c *command) line(task int, input string) []string {
	words, placed := make([]string, 0, len(c.words)+1), false
	for _, w := range c.words {
		placed = placed || strings.Contains(w, "{}")
		w = strings.ReplaceAll(w, "{#}", strconv.Itoa(task+1))
		words = append(words, strings.ReplaceAll(w, "{}", input))
	}
	if !placed && input != "" {
		words = append(words, input)
	}
	return words
}

// look is the time between two checks whether the task is still needed.
const look = 20 * time.Millisecond

func (c *command) run(task int, input string, stopped func() bool) (outcome, bool) {
	words := c.line(task, input)
	out, errs := &limited{room: c.limits.Output, over: make(chan struct{})}, &limited{room: c.limits.Output, over: make(chan struct{})}
	child := exec.Command(words[0], words[1:]...)
	child.Stdout, child.Stderr = out, errs
	child.WaitDelay = time.Second // for processes that the child has started and left behind
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- running.wait(child, begun) }()
	<-begun
	var late <-chan time.Time
	if c.limits.Time > 0 {
		late = time.After(c.limits.Time)
	}
	problem := ""
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if problem == "" && err != nil {
				problem = c.problem(words[0], err)
			}
			return outcome{Task: task, Out: out.data(), Err: errs.data(), Problem: problem}, true
		case <-late:
			problem = fmt.Sprintf("was ended after %v (-timeout)", c.limits.Time)
			running.kill(child)
		case <-out.over:
			problem, out.over = fmt.Sprintf("wrote more than %d bytes (-max-output)", c.limits.Output), nil
			running.kill(child)
		case <-errs.over:
			problem, errs.over = fmt.Sprintf("wrote more than %d bytes to its standard error (-max-output)", c.limits.Output), nil
			running.kill(child)
		case <-tick.C:
			if stopped() {
				running.kill(child)
				<-ended
				return outcome{}, false
			}
		}
	}
}

// problem describes the bad end of a child.
func (c *command) problem(name string, err error) string {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return fmt.Sprintf("exit code %d", exit.ExitCode())
	case errors.As(err, &exit):
		return exit.Error()
	case errors.Is(err, exec.ErrWaitDelay):
		return "" // a process that it left behind still had its outputs
	default:
		if cause := errors.Unwrap(err); cause != nil {
			err = cause
		}
		return fmt.Sprintf("%s: %v", name, err)
	}
}

// limited keeps written bytes, up to room; then it closes over, once, and drops the rest.
type limited struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	room int
	full bool
	over chan struct{}
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.room - l.buf.Len(); n < len(p) {
		l.buf.Write(p[:n])
		if !l.full {
			l.full = true
			close(l.over)
		}
	} else {
		l.buf.Write(p)
	}
	return len(p), nil
}

func (l *limited) data() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.buf.Bytes())
}

// children tracks the processes of tasks that run on this rank.
type children struct {
	mu    sync.Mutex
	pids  map[int]bool
	ended bool // none may begin any more
}

var running = children{pids: make(map[int]bool)}

var errEnding = errors.New("the program is ending")

// wait runs a child to its end, and closes begun when it runs, or cannot.
func (c *children) wait(child *exec.Cmd, begun chan<- struct{}) error {
	defer tied(child)() // before it starts: it ends with the thread that starts it
	err := c.start(child)
	close(begun)
	if err != nil {
		return err
	}
	err = child.Wait()
	c.mu.Lock()
	delete(c.pids, child.Process.Pid)
	c.mu.Unlock()
	return err
}

func (c *children) start(child *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return errEnding
	}
	err := child.Start()
	if err == nil {
		c.pids[child.Process.Pid] = true
	}
	return err
}

// kill ends a child, and the processes that it has started.
func (c *children) kill(child *exec.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if child.Process != nil && c.pids[child.Process.Pid] {
		killGroup(child.Process.Pid)
	}
}

// killAll ends all of them, because the program ends.
func (c *children) killAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for pid := range c.pids {
		killGroup(pid)
	}
}
