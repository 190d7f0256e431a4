package listen

import (
	"hash/fnv"
	"net"
	"net/netip"
	"os"
	"slices"
)

// Host describes a host to the other hosts of a run.
type Host struct {
	Network   uint64       // identifies the machine and its network namespace: equal for hosts that share both
	Addresses []netip.Addr // of its interfaces, at most MaxDoors
}

// ThisHost describes the host of this process.
func ThisHost() Host {
	h := Host{Network: Network()}
	for _, p := range interfaceAddresses() {
		if len(h.Addresses) < MaxDoors {
			h.Addresses = append(h.Addresses, p.Addr())
		}
	}
	return h
}

// Network identifies the machine and the network namespace of this process, without /proc the host
// name.
func Network() uint64 {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, failed := os.Readlink("/proc/self/ns/net")
	name := string(boot) + space
	if err != nil || failed != nil {
		name, _ = os.Hostname()
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// interfaceAddresses returns the addresses of this host that others may reach, with their networks,
// IPv4 first.
func interfaceAddresses() []netip.Prefix {
	var found []netip.Prefix
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().IsGlobalUnicast() {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b netip.Prefix) int { return a.Addr().BitLen() - b.Addr().BitLen() })
	return found
}

// reachedBy returns the address by which another host reaches a host with the addresses own: in a
// private network that both are in, else in any network that both are in, else the source address of
// the route to the other host. If it finds none, the result is not valid. A network in which both
// have the same address is each host's own, such as a bridge to containers.
func reachedBy(own []netip.Prefix, peer []netip.Addr, route func(netip.Addr) netip.Addr) netip.Addr {
	var private, shared, routed netip.Addr
	for _, p := range peer {
		if slices.ContainsFunc(own, func(o netip.Prefix) bool { return o.Addr() == p }) {
			continue
		}
		i := slices.IndexFunc(own, func(o netip.Prefix) bool { return o.Contains(p) })
		switch {
		case i >= 0 && p.IsPrivate() && !private.IsValid():
			private = own[i].Addr()
		case i >= 0 && !shared.IsValid():
			shared = own[i].Addr()
		case i < 0 && !routed.IsValid():
			routed = route(p)
		}
	}
	for _, a := range []netip.Addr{private, shared, routed} {
		if a.IsValid() && !a.IsUnspecified() {
			return a
		}
	}
	return netip.Addr{}
}

// routedBy returns the address from which this host would send to another. It sends no packet.
func routedBy(peer netip.Addr) netip.Addr {
	conn, err := net.Dial("udp", netip.AddrPortFrom(peer, 9).String())
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
}
