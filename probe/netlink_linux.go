package probe

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
)

// byNetlink asks the kernel.
func byNetlink() ([]Interface, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	var all []Interface
	for _, link := range links {
		is := link.Attrs()
		one := Interface{
			Name: is.Name, MTU: is.MTU,
			Up: is.Flags&net.FlagUp != 0, Loopback: is.Flags&net.FlagLoopback != 0,
		}
		if s := is.Statistics; s != nil {
			one.Counters = &Traffic{
				Received: int64(s.RxBytes), Sent: int64(s.TxBytes),
				Errors: int64(s.RxErrors + s.TxErrors), Dropped: int64(s.RxDropped + s.TxDropped),
			}
		}
		if addresses, err := netlink.AddrList(link, netlink.FAMILY_ALL); err == nil {
			for _, a := range addresses {
				one.Addresses = append(one.Addresses, a.IPNet.String())
			}
		}
		all = append(all, one)
	}
	return all, nil
}
