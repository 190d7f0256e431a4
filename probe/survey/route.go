package survey

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Route is the route of packets to an address out of this machine.
type Route struct {
	Host      string `json:"host,omitempty"` // whose address it is, if that is known
	To        string `json:"to"`             // the address
	Interface string `json:"interface"`
	Source    string `json:"source,omitempty"`  // address of this machine that they bear
	Gateway   string `json:"gateway,omitempty"` // "": none, or not known
	MTU       int    `json:"mtu"`
}

// lookUp bounds the search for the address of a host.
const lookUp = 2 * time.Second

// route asks for the route to a host. It returns nil if host is empty.
func (l *look) route(ctx context.Context, host string, told []string) *Route {
	if host == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUp)
	defer cancel()
	what := "route to " + host
	to, err := addressOf(ctx, host, told)
	if err != nil {
		l.note(what, err)
		return nil
	}
	route, err := RouteTo(to)
	l.note(what, err)
	if route.Interface == "" {
		return nil
	}
	route.Host = host
	return &route
}

// RouteTo asks the kernel, and sends no packet. It may return an error and a route without
// gateway: if the kernel's route socket does not answer.
func RouteTo(to netip.Addr) (Route, error) {
	if !to.IsValid() {
		return Route{}, errors.New("no address is given")
	}
	ip := net.IP(to.Unmap().AsSlice())
	route, err := routeByNetlink(ip)
	if err == nil {
		return route, nil
	}
	plain, plainErr := routeBySocket(ip)
	if plainErr != nil {
		return Route{}, fmt.Errorf("no route to %v: %w", to, errors.Join(err, plainErr))
	}
	return plain, fmt.Errorf("the gateway to %v: %w", to, err)
}

// routeBySocket lets a socket choose its own address, and finds the interface with this
// address.
func routeBySocket(to net.IP) (Route, error) {
	const discard = 9 // a port; no packet is sent
	c, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: to, Port: discard})
	if err != nil {
		return Route{}, err
	}
	defer c.Close()
	source := c.LocalAddr().(*net.UDPAddr).IP
	all, err := byNet()
	if err != nil {
		return Route{}, err
	}
	for _, is := range all {
		for _, a := range is.Addresses {
			if prefix, err := netip.ParsePrefix(a); err == nil && source.Equal(prefix.Addr().AsSlice()) {
				return Route{To: to.String(), Interface: is.Name, Source: source.String(), MTU: is.MTU}, nil
			}
		}
	}
	return Route{}, fmt.Errorf("no interface has the address %v", source)
}

// addressOf returns an address of a host: by its name, unless that resolves to this machine or to
// no address, else the first address that the host gave.
func addressOf(ctx context.Context, host string, told []string) (netip.Addr, error) {
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, a := range found {
		if !a.IsLoopback() && !a.IsUnspecified() {
			return a.Unmap(), nil
		}
	}
	for _, text := range told {
		if a, err := netip.ParseAddr(text); err == nil {
			return a, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("host %s has no address outside this machine", host)
	}
	return netip.Addr{}, err
}

// ownAddresses returns the addresses by which others may reach this machine.
func ownAddresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []string
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if err == nil && prefix.Addr().IsGlobalUnicast() {
			own = append(own, prefix.Addr().String())
		}
	}
	return own
}
