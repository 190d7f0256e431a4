//go:build linux

// Package network builds the network of a testbed: a switch for each cluster, a
// line from each host to its switch, and a line between any two clusters.
//
// Each cluster has a namespace with a bridge, which is also the gateway to the other
// clusters. Lines are pairs of virtual interfaces whose ends hold packets back to keep the
// rate; a line with a latency is a pair of tunnels, between which a process carries the
// packets. Rates apply to each direction by itself.
package network

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/migbsp/migbsp/cmd/testbed/internal/space"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Interface is the name of a host's only interface but the loopback.
const Interface = "eth0"

// Net is the network of a testbed.
type Net struct {
	spec  *spec.Spec
	hosts []*place // by number, over all clusters
	gates []*place // by cluster
	lines map[string]*line
	order []string // names of lines
}

// place is a namespace and the connection to its kernel tables.
type place struct {
	space.Net
	*netlink.Handle
}

// Carry starts a process that carries packets between two tunnels, with a latency.
type Carry func(latency time.Duration, a, b *os.File) error

// Build makes the network. The namespaces of the hosts must exist, without
// interfaces.
func Build(s *spec.Spec, hosts []space.Net, carry Carry) (*Net, error) {
	n := &Net{spec: s, lines: map[string]*line{}}
	for _, host := range hosts {
		p, err := open(host)
		if err != nil {
			return nil, err
		}
		n.hosts = append(n.hosts, p)
	}
	for cluster := range s.Clusters {
		if err := n.gate(cluster); err != nil {
			return nil, fmt.Errorf("the switch of %s: %w", s.Clusters[cluster].Name, err)
		}
	}
	for a := range s.Clusters {
		for b := a + 1; b < len(s.Clusters); b++ {
			l := s.Link(a, b)
			if err := n.link(l, carry); err != nil {
				return nil, fmt.Errorf("the link %s: %w", s.LinkName(l), err)
			}
		}
	}
	return n, nil
}

// open connects to a namespace and starts its loopback.
func open(ns space.Net) (*place, error) {
	p := &place{Net: ns}
	err := ns.Do(func() (err error) {
		for _, file := range []string{"all", "default", "lo"} {
			path := "/proc/sys/net/ipv6/conf/" + file + "/disable_ipv6"
			if _, err := os.Stat(path); err == nil {
				if err := os.WriteFile(path, []byte("1"), 0); err != nil {
					return err
				}
			}
		}
		p.Handle, err = netlink.NewHandle()
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, p.up("lo")
}

func (p *place) up(name string) error {
	device, err := p.LinkByName(name)
	if err != nil {
		return err
	}
	return p.LinkSetUp(device)
}

// address gives an interface an address and starts it.
func (p *place) address(name string, ip net.IP, bits int) error {
	device, err := p.LinkByName(name)
	if err != nil {
		return err
	}
	if err := p.AddrAdd(device, &netlink.Addr{IPNet: network(ip, bits)}); err != nil {
		return err
	}
	return p.LinkSetUp(device)
}

func network(ip net.IP, bits int) *net.IPNet {
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(bits, 32)}
}

// gate makes the namespace of a cluster and connects its hosts.
func (n *Net) gate(cluster int) error {
	ns, err := space.NewNet()
	if err != nil {
		return err
	}
	gate, err := open(ns)
	if err != nil {
		return err
	}
	n.gates = append(n.gates, gate)
	if err := ns.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0) }); err != nil {
		return err
	}
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "switch"
	bridge := &netlink.Bridge{LinkAttrs: attributes}
	if err := gate.LinkAdd(bridge); err != nil {
		return err
	}
	if err := gate.address("switch", gateway(cluster), 24); err != nil {
		return err
	}
	first := 0
	for _, c := range n.spec.Clusters[:cluster] {
		first += len(c.Hosts)
	}
	for i, host := range n.spec.Clusters[cluster].Hosts {
		if err := n.plug(host.Name, cluster, i, n.hosts[first+i], bridge); err != nil {
			return fmt.Errorf("the line of %s: %w", host.Name, err)
		}
	}
	return nil
}

// plug connects a host with its switch.
func (n *Net) plug(name string, cluster, index int, host *place, bridge netlink.Link) error {
	gate := n.gates[cluster]
	port := "host" + strconv.Itoa(index+1)
	if err := pair(gate, port, host, Interface); err != nil {
		return err
	}
	device, err := gate.LinkByName(port)
	if err != nil {
		return err
	}
	if err := gate.LinkSetMaster(device, bridge); err != nil {
		return err
	}
	if err := gate.LinkSetUp(device); err != nil {
		return err
	}
	if err := host.address(Interface, HostAddress(cluster, index), 24); err != nil {
		return err
	}
	if err := host.RouteAdd(&netlink.Route{Gw: gateway(cluster)}); err != nil {
		return err
	}
	return n.add(name, n.spec.Clusters[cluster].Rate, end{gate, port}, end{host, Interface})
}

// pair makes two interfaces that are the ends of one line.
func pair(a *place, nameA string, b *place, nameB string) error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = nameA
	veth := netlink.NewVeth(attributes)
	veth.PeerName = nameB
	veth.PeerNamespace = netlink.NsFd(b.File.Fd())
	return a.LinkAdd(veth)
}

// HostAddress returns the address of a host, given by its number in its cluster.
func HostAddress(cluster, index int) net.IP {
	return net.IPv4(10, 77, byte(cluster+1), byte(index+1)).To4()
}

func gateway(cluster int) net.IP { return net.IPv4(10, 77, byte(cluster+1), 254).To4() }

// Hosts are lines for /etc/hosts.
func Hosts(s *spec.Spec) string {
	var text strings.Builder
	text.WriteString("127.0.0.1 localhost\n")
	for cluster, c := range s.Clusters {
		for i, h := range c.Hosts {
			fmt.Fprintf(&text, "%v %s\n", HostAddress(cluster, i), h.Name)
		}
	}
	return text.String()
}
