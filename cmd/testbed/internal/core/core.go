//go:build linux

// Package core holds a testbed: a process with its own namespaces, whose children are all
// other processes of the testbed. When it ends, for any reason, the kernel ends all
// processes of the testbed, and with them its namespaces and interfaces; only empty control
// groups and the files below control.Dir remain.
package core

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/cgroup"
	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/network"
	"github.com/migbsp/migbsp/cmd/testbed/internal/space"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Core is a testbed that is up.
type Core struct {
	spec     *spec.Spec
	net      *network.Net
	children *children
	since    time.Time

	lock  sync.Mutex // of all that requests change
	hosts []*host
	jobs  map[int]*job
	last  int // job
}

// Files that a process of the testbed is started with.
const (
	ready  = 3 // reports that it is up, or its error
	locked = 4 // the core only: while this is open, no other testbed can start
)

// Run is the process that Start starts. It ends only with the testbed.
func Run(arguments []string) {
	unix.CloseOnExec(ready)
	unix.CloseOnExec(locked)
	answer := os.NewFile(ready, "ready")
	core, listener, err := build(arguments)
	if err != nil {
		fmt.Fprint(answer, err)
		os.Exit(1)
	}
	fmt.Fprint(answer, up)
	answer.Close()
	unix.Close(locked)
	core.serve(listener)
}

// up is the core's report that it is up.
const up = "up"

func build(arguments []string) (*Core, *net.UnixListener, error) {
	processors, err := ParseProcessors(arguments)
	if err != nil {
		return nil, nil, err
	}
	s, err := spec.Read(control.Spec)
	if err != nil {
		return nil, nil, err
	}
	places, err := s.Place(processors)
	if err != nil {
		return nil, nil, err
	}
	if err := mountCore(); err != nil {
		return nil, nil, err
	}
	c := &Core{spec: s, children: newChildren(), since: time.Now(), jobs: map[int]*job{}}
	if err := c.addHosts(places); err != nil {
		return nil, nil, err
	}
	if err := c.connect(); err != nil {
		return nil, nil, err
	}
	if err := c.children.start(nil, "metronome", joinProcessors(places)); err != nil {
		return nil, nil, err
	}
	listener, err := control.Listen()
	return c, listener, err
}

// addHosts makes the control groups and starts the processes of all hosts.
func (c *Core) addHosts(places []int) error {
	tree, err := cgroup.Find(control.Name)
	if err != nil {
		return err
	}
	if err := tree.Join(); err != nil {
		return err
	}
	if err := tree.Create(); err != nil {
		return err
	}
	for cluster, described := range c.spec.Clusters {
		for i, h := range described.Hosts {
			made := &host{
				Host:      h,
				cluster:   described.Name,
				address:   network.HostAddress(cluster, i).String(),
				processor: places[len(c.hosts)],
			}
			if made.group, err = tree.Add(h.Name, made.processor); err != nil {
				return err
			}
			if err := made.setSpeed(h.Speed); err != nil {
				return err
			}
			c.hosts = append(c.hosts, made)
		}
	}
	return c.startHosts()
}

// connect builds the network between the hosts.
func (c *Core) connect() error {
	var spaces []space.Net
	for _, h := range c.hosts {
		ns, err := space.NetOf(h.pid)
		if err != nil {
			return err
		}
		spaces = append(spaces, ns)
	}
	var err error
	c.net, err = network.Build(c.spec, spaces, func(latency time.Duration, a, b *os.File) error {
		defer a.Close()
		defer b.Close()
		return c.children.start([]*os.File{a, b}, "delay", latency.String())
	})
	return err
}

// ParseProcessors reads the argument of the core and of its metronome.
func ParseProcessors(arguments []string) ([]int, error) {
	if len(arguments) != 1 {
		return nil, fmt.Errorf("%d arguments, expected the processors", len(arguments))
	}
	var processors []int
	for _, text := range strings.Split(arguments[0], ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		processors = append(processors, n)
	}
	return processors, nil
}

// joinProcessors names each processor once.
func joinProcessors(processors []int) string {
	var texts []string
	seen := map[int]bool{}
	for _, p := range processors {
		if !seen[p] {
			texts = append(texts, strconv.Itoa(p))
		}
		seen[p] = true
	}
	return strings.Join(texts, ",")
}
