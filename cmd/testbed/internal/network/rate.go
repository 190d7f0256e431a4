//go:build linux

package network

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// line is a line that may have a rate.
type line struct {
	rate spec.Rate
	ends [2]end
}

// end is an interface, which holds back packets that leave by it.
type end struct {
	place *place
	name  string
}

// Rate is a line with its rate.
type Rate struct {
	Line string
	Rate spec.Rate
}

// Rates returns the rates of all lines: of the hosts by cluster, then between clusters.
func (n *Net) Rates() []Rate {
	var all []Rate
	for _, name := range n.order {
		all = append(all, Rate{name, n.lines[name].rate})
	}
	return all
}

// SetRate gives a line another rate, 0 for no limit: the line of a host by its name, the
// line between two clusters by both names in any order, as in alpha-beta.
func (n *Net) SetRate(name string, rate spec.Rate) error {
	l := n.lines[name]
	if a, b, link := strings.Cut(name, "-"); link && l == nil {
		l = n.lines[b+"-"+a]
	}
	if l == nil {
		return fmt.Errorf("there is no host or link of that name; there are %s", strings.Join(n.order, ", "))
	}
	for _, e := range l.ends {
		if err := e.hold(rate); err != nil {
			return err
		}
	}
	l.rate = rate
	return nil
}

func (n *Net) add(name string, rate spec.Rate, a, b end) error {
	n.lines[name] = &line{ends: [2]end{a, b}}
	n.order = append(n.order, name)
	if rate == 0 {
		return nil
	}
	return n.SetRate(name, rate)
}

// hold lets no more than the rate leave by the interface.
func (e end) hold(rate spec.Rate) error {
	device, err := e.place.LinkByName(e.name)
	if err != nil {
		return err
	}
	attributes := netlink.QdiscAttrs{LinkIndex: device.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
	if rate == 0 {
		err := e.place.QdiscDel(&netlink.Tbf{QdiscAttrs: attributes})
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) { // no such qdisc
			return nil
		}
		return err
	}
	bytes := uint64(rate / 8)
	burst := burst(rate)
	err = e.place.QdiscReplace(&netlink.Tbf{
		QdiscAttrs: attributes,
		Rate:       bytes,
		Buffer:     netlink.Xmittime(bytes, burst),
		Limit:      max(minQueue, uint32(bytes/10)) + burst,
	})
	if err != nil {
		return fmt.Errorf("rate of %s: %w", e.name, err)
	}
	return nil
}

// Queues hold 0.1 s of packets: all processes of a program send at the end of a
// superstep, and a queue that overflows there would cost a retransmission.
const minQueue = 256 << 10

// burst returns the bytes that may be sent at once: the minimum that does not reduce throughput, so
// that small messages take their time too. Fast links need whole segments of 64 KiB.
func burst(rate spec.Rate) uint32 {
	const halfMillisecond = 0.5e-3 / 8
	if rate > 256e6 {
		return max(70000, uint32(float64(rate)*halfMillisecond))
	}
	return max(3200, uint32(float64(rate)*halfMillisecond))
}
