package survey

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// MachineSchema names the form of a Machine in JSON. Within it fields are only
// added.
const MachineSchema = "migbsp.machine/1"

// Machine describes a machine to the ranks that run on it.
type Machine struct {
	Host
	Cores     probe.Cores     `json:"cores"`
	Clock     probe.Clock     `json:"clock"`
	Available probe.Available `json:"available"`
	Speed     probe.Speed     `json:"speed"`
	Load      Load            `json:"load"`
	// Throttling counts since the control group exists, and ThrottlingBusy while Available
	// was measured; nil if no group counts.
	Throttling     *Throttling  `json:"throttling,omitempty"`
	ThrottlingBusy *Throttling  `json:"throttling_busy,omitempty"`
	Memory         probe.Memory `json:"memory"`
	Interfaces     []Interface  `json:"interfaces,omitempty"`
	// Missing names the figures that could not be found, with the reasons.
	Missing []string `json:"missing,omitempty"`
}

// busyFor is the time for which a core is kept busy to measure a thread's share of it: two
// periods of most quotas.
const busyFor = 200 * time.Millisecond

// This measures the machine that runs the program. It watches load and network for the given time,
// then computes for about a quarter of a second on one core. It ends soon after ctx does.
func This(ctx context.Context, watch time.Duration) Machine {
	l := lookAt(probe.Root())
	l.machine.Memory = probe.ThisMemory(l.root)
	l.network(func() { l.load(ctx, watch) })
	l.compute(ctx)
	return l.machine
}

// look is the survey of a machine so far.
type look struct {
	root    fs.FS
	machine Machine
}

// lookAt reads the files of a machine, and notes files that cannot be read.
func lookAt(root fs.FS) *look {
	l := &look{root, Machine{Host: ThisHost(root), Cores: probe.CoresOf(root)}}
	for _, file := range [][2]string{{"affinity", "proc/self/status"}, {"control groups", "proc/self/cgroup"}} {
		_, err := fs.ReadFile(root, file[1])
		l.note(file[0], err)
	}
	return l
}

// note notes a missing figure.
func (l *look) note(what string, err error) {
	if err != nil {
		l.machine.Missing = append(l.machine.Missing, what+": "+err.Error())
	}
}

// load watches other programs. This process computes nothing meanwhile.
func (l *look) load(ctx context.Context, watch time.Duration) {
	var err error
	l.machine.Load, err = watchLoad(ctx, l.root, watch)
	l.note("load", err)
}

// network counts the traffic of the interfaces while do runs.
func (l *look) network(do func()) {
	before, errBefore := Interfaces(l.root)
	begin := time.Now()
	do()
	over := time.Since(begin)
	var err error
	l.machine.Interfaces, err = Interfaces(l.root)
	l.note("interfaces", cmp.Or(err, errBefore))
	if errBefore == nil && err == nil {
		l.machine.Missing = append(l.machine.Missing, addFlows(before, l.machine.Interfaces, over)...)
	}
}

// compute measures the speed of a core, and this thread's share of it.
func (l *look) compute(ctx context.Context) {
	before := throttledGroups(l.root)
	var err error
	l.machine.Available, err = probe.MeasureAvailable(ctx, busyFor)
	l.note("available", err)
	after := throttledGroups(l.root)
	l.machine.Throttling, l.machine.ThrottlingBusy = after.worst(nil), after.worst(before)
	l.machine.Clock, err = probe.ThreadClock()
	l.note("clock", err)
	l.machine.Speed = probe.MeasureSpeed()
}

// Host names a machine.
type Host struct {
	Name      string `json:"host"`
	Platform  string `json:"platform"` // operating system and architecture, as Go names them
	Kernel    string `json:"kernel,omitempty"`
	Processor string `json:"processor,omitempty"`
}

// ThisHost returns the machine with these files.
func ThisHost(root fs.FS) Host {
	h := Host{Platform: runtime.GOOS + "/" + runtime.GOARCH}
	h.Name, _ = os.Hostname()
	h.Kernel = kernel.FirstLine(root, "proc/sys/kernel/osrelease")
	h.Processor = probe.Processor(root)
	return h
}
