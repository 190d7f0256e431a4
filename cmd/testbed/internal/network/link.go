//go:build linux

package network

import (
	"fmt"
	"net"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// link connects two clusters.
func (n *Net) link(l spec.Link, carry Carry) error {
	a, b := n.gates[l.A], n.gates[l.B]
	toA, toB := fmt.Sprint("to", l.A+1), fmt.Sprint("to", l.B+1)
	if l.Latency > 0 {
		tunnelA, err := tunnel(a, toB)
		if err != nil {
			return err
		}
		tunnelB, err := tunnel(b, toA)
		if err != nil {
			return err
		}
		if err := carry(l.Latency, tunnelA, tunnelB); err != nil {
			return err
		}
	} else if err := pair(a, toB, b, toA); err != nil {
		return err
	}
	addressA, addressB := between(l, 1), between(l, 2)
	if err := a.address(toB, addressA, 30); err != nil {
		return err
	}
	if err := b.address(toA, addressB, 30); err != nil {
		return err
	}
	if err := a.RouteAdd(&netlink.Route{Dst: network(gateway(l.B).Mask(net.CIDRMask(24, 32)), 24), Gw: addressB}); err != nil {
		return err
	}
	if err := b.RouteAdd(&netlink.Route{Dst: network(gateway(l.A).Mask(net.CIDRMask(24, 32)), 24), Gw: addressA}); err != nil {
		return err
	}
	return n.add(n.spec.LinkName(l), l.Rate, end{a, toB}, end{b, toA})
}

// between is the address of an end of a link.
func between(l spec.Link, which int) net.IP {
	return net.IPv4(10, 78, byte(16*l.A+l.B), byte(which)).To4()
}

// tunnel makes an interface whose packets are read from and written to the file.
func tunnel(p *place, name string) (*os.File, error) {
	var file *os.File
	err := p.Do(func() error {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err != nil {
			return fmt.Errorf("latency needs /dev/net/tun: %w", err)
		}
		request, err := unix.NewIfreq(name)
		if err != nil {
			return err
		}
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
			unix.Close(fd)
			return fmt.Errorf("latency needs a tunnel: %w", err)
		}
		file = os.NewFile(uintptr(fd), "tunnel")
		return nil
	})
	return file, err
}
