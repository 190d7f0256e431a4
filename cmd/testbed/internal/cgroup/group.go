//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Group is the control group of one host.
type Group struct {
	tree *Tree
	name string
}

// quota is the time that a group may run in each of its periods.
const quota = time.Millisecond

// Add makes the group of a host, on one processor. Its speed must still be set.
func (t *Tree) Add(host string, processor int) (*Group, error) {
	g := &Group{tree: t, name: filepath.Join(t.name, host)}
	for _, root := range t.roots() {
		if err := os.Mkdir(filepath.Join(root, g.name), 0o755); err != nil {
			return nil, err
		}
	}
	if !t.unified {
		if err := inherit(filepath.Join(t.cpuset, t.name), host, "cpuset.mems"); err != nil {
			return nil, err
		}
	}
	return g, write(filepath.Join(t.cpuset, g.name), "cpuset.cpus", strconv.Itoa(processor))
}

// Period returns the period of a group's quota at a speed.
func (g *Group) Period(speed float64) time.Duration {
	return time.Duration(float64(quota.Microseconds())/speed+0.5) * time.Microsecond
}

// SetSpeed gives the host a part of its processor.
func (g *Group) SetSpeed(speed float64) error {
	period := g.Period(speed).Microseconds()
	dir := filepath.Join(g.tree.cpu, g.name)
	if g.tree.unified {
		return write(dir, "cpu.max", fmt.Sprint(quota.Microseconds(), " ", period))
	}
	// The kernel refuses a quota above the parent's in relation to its period, and
	// the parent has none, so the order does not matter.
	return errors.Join(
		write(dir, "cpu.cfs_period_us", strconv.FormatInt(period, 10)),
		write(dir, "cpu.cfs_quota_us", strconv.FormatInt(quota.Microseconds(), 10)))
}

// Doors are files of the group; a process that writes "0" to all of them is in it.
func (g *Group) Doors() ([]*os.File, error) {
	var doors []*os.File
	for _, root := range g.tree.roots() {
		door, err := os.OpenFile(filepath.Join(root, g.name, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		doors = append(doors, door)
	}
	return doors, nil
}

// Processes returns the processes in the group, as the caller's namespace numbers them.
func (g *Group) Processes() ([]int, error) {
	text, err := os.ReadFile(filepath.Join(g.tree.cpu, g.name, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, field := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// Usage is the CPU use of a group since it was made.
type Usage struct {
	Time      time.Duration // of its processor
	Periods   int64         // with runnable processes
	Throttled int64         // throttled periods
}

// Usage reads the use of the group.
func (g *Group) Usage() (Usage, error) {
	stat, err := os.ReadFile(filepath.Join(g.tree.cpu, g.name, "cpu.stat"))
	if err != nil {
		return Usage{}, err
	}
	figures := map[string]int64{}
	for line := range strings.Lines(string(stat)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			figures[key], _ = strconv.ParseInt(value, 10, 64)
		}
	}
	u := Usage{time.Duration(figures["usage_usec"]) * time.Microsecond, figures["nr_periods"], figures["nr_throttled"]}
	if g.tree.unified {
		return u, nil
	}
	text, err := os.ReadFile(filepath.Join(g.tree.usage, g.name, "cpuacct.usage"))
	if err != nil {
		return Usage{}, err
	}
	nanoseconds, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	u.Time = time.Duration(nanoseconds)
	return u, err
}
