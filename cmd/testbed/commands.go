//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/core"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/load"
	"github.com/migbsp/migbsp/cmd/testbed/internal/realtime"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// commands returns the commands for users.
func commands() []command {
	return []command{
		{"up", "SPEC", "brings the testbed of a file up; nothing if it is up already", true, up},
		{"down", "", "ends the testbed and all that runs on it, and leaves nothing behind", true, down},
		{"status", "[-json]", "shows hosts, their speeds as asked and as received, links and jobs", true, status},
		{"exec", "HOST COMMAND [ARGUMENT...]", "runs a command on a host", true, execute},
		{"mpirun", "[--mpich] [-n RANKS] PROGRAM [ARGUMENT...]", "runs an MPI program, by itself on all slots of all hosts", true, mpirun},
		{"set-speed", "HOST PART", "gives a host another part of its processor, such as 15%", true, setSpeed},
		{"set-rate", "LINK RATE", "gives a link (alpha-beta) or the line of a host (alpha1) another rate, such as 10Mb/s; none is no limit", true, setRate},
		{"hog", "HOST PART|off", "starts another program on a host, which wants a part of it, such as 50%; or ends it", true, hog},
		{"crash", "HOST", "kills all processes on a host, as if it were started anew", true, crash},
		{"slurm", "up|down|node [NODE down|up|drain|resume]", "starts Slurm on the hosts, with a partition for each cluster; ends it; lists its nodes or has it lose, empty or take back one", true, slurmCommand},
		{"check-speeds", "", "measures what the hosts receive of the speeds asked for", true, checkSpeeds},
		{"check", "", "says what this machine lacks to be a testbed", false, check},
	}
}

func help() string {
	var text strings.Builder
	text.WriteString("testbed emulates a cluster of clusters on this machine\n\nUsage: testbed COMMAND [ARGUMENT...]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&text, "  %s\n      %s\n", strings.TrimSpace(c.name+" "+c.arguments), c.does)
	}
	text.WriteString(`
SPEC is a file such as examples/three-clusters.testbed; docs/guide/testbed.md describes
it. Exit codes: that of the program for exec and mpirun; else 0, 1 after a failure,
2 for a wrong command line, 77 where a testbed cannot be at all.
`)
	return text.String()
}

// parts are the commands with which the testbed starts its own processes.
var parts = map[string]func(arguments []string) error{
	"core":      func(a []string) error { core.Run(a); return nil },
	"host":      func(a []string) error { core.RunHost(a[0]); return nil },
	"enter":     func(a []string) error { return launch.Enter(a[0], a[1:]) },
	"attend":    func(a []string) error { return launch.Attend(a[0], true, a[1:]) },
	"beside":    func(a []string) error { return launch.Attend(a[0], false, a[1:]) },
	"metronome": metronome,
	"delay":     delay,
	"eat":       eat,
	"work":      work,
}

func metronome(arguments []string) error {
	processors, err := core.ParseProcessors(arguments)
	if err != nil {
		return err
	}
	return realtime.Metronome(processors)
}

// delay carries packets between the tunnels that it has as files 3 and 4.
func delay(arguments []string) error {
	latency, err := time.ParseDuration(arguments[0])
	if err != nil {
		return err
	}
	return realtime.Carry(3, 4, latency)
}

func eat(arguments []string) error {
	part, err := spec.ParsePart(arguments[0])
	if err != nil {
		return err
	}
	return load.Eat(float64(part))
}

// command is a command of the testbed.
type command struct {
	name, arguments, does string
	root                  bool // only root can
	run                   func(arguments []string) error
}

func (c command) call(arguments []string) error {
	if len(arguments) == 1 && (arguments[0] == "-h" || arguments[0] == "-help" || arguments[0] == "--help") {
		fmt.Printf("testbed %s %s\n    %s\n", c.name, c.arguments, c.does)
		return nil
	}
	if c.root && os.Geteuid() != 0 {
		return exit{exitSkipped, errors.New("SKIPPED: an emulated cluster needs root on Linux")}
	}
	err := c.run(arguments)
	var code exit
	if errors.As(err, &code) && code.code == exitUsage && code.err != nil {
		return usage("%v; usage: testbed %s %s", code.err, c.name, c.arguments)
	}
	return err
}
