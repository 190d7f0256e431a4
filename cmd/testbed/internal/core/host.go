//go:build linux

package core

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/cgroup"
	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/space"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// host is one of a testbed. Its namespaces live in a process that only holds them; the
// programs that it runs are in its control group.
type host struct {
	spec.Host
	cluster   string
	address   string
	processor int
	group     *cgroup.Group
	pid       int // of the process with the namespaces, 0 once that has ended
	before    cgroup.Usage
	hog       spec.Speed
	hogPid    int
}

// startHosts starts the processes of all hosts and waits until they are ready.
func (c *Core) startHosts() error {
	readers := make([]*os.File, len(c.hosts))
	for i, h := range c.hosts {
		reader, writer, err := os.Pipe()
		if err != nil {
			return err
		}
		defer reader.Close()
		h.pid, err = c.children.startWith(&syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWNS,
		}, []*os.File{writer}, func() { c.hostEnded(h) }, "host", h.Name)
		writer.Close()
		if err != nil {
			return fmt.Errorf("host %s: %w", h.Name, err)
		}
		readers[i] = reader
	}
	for i, h := range c.hosts {
		if text, _ := io.ReadAll(readers[i]); string(text) != up {
			return fmt.Errorf("host %s: %s", h.Name, text)
		}
	}
	return nil
}

// RunHost is the process of a host.
func RunHost(name string) {
	answer := os.NewFile(ready, "ready")
	err := errors.Join(mountHost(), unix.Sethostname([]byte(name)))
	if err != nil {
		fmt.Fprint(answer, err)
		os.Exit(1)
	}
	fmt.Fprint(answer, up)
	answer.Close()
	for {
		unix.Pause()
	}
}

// hostEnded ends all programs on a host that has lost its process.
func (c *Core) hostEnded(h *host) {
	c.lock.Lock()
	defer c.lock.Unlock()
	h.pid, h.hog = 0, 0
	h.killAll()
}

// killAll kills processes in the host's group until the group is empty.
func (h *host) killAll() {
	for {
		pids, err := h.group.Processes()
		if err != nil || len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			unix.Kill(pid, unix.SIGKILL)
		}
		pause()
	}
}

// doors returns the files with which a process enters the host, in the order of control.Enter.
func (h *host) doors() ([]*os.File, error) {
	if h.pid == 0 {
		return nil, fmt.Errorf("host %s is gone, for its process was killed; take the testbed down and bring it up again", h.Name)
	}
	processes, err := os.Open("/proc/self/ns/pid")
	if err != nil {
		return nil, err
	}
	spaces, err := space.Open(h.pid)
	if err != nil {
		return nil, err
	}
	groups, err := h.group.Doors()
	return slices.Concat([]*os.File{processes}, spaces, groups), err
}

// setSpeed gives the host a part of its processor, and its hog a part of that.
func (h *host) setSpeed(speed spec.Speed) error {
	if err := h.group.SetSpeed(float64(speed)); err != nil {
		return err
	}
	h.Speed = speed
	var err error
	h.before, err = h.group.Usage()
	return err
}

// state returns the host's state for commands.
func (h *host) state() (control.Host, error) {
	now, err := h.group.Usage()
	if err != nil {
		return control.Host{}, err
	}
	pids, err := h.group.Processes()
	if err != nil {
		return control.Host{}, err
	}
	s := control.Host{
		Name: h.Name, Cluster: h.cluster, Address: h.address, Processor: h.processor, Slots: h.Slots,
		Speed: h.Speed, Used: now.Time, Hog: h.hog, Processes: len(pids), Up: h.pid != 0,
	}
	if periods := float64(now.Periods - h.before.Periods); periods > 0 {
		s.Received = spec.Speed((now.Time - h.before.Time).Seconds() / (periods * h.group.Period(float64(h.Speed)).Seconds()))
		s.Throttled = float64(now.Throttled-h.before.Throttled) / periods
	}
	return s, nil
}

// setHog ends the host's hog, if any, and starts a hog that uses a part of the host, unless part is
// 0.
func (c *Core) setHog(h *host, part spec.Speed) error {
	if h.hogPid != 0 {
		unix.Kill(h.hogPid, unix.SIGKILL)
	}
	h.hog, h.hogPid = 0, 0
	if part == 0 {
		return nil
	}
	if h.pid == 0 {
		_, err := h.doors()
		return err
	}
	pid, err := c.children.startWith(nil, nil, nil, "enter", h.Name, control.Binary, "eat", (part * h.Speed).String())
	if err == nil {
		h.hog, h.hogPid = part, pid
	}
	return err
}
