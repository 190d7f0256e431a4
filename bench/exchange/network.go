package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/mpi/rounds"
)

// network is what messages cost, in the words of LogGP (Alexandrov et al., 1995), and what
// the ranks of a node take to meet in its memory. Times are in microseconds.
type network struct {
	Name string `json:"name"`
	From string `json:"from"` // where the figures come from

	L float64 `json:"L"`       // from one network card to another
	O float64 `json:"o"`       // of the processor to send a message
	R float64 `json:"o_recv"`  // of the processor to receive one
	B float64 `json:"o_byte"`  // of both processors for each byte that they copy
	E int     `json:"eager"`   // bytes of a message that they copy at most; 0: all
	W float64 `json:"g"`       // from a message of a card to its next
	G float64 `json:"G"`       // of a card, for each byte
	M float64 `json:"line"`    // of a rank to read what another one of its node has just written
	C float64 `json:"copying"` // of the processor to copy a byte in memory

	Cores   int     `json:"cores,omitempty"`    // that ranks share; 0: each has its own
	PerNode bool    `json:"per_node,omitempty"` // that the ranks of a node share, instead of all
	Turn    float64 `json:"turn,omitempty"`     // of a shared core, to look in vain and pass on to the next rank

	Leaf  int     `json:"leaf,omitempty"`  // nodes at a switch; 0: no switch is shared
	Taper float64 `json:"taper,omitempty"` // how many times as much its nodes can send as its uplink
}

// figuresOf is the line of a record that says what was simulated with.
type figuresOf struct {
	Network network `json:"network"`
}

// copied is how long a processor copies a message.
func (n *network) copied(bytes int) float64 {
	if n.E > 0 {
		bytes = min(bytes, n.E)
	}
	return n.B * float64(bytes)
}

// presets are networks by name, each with where its figures come from.
var presets = []network{
	{
		Name: "loopback", From: "TCP between two processes of a machine with two cores, Open MPI 4.1.4: the best of -measure",
		L: 0, O: 2.9, R: 2.5, B: 0.00012, W: 2.8, G: 0.00002, M: 0.08, C: 0.000115,
	},
	{
		Name: "lines", From: "TCP between hosts of the testbed with 40 % of a core behind lines of 1 ms and 200 Mb/s:\n" +
			"the best of -testbed; memory as above, on such cores",
		L: 1090, O: 32, R: 14, B: 0.0012, W: 3.5, G: 0.041, M: 0.2, C: 0.0003,
	},
	{
		Name: "infiniband", From: "Tukey, Argonne: MVAPICH over InfiniBand, by netgauge, of 8 bytes and of 1 MiB (published in\n" +
			"github.com/codes-org/codes, tests/ng-mpi-tukey.dat); memory as measured here",
		L: 3.56, O: 1.05, R: 1.08, B: 0.00032, E: 8192, W: 0.94, G: 0.000497, M: 0.08, C: 0.000115,
	},
}

func presetNames() string {
	var names []string
	for _, n := range presets {
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

func preset(name string) (network, error) {
	for _, n := range presets {
		if n.Name == name {
			return n, nil
		}
	}
	return network{}, fmt.Errorf("there is no network %q; there are %s", name, presetNames())
}

// String has the figures in words.
func (n network) String() string {
	text := fmt.Sprintf("L %.3g, o %.3g, receiving %.3g, g %.3g us;\nG %.3g, of the processor %.3g ns/B; in a node %.3g us, copying %.3g ns/B",
		n.L, n.O, n.R, n.W, 1000*n.G, 1000*n.B, n.M, 1000*n.C)
	if n.Leaf > 0 {
		text += fmt.Sprintf(";\nswitches of %d nodes, which can send %.3g times as much as their uplinks", n.Leaf, n.Taper)
	}
	return text
}

// set changes figures: "L=1.5,o=0.4". Those of bytes are in nanoseconds.
func (n *network) set(text string) error {
	figures := map[string]struct {
		value *float64
		unit  float64
	}{"L": {&n.L, 1}, "o": {&n.O, 1}, "o_recv": {&n.R, 1}, "g": {&n.W, 1}, "G": {&n.G, 1e-3}, "o_byte": {&n.B, 1e-3}, "line": {&n.M, 1}, "copying": {&n.C, 1e-3}}
	for item := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		f, known := figures[name]
		x, err := strconv.ParseFloat(value, 64)
		if !known || err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("%q: expected NAME=NUMBER with L, o, o_recv, g or line in us, or G, o_byte or copying in ns/B", item)
		}
		*f.value = x * f.unit
	}
	return nil
}

// plan is the one that ranks on such a network choose.
func (n network) plan(nodes int) *rounds.Plan {
	if n.Cores > 0 {
		return rounds.For(nodes)
	}
	return rounds.ForLines(nodes, rounds.CostOf(n.O, n.L+n.R))
}
