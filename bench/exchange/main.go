// Exchange simulates how the ends of supersteps grow with nodes, message by message: by the
// plan that package mpi follows (mpi/rounds), beside barriers and exchanges by hand. With
// -measure it measures the same on this machine, and compares.
//
//	go run ./bench/exchange
//	go run ./bench/exchange -network infiniband -set L=1.2,o=0.4 -nodes 128,1024 -ranks 48
//	go run ./bench/exchange -measure
//	sudo go run ./bench/exchange -testbed
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	nodes, ranks []int
	halo, all    int // bytes of a piece
	networks     []network
	most         int // ranks that are simulated one by one
	svg          string
	measure      bool
	testbed      bool
	mpirun       string
}

func main() { program.Main() }

var program = frame.Program{
	Name: "exchange", Rounds: 3, MPI: true, Flags: define,
	Uses: []string{"./bench/exchange/ranks", "./cmd/testbed"},
	About: "Simulates the ends of supersteps for more and more nodes, message by message, beside\n" +
		"barriers and exchanges by hand. With -measure or -testbed it measures them on this machine,\n" +
		"with the launcher of an MPI, and simulates what it has measured.",
}

// largest bounds what is simulated.
const largest = 1 << 16

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{nodes: []int{16, 64, 256, 1024, 4096}, ranks: []int{1, 4, 16, 64}}
	flags.Var(frame.Numbers(&s.nodes, 2, largest), "nodes", "`numbers` of nodes")
	flags.Var(frame.Numbers(&s.ranks, 1, 1024), "ranks", "`numbers` of ranks of each node")
	flags.IntVar(&s.halo, "halo", 8192, "`bytes` that a rank has for each of its four neighbours")
	flags.IntVar(&s.all, "all", 8, "`bytes` that a rank has for each other one in an exchange of all with all")
	names := flags.String("network", presetNames(), "`networks`, with commas between them")
	set := flags.String("set", "", "change `figures` of the networks, such as L=1.5,o=0.4: L, o, o_recv, g and line in us, G, o_byte and copying in ns/B")
	leaf := flags.Int("leaf", 0, "`nodes` that share a switch with an uplink; 0: all are alike")
	taper := flags.Float64("taper", 2, "`times` as much as the uplink that they can send at once")
	flags.IntVar(&s.most, "full", 64, "simulate each rank up to so many `ranks`; beyond, one node stands for all")
	flags.StringVar(&s.svg, "svg", "", "draw the times with the most ranks but one into this `file`")
	flags.BoolVar(&s.measure, "measure", false, "measure on this machine over TCP, and simulate that")
	flags.BoolVar(&s.testbed, "testbed", false, "measure on hosts of the testbed, with lines of 1 ms, and simulate that; needs root")
	flags.StringVar(&s.mpirun, "mpirun", "mpirun --oversubscribe --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include lo", "`command` that starts ranks, to which -np is added")
	return func() (frame.Work, error) { return s.work(*names, *set, *leaf, *taper) }
}

// work checks what the command line says.
func (s *settings) work(names, set string, leaf int, taper float64) (frame.Work, error) {
	for name := range strings.SplitSeq(names, ",") {
		n, err := preset(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("-network: %w", err)
		}
		if set != "" {
			if err := n.set(set); err != nil {
				return nil, fmt.Errorf("-set: %w", err)
			}
			n.From = "as " + n.Name + " but " + set
		}
		n.Leaf, n.Taper = leaf, taper
		s.networks = append(s.networks, n)
	}
	switch {
	case s.halo < 1 || s.all < 1:
		return nil, fmt.Errorf("-halo %d -all %d: expected a byte at least", s.halo, s.all)
	case s.halo > 1<<24 || s.all > 1<<15-1:
		return nil, fmt.Errorf("-halo %d -all %d: expected up to %d and %d bytes", s.halo, s.all, 1<<24, 1<<15-1)
	case leaf < 0 || !(taper > 0):
		return nil, fmt.Errorf("-leaf %d -taper %g: expected numbers above 0", leaf, taper)
	case leaf > 0 && s.biggest() > 1<<17:
		return nil, fmt.Errorf("-leaf: with switches nodes are not alike, and each of %d ranks would be simulated; expected up to %d", s.biggest(), 1<<17)
	case s.svg != "" && (s.measure || s.testbed):
		return nil, errors.New("-svg: there is no picture of what is measured")
	case s.measure && s.testbed:
		return nil, errors.New("-measure and -testbed: expected one of them")
	}
	return s.run, nil
}

// biggest is the most ranks.
func (s *settings) biggest() (most int) {
	for _, nodes := range s.nodes {
		for _, ranks := range s.ranks {
			most = max(most, nodes*ranks)
		}
	}
	return most
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	switch {
	case s.measure:
		return s.onThisMachine(ctx, session)
	case s.testbed:
		return s.onTestbed(ctx, session)
	}
	var all []*series
	for _, n := range s.networks {
		session.Line(figuresOf{n})
		for _, ranks := range s.ranks {
			one := &series{network: n, ranks: ranks}
			for _, nodes := range s.nodes {
				shape := traffic.Shape{Nodes: nodes, Ranks: ranks}
				session.Progress("%s, %v", n.Name, shape)
				times, err := s.simulate(ctx, n, shape)
				if err != nil {
					return err
				}
				one.times = append(one.times, times)
				for _, c := range columns {
					if x, simulated := times.us[c]; simulated {
						session.Record(fmt.Sprintf("%s, %v", n.Name, shape), c.name(), "us", x)
					}
				}
			}
			all = append(all, one)
		}
	}
	s.tables(session, all)
	if s.svg != "" {
		return s.draw(all)
	}
	return nil
}
