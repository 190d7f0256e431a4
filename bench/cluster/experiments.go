package main

import (
	"fmt"
	"path"
	"strings"
)

// experiment is a program on a testbed, and an event there during the run.
type experiment struct {
	name    string
	testbed string // its description
	program string // its package
	args    []string
	procs   int
	even    bool   // all processes compute the same in each superstep, and messages matter little
	event   *event // nil: no event
	alone   bool   // one host alone would do it sooner: it is asked too, see gathered.go
}

// event is something that happens once a part of the supersteps is done.
type event struct {
	after   float64
	command []string // to the testbed
	host    string   // whose speed it changes, "" if it changes none
	speed   float64  // to this
	link    bool     // it changes a link
}

// scenario is a way to run an experiment.
type scenario struct {
	name    string
	balance string
}

// scenarios are i: without rescheduling; ii: deciding without moving; iii: with
// moves, by several strategies.
var scenarios = []scenario{
	{"i off", "off"},
	{"ii auto", "auto,moves=0"},
	{"iii percent", "percent"},
	{"iii mighull", "mighull"},
	{"iii auto", "auto"},
}

// moving is the first scenario in which processes move.
var moving = 2

const (
	unequal  = "examples/three-clusters.testbed"
	balanced = "examples/equal-clusters.testbed"
)

// computing is a synthetic program of 16 equal processes, each of which computes for some
// 10 ms of a core's time in a superstep, and sends little.
func computing(name, testbed string, e *event) experiment {
	return experiment{name: "computing, " + name, testbed: testbed, program: "./bench/load", procs: 16, args: work, even: true, event: e}
}

// wandering is the first program with a front of more work, which goes round all processes once.
func wandering(name, testbed string) experiment {
	args := []string{"-pattern", "wave", "-size", "20000", "-grain", "70", "-steps", "200"}
	return experiment{name: "computing, " + name, testbed: testbed, program: "./bench/load", procs: 16, args: args}
}

var work = []string{"-pattern", "even", "-size", "20000", "-grain", "150", "-steps", "200"}

// messages is the same program with less to compute, in which each process sends values
// values to one that is far away, at first in another cluster.
func messages(name, testbed string, values int, e *event) experiment {
	args := []string{"-pattern", "even", "-size", "5000", "-grain", "240", "-steps", "200", "-stride", "8", "-halo", fmt.Sprint(values)}
	return experiment{name: "messages, " + name, testbed: testbed, program: "./bench/load", procs: 16, args: args, event: e}
}

// lu is the application, with whole columns on each process so that pivoting asks
// for no messages.
func lu(name, testbed string, e *event) experiment {
	args := []string{"-n", "1600", "-block", "32", "-grid", "1x16"}
	return experiment{name: "lu, " + name, testbed: testbed, program: "./apps/lu", procs: 16, args: args, event: e}
}

// gathering is a program whose processes send so much that one host alone would be faster.
// Its supersteps are the same on any mapping.
func gathering(program string, args ...string) experiment {
	name := strings.Join(append([]string{path.Base(program)}, args...), " ")
	return experiment{name: "gathering, " + name, testbed: unequal, program: program, procs: 16, args: args, alone: true}
}

var experiments = []experiment{
	computing("unequal speeds", unequal, nil),
	messages("unequal speeds", unequal, 2000, nil),
	lu("unequal speeds", unequal, nil),
	computing("a host slowed to 25%", balanced, slowed),
	computing("a hog on a host", balanced, hogged),
	messages("a link throttled", balanced, 100, throttled),
	wandering("a front that wanders", balanced),
	computing("balanced", balanced, nil),
	messages("balanced", balanced, 100, nil),
	gathering("./apps/fft"),
	gathering("./apps/lu", "-n", "2000", "-panels", "gathered"),
}

// What happens on the balanced testbed, whose hosts have a fifth of a core each.
var (
	slowed = &event{after: 0.4, command: []string{"set-speed", "alpha2", "5%"}, host: "alpha2", speed: 0.05}
	hogged = &event{after: 0.4, command: []string{"hog", "alpha2", "100%"}, host: "alpha2", speed: 0.10}

	throttled = &event{after: 0.4, command: []string{"set-rate", "alpha-beta", "1Mb/s"}, link: true}
)
