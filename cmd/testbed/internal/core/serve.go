//go:build linux

package core

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// serve answers requests for ever.
func (c *Core) serve(listener *net.UnixListener) {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			fmt.Fprintln(os.Stderr, "core:", err)
			os.Exit(1)
		}
		go c.answer(conn)
	}
}

func (c *Core) answer(conn *net.UnixConn) {
	defer conn.Close()
	var request control.Request
	if _, err := control.Receive(conn, &request); err != nil {
		return // a caller that only checks whether the core is there
	}
	if request.Do == control.Job {
		c.runJob(conn, request.Command)
		return
	}
	reply, files, err := c.do(request)
	if err != nil {
		reply = control.Reply{Error: err.Error()}
	}
	control.Send(conn, reply, files)
	for _, file := range files {
		file.Close()
	}
}

// do carries out a request.
func (c *Core) do(request control.Request) (reply control.Reply, files []*os.File, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	switch request.Do {
	case control.Status:
		reply.Status, err = c.state()
		return reply, nil, err
	case control.EndSlurm:
		if !killAll(slurmHas) {
			err = errors.New("some processes of Slurm or its jobs do not end; end the testbed to be rid of them")
		}
		return reply, nil, err
	case control.SetRate:
		return reply, nil, c.net.SetRate(request.Line, request.Rate)
	}
	h, err := c.host(request.Host)
	if err != nil {
		return reply, nil, err
	}
	switch request.Do {
	case control.Enter:
		files, err = h.doors()
	case control.SetSpeed:
		err = c.setSpeed(h, request.Speed)
	case control.Hog:
		err = c.setHog(h, request.Speed)
	case control.Crash:
		h.hog, h.hogPid = 0, 0
		h.killAll()
	default:
		err = fmt.Errorf("request %q is not known to the testbed that is up", request.Do)
	}
	return reply, files, err
}

func (c *Core) host(name string) (*host, error) {
	var names []string
	for _, h := range c.hosts {
		if h.Name == name {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return nil, fmt.Errorf("there is no host %q; there are %s", name, strings.Join(names, ", "))
}

// setSpeed gives a host another speed, if its processor has that much left.
func (c *Core) setSpeed(h *host, speed spec.Speed) error {
	sum := speed
	for _, other := range c.hosts {
		if other != h && other.processor == h.processor {
			sum += other.Speed
		}
	}
	if !spec.Fits(sum) {
		return fmt.Errorf("speed %v of %s makes %v of processor %d given away, expected at most %v", speed, h.Name, sum, h.processor, spec.MaxSpeed)
	}
	if err := h.setSpeed(speed); err != nil {
		return err
	}
	return c.setHog(h, h.hog)
}

func (c *Core) state() (*control.State, error) {
	s := &control.State{Since: c.since, HostFile: control.HostFile}
	for _, h := range c.hosts {
		state, err := h.state()
		if err != nil {
			return nil, err
		}
		s.Hosts = append(s.Hosts, state)
	}
	latencies := map[string]control.Line{}
	for _, l := range c.spec.Links {
		latencies[c.spec.LinkName(l)] = control.Line{Latency: l.Latency}
	}
	for _, line := range c.net.Rates() {
		s.Lines = append(s.Lines, control.Line{Name: line.Line, Rate: line.Rate, Latency: latencies[line.Line].Latency})
	}
	for _, j := range c.jobs {
		s.Jobs = append(s.Jobs, control.Started{Number: j.number, Command: j.command, Since: j.since, Processes: len(processes(j.has))})
	}
	slices.SortFunc(s.Jobs, func(a, b control.Started) int { return a.Number - b.Number })
	return s, nil
}
