package probe

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// Machine is what a machine gives to the ranks that run on it.
type Machine struct {
	Host
	Cores      Cores       `json:"cores"`
	Clock      Clock       `json:"clock"`
	Speed      Speed       `json:"speed"`
	Load       Load        `json:"load"`
	Memory     Memory      `json:"memory"`
	Interfaces []Interface `json:"interfaces"`
	// Missing says what could not be found out, and why.
	Missing []string `json:"missing,omitempty"`
}

// Root has the files of this machine.
func Root() fs.FS { return os.DirFS("/") }

// This finds out all about the machine that runs the program. It watches the
// load for the given time, measures speed for about 50 ms on one core, and ends
// soon after ctx does.
func This(ctx context.Context, watch time.Duration) Machine {
	root := Root()
	m := Machine{Host: ThisHost(root), Cores: CoresOf(root), Memory: ThisMemory(root)}
	note := func(what string, err error) {
		if err != nil {
			m.Missing = append(m.Missing, what+": "+err.Error())
		}
	}
	var err error
	m.Load, err = WatchLoad(ctx, watch)
	note("load", err)
	m.Clock, err = ThreadClock()
	note("clock", err)
	m.Speed = MeasureSpeed()
	m.Interfaces, err = Interfaces(root)
	note("interfaces", err)
	return m
}

// Host names a machine.
type Host struct {
	Name      string `json:"host"`
	Platform  string `json:"platform"` // operating system and architecture, as Go names them
	Kernel    string `json:"kernel,omitempty"`
	Processor string `json:"processor,omitempty"`
}

// ThisHost is the machine with these files.
func ThisHost(root fs.FS) Host {
	h := Host{Platform: runtime.GOOS + "/" + runtime.GOARCH}
	h.Name, _ = os.Hostname()
	h.Kernel = firstLine(root, "proc/sys/kernel/osrelease")
	for _, key := range []string{"model name", "cpu model", "Processor"} {
		if h.Processor = field(root, "proc/cpuinfo", key); h.Processor != "" {
			break
		}
	}
	return h
}
