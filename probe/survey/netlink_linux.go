package survey

import (
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
)

// dumps is the number of times that the kernel is asked for a list that changes meanwhile.
const dumps = 4

// byNetlink asks the kernel.
func byNetlink() ([]Interface, error) {
	links, err := listed(netlink.LinkList)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	shaped := shapedRates()
	var all []Interface
	for _, link := range links {
		is := link.Attrs()
		one := Interface{
			Name: is.Name, Kind: link.Type(), MTU: is.MTU, Shaped: shaped[is.Index],
			Up: is.Flags&net.FlagUp != 0, Loopback: is.Flags&net.FlagLoopback != 0,
		}
		if s := is.Statistics; s != nil {
			one.Counters = &Traffic{
				Received: int64(s.RxBytes), Sent: int64(s.TxBytes),
				Errors: int64(s.RxErrors + s.TxErrors), Dropped: int64(s.RxDropped + s.TxDropped),
			}
		}
		addresses, err := listed(func() ([]netlink.Addr, error) { return netlink.AddrList(link, netlink.FAMILY_ALL) })
		if err == nil {
			for _, a := range addresses {
				one.Addresses = append(one.Addresses, a.IPNet.String())
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// listed asks for a list again while it changes; the last answer is good enough.
func listed[T any](ask func() ([]T, error)) ([]T, error) {
	for range dumps {
		if list, err := ask(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			return list, err
		}
	}
	list, err := ask()
	if errors.Is(err, netlink.ErrDumpInterrupted) {
		err = nil
	}
	return list, err
}

// shapedRates returns the rates of token buckets, in bits per second, by the number of the
// interface.
func shapedRates() map[int]int64 {
	queues, err := listed(func() ([]netlink.Qdisc, error) { return netlink.QdiscList(nil) })
	if err != nil {
		return nil
	}
	rates := map[int]int64{}
	for _, q := range queues {
		if bucket, ok := q.(*netlink.Tbf); ok {
			rates[bucket.LinkIndex] = int64(8 * bucket.Rate)
		}
	}
	return rates
}

// routeByNetlink asks the kernel.
func routeByNetlink(to net.IP) (Route, error) {
	routes, err := netlink.RouteGet(to)
	if err == nil && len(routes) == 0 {
		err = errors.New("the kernel has none")
	}
	if err != nil {
		return Route{}, fmt.Errorf("netlink: %w", err)
	}
	r := routes[0]
	link, err := netlink.LinkByIndex(r.LinkIndex)
	if err != nil {
		return Route{}, fmt.Errorf("netlink: %w", err)
	}
	route := Route{To: to.String(), Interface: link.Attrs().Name, MTU: link.Attrs().MTU}
	if r.MTU > 0 {
		route.MTU = min(route.MTU, r.MTU)
	}
	if r.Src != nil {
		route.Source = r.Src.String()
	}
	if r.Gw != nil {
		route.Gateway = r.Gw.String()
	}
	return route, nil
}
