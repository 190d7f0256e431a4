package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
)

// Interface is a way into the network.
type Interface struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind,omitempty"` // ethernet, infiniband, bridge, veth, ...; "": not known
	Up        bool     `json:"up"`
	Loopback  bool     `json:"loopback,omitempty"`
	MTU       int      `json:"mtu"`
	Rate      int64    `json:"rate,omitempty"`   // of its line, bits per second; 0: not known
	Shaped    int64    `json:"shaped,omitempty"` // what a token bucket of this machine lets out, bits per second; 0: none does
	Addresses []string `json:"addresses,omitempty"`
	Counters  *Traffic `json:"counters,omitempty"` // nil: not known
	Flow      *Flow    `json:"flow,omitempty"`     // nil: it was not watched
}

// Traffic counts what has gone through an interface since it is there.
type Traffic struct {
	Received int64 `json:"received"` // bytes
	Sent     int64 `json:"sent"`     // bytes
	Errors   int64 `json:"errors"`   // packets that were wrong, both ways
	Dropped  int64 `json:"dropped"`  // packets that were thrown away, both ways
}

// Interfaces lists those of this machine, which has these files. With an error
// it lists what is known without the kernel's route socket (netlink): no
// counters.
func Interfaces(root fs.FS) ([]Interface, error) {
	all, err := byNetlink()
	if err != nil {
		var plain error
		if all, plain = byNet(); plain != nil {
			return nil, errors.Join(err, plain)
		}
		err = fmt.Errorf("no counters of interfaces: %w", err)
	}
	for i := range all {
		is := &all[i]
		is.Kind = kindOf(root, is)
		if hasLine(is.Kind) {
			is.Rate = lineRate(root, is.Name)
		}
	}
	return all, err
}

// byNet asks Go's own library.
func byNet() ([]Interface, error) {
	list, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var all []Interface
	for _, is := range list {
		one := Interface{
			Name: is.Name, MTU: is.MTU,
			Up: is.Flags&net.FlagUp != 0, Loopback: is.Flags&net.FlagLoopback != 0,
		}
		if addresses, err := is.Addrs(); err == nil {
			for _, a := range addresses {
				one.Addresses = append(one.Addresses, a.String())
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// Limit is what goes out through the interface at most, in bits per second, 0 if
// that is not known.
func (is *Interface) Limit() int64 {
	if is.Shaped > 0 && (is.Rate == 0 || is.Shaped < is.Rate) {
		return is.Shaped
	}
	return is.Rate
}

// lineRate is the rate that a driver says it has, 0 if it does not.
func lineRate(root fs.FS, name string) int64 {
	if strings.ContainsAny(name, "/") {
		return 0
	}
	megabits, ok := whole(root, "sys/class/net/"+name+"/speed")
	if !ok || megabits <= 0 || megabits >= 1<<31-1 {
		return 0
	}
	return megabits * 1_000_000
}
