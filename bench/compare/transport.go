package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// transport is the medium on which all programs of a comparison exchange data. It is set in the
// environment, which every launcher hands on to the ranks: Open MPI reads OMPI_MCA_*, MPICH the
// variables of the library below it (UCX or libfabric), and our programs MIGBSP_*. Each ignores the
// variables of the others.
type transport struct {
	name    string
	says    string // in the title
	threads bool   // whether programs whose processes are threads take part
	env     []string
}

var transports = []transport{
	{name: "node", says: "on one node, each by the fastest way that it has there", threads: true},
	{
		name: "shm", says: "on one node, all by shared memory between ranks",
		env: []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=^tcp", "UCX_TLS=sm,self"},
	}, {
		// Windows have a component for one node, which Open MPI would take; UCX looks for
		// transports of its own. Without MPIR_CVAR_NOLOCAL an MPICH bypasses its network.
		name: "tcp", says: "all by TCP on the loopback of this machine",
		env: []string{
			"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo", "OMPI_MCA_osc=^ucx,sm",
			"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "FI_PROVIDER=tcp", "FI_TCP_IFACE=lo", "MPIR_CVAR_NOLOCAL=1",
		},
	},
}

// transportOf finds one by its name.
func transportOf(name string) (*transport, error) {
	var names []string
	for i, t := range transports {
		if t.name == name {
			return &transports[i], nil
		}
		names = append(names, t.name)
	}
	return nil, fmt.Errorf("-transport %s: it is one of %s", name, strings.Join(names, ", "))
}

// overTCP reports whether all data go through the loopback.
func (t *transport) overTCP() bool { return t.name == "tcp" }

// describe returns the description of the transport. The congestion control of TCP matters: an
// algorithm that estimates the rate of a line may take transfers with pauses between them for a
// slow line.
func (t *transport) describe() string {
	control, err := os.ReadFile("/proc/sys/net/ipv4/tcp_congestion_control")
	if !t.overTCP() || err != nil {
		return t.says
	}
	return fmt.Sprintf("%s, with congestion control by %s", t.says, strings.TrimSpace(string(control)))
}

// environment returns the settings of a launch. All programs may have more ranks than cores. Our
// ranks form nodes of nodeSize; 0 means all ranks of a node, and over TCP one.
func (t *transport) environment(nodeSize int) []string {
	shm, size := "on", ""
	switch {
	case nodeSize == 1, nodeSize == 0 && t.overTCP():
		shm = "off"
	case nodeSize > 1:
		size = strconv.Itoa(nodeSize)
	}
	return append([]string{"OMPI_MCA_rmaps_base_oversubscribe=1", "MIGBSP_SHM=" + shm, "MIGBSP_NODE_SIZE=" + size}, t.env...)
}

// nodes returns the number and size of the nodes of our ranks, as text.
func (t *transport) nodes(ranks, nodeSize int) string {
	switch {
	case nodeSize == 0 && t.overTCP():
		nodeSize = 1
	case nodeSize == 0:
		nodeSize = ranks
	}
	size := min(nodeSize, ranks)
	return fmt.Sprintf("%s of %s", count((ranks+size-1)/size, "node"), count(size, "rank"))
}

// count returns a number and its noun, in the plural if needed.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"), strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// loopback returns the number of bytes that the loopback has carried, 0 if it is not known.
func loopback() int64 {
	text, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		return 0
	}
	return loopbackIn(text)
}

func loopbackIn(text []byte) int64 {
	for line := range bytes.Lines(text) {
		if name, counts, found := strings.Cut(string(line), ":"); found && strings.TrimSpace(name) == "lo" {
			if fields := strings.Fields(counts); len(fields) > 0 {
				received, _ := strconv.ParseInt(fields[0], 10, 64)
				return received
			}
		}
	}
	return 0
}
