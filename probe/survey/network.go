package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Interface is a network interface.
type Interface struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind,omitempty"` // ethernet, infiniband, bridge, veth, ...; "": not known
	Up        bool     `json:"up"`
	Loopback  bool     `json:"loopback,omitempty"`
	MTU       int      `json:"mtu"`
	Rate      int64    `json:"rate,omitempty"`   // of its line, bits per second; 0: not known
	Shaped    int64    `json:"shaped,omitempty"` // rate of a token bucket of this machine, bits per second; 0: none
	Addresses []string `json:"addresses,omitempty"`
	Counters  *Traffic `json:"counters,omitempty"` // nil: not known
	Flow      *Flow    `json:"flow,omitempty"`     // nil: it was not watched
}

// Traffic counts the traffic of an interface since it exists.
type Traffic struct {
	Received int64 `json:"received"` // bytes
	Sent     int64 `json:"sent"`     // bytes
	Errors   int64 `json:"errors"`   // wrong packets, in both directions
	Dropped  int64 `json:"dropped"`  // discarded packets, in both directions
}

// Interfaces lists the interfaces of the machine with these files. It may return an error
// and a list without counters: if the kernel's route socket (netlink) does not answer.
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

// Limit returns the maximum outgoing rate of the interface, in bits per second, 0 if it is not known.
func (is *Interface) Limit() int64 {
	if is.Shaped > 0 && (is.Rate == 0 || is.Shaped < is.Rate) {
		return is.Shaped
	}
	return is.Rate
}

// lineRate returns the rate that a driver gives, 0 if it gives none.
func lineRate(root fs.FS, name string) int64 {
	if strings.ContainsAny(name, "/") {
		return 0
	}
	megabits, ok := kernel.Number(root, "sys/class/net/"+name+"/speed")
	if !ok || megabits <= 0 || megabits >= 1<<31-1 {
		return 0
	}
	return megabits * 1_000_000
}

// Kinds of interfaces that files show; others have the kernel's name of their driver.
const (
	kindEthernet   = "ethernet"
	kindInfiniBand = "infiniband"
	kindLoopback   = "loopback"
	kindWireless   = "wireless"
)

// plainDevice is the kernel's word for drivers that are of no kind.
const plainDevice = "device"

// hardware has kinds by the number of the link layer's protocol.
var hardware = map[int64]string{1: kindEthernet, 32: kindInfiniBand, 772: kindLoopback}

// kindOf returns the kind of an interface whose Kind is netlink's word, "" if netlink was
// not asked.
func kindOf(root fs.FS, is *Interface) string {
	if is.Kind != "" && is.Kind != plainDevice {
		return is.Kind
	}
	if is.Loopback {
		return kindLoopback
	}
	if strings.ContainsAny(is.Name, "/") {
		return ""
	}
	dir := "sys/class/net/" + is.Name
	for _, kind := range []string{"bridge", "bonding"} {
		if exists(root, dir+"/"+kind) {
			return kind
		}
	}
	switch {
	case exists(root, dir+"/wireless") || exists(root, dir+"/phy80211"):
		return kindWireless
	case exists(root, dir+"/tun_flags"):
		return "tun"
	}
	number, _ := kernel.Number(root, dir+"/type")
	if is.Kind == "" && !exists(root, dir+"/device") {
		return "" // made by software; files do not show its kind
	}
	return hardware[number]
}

// hasLine reports whether the driver's speed is the speed of a line. Drivers of links that are only
// software report a speed too, without meaning.
func hasLine(kind string) bool {
	switch kind {
	case kindEthernet, kindInfiniBand, kindWireless, "bond", "bonding", "team", "vlan", "ipoib":
		return true
	}
	return false
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}

// Flow is the traffic of an interface while it was watched.
type Flow struct {
	Received float64 `json:"received"` // bytes per second
	Sent     float64 `json:"sent"`     // bytes per second
	Errors   int64   `json:"errors"`   // wrong packets, in both directions
	Dropped  int64   `json:"dropped"`  // discarded packets, in both directions
	Over     float64 `json:"over"`     // seconds that it was watched
}

// addFlows adds to the later list the traffic of each interface since the earlier one. It
// returns the interfaces that were not there all the time.
func addFlows(earlier, later []Interface, over time.Duration) (missing []string) {
	before := map[string]*Interface{}
	for i := range earlier {
		before[earlier[i].Name] = &earlier[i]
	}
	for i := range later {
		is := &later[i]
		was, known := before[is.Name]
		delete(before, is.Name)
		switch {
		case !known:
			missing = append(missing, fmt.Sprintf("flow: interface %s came while it was watched", is.Name))
		case was.Counters == nil || is.Counters == nil:
		default:
			if is.Flow = flowOf(*was.Counters, *is.Counters, over); is.Flow == nil {
				missing = append(missing, fmt.Sprintf("flow: interface %s began to count anew while it was watched", is.Name))
			}
		}
	}
	for i := range earlier {
		if _, left := before[earlier[i].Name]; left {
			missing = append(missing, fmt.Sprintf("flow: interface %s went while it was watched", earlier[i].Name))
		}
	}
	return missing
}

// flowOf is nil if the counters do not belong together, or no time has passed.
func flowOf(before, after Traffic, over time.Duration) *Flow {
	if over <= 0 || after.Received < before.Received || after.Sent < before.Sent ||
		after.Errors < before.Errors || after.Dropped < before.Dropped {
		return nil
	}
	return &Flow{
		Received: float64(after.Received-before.Received) / over.Seconds(),
		Sent:     float64(after.Sent-before.Sent) / over.Seconds(),
		Errors:   after.Errors - before.Errors, Dropped: after.Dropped - before.Dropped,
		Over: over.Seconds(),
	}
}
