package survey

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

func TestAddFlows(t *testing.T) {
	at := func(received, sent, errors, dropped int64) *Traffic {
		return &Traffic{Received: received, Sent: sent, Errors: errors, Dropped: dropped}
	}
	earlier := []Interface{
		{Name: "eth0", Counters: at(1000, 500, 1, 2)}, {Name: "gone", Counters: at(1, 1, 0, 0)},
		{Name: "anew", Counters: at(10, 10, 0, 0)}, {Name: "mute"},
	}
	later := []Interface{
		{Name: "eth0", Counters: at(3000, 500, 1, 5)}, {Name: "anew", Counters: at(3, 10, 0, 0)},
		{Name: "mute"}, {Name: "come", Counters: at(0, 0, 0, 0)},
	}
	missing := addFlows(earlier, later, 2*time.Second)
	if want := (&Flow{Received: 1000, Dropped: 3, Over: 2}); !reflect.DeepEqual(later[0].Flow, want) {
		t.Errorf("eth0: %+v, want %+v", later[0].Flow, want)
	}
	for _, is := range later[1:] {
		if is.Flow != nil {
			t.Errorf("%s: %+v", is.Name, is.Flow)
		}
	}
	want := []string{
		"flow: interface anew began to count anew while it was watched",
		"flow: interface come came while it was watched",
		"flow: interface gone went while it was watched",
	}
	if !reflect.DeepEqual(missing, want) {
		t.Errorf("missing %q\nwant %q", missing, want)
	}
	if addFlows(earlier[:1], later[:1], 0); later[0].Flow != nil {
		t.Errorf("in no time: %+v", later[0].Flow)
	}
}

func TestKindAndLimit(t *testing.T) {
	root := kerneltest.Files(
		"sys/class/net/eth0/type", "1\n", "sys/class/net/eth0/device/x", "",
		"sys/class/net/ib0/type", "32\n", "sys/class/net/ib0/device/x", "",
		"sys/class/net/wlan0/type", "1\n", "sys/class/net/wlan0/wireless/x", "",
		"sys/class/net/br0/type", "1\n", "sys/class/net/br0/bridge/x", "",
		"sys/class/net/veth1/type", "1\n", "sys/class/net/tap0/tun_flags", "0x1\n", "sys/class/net/tap0/type", "1\n",
		"sys/class/net/virtio0/type", "1\n",
	)
	for _, c := range []struct {
		is   Interface
		want string
		line bool
	}{
		{Interface{Name: "eth0", Kind: plainDevice}, "ethernet", true},
		{Interface{Name: "eth0"}, "ethernet", true},
		{Interface{Name: "ib0", Kind: plainDevice}, "infiniband", true},
		{Interface{Name: "ib0.8001", Kind: "ipoib"}, "ipoib", true},
		{Interface{Name: "wlan0", Kind: plainDevice}, "wireless", true},
		{Interface{Name: "br0"}, "bridge", false},
		{Interface{Name: "br0", Kind: "bridge"}, "bridge", false},
		{Interface{Name: "veth1", Kind: "veth"}, "veth", false},
		{Interface{Name: "veth1"}, "", false},
		{Interface{Name: "tap0"}, "tun", false},
		{Interface{Name: "lo", Kind: plainDevice, Loopback: true}, "loopback", false},
		{Interface{Name: "../x"}, "", false},
		{Interface{Name: "virtio0", Kind: plainDevice}, "ethernet", true},
	} {
		if got := kindOf(root, &c.is); got != c.want || hasLine(got) != c.line {
			t.Errorf("%+v: %q, a line: %v, want %q", c.is, got, hasLine(got), c.want)
		}
	}
	for _, c := range []struct{ rate, shaped, want int64 }{{0, 0, 0}, {100, 0, 100}, {0, 50, 50}, {100, 50, 50}, {100, 200, 100}} {
		if got := (&Interface{Rate: c.rate, Shaped: c.shaped}).Limit(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Both methods to list interfaces agree on their common fields.
func TestInterfaces(t *testing.T) {
	plain, err := byNet()
	if err != nil {
		t.Skip("SKIPPED: this machine does not list its interfaces: ", err)
	}
	all, err := Interfaces(kerneltest.Files("sys/class/net/lo/speed", "-1\n"))
	if len(all) != len(plain) {
		t.Fatalf("%d interfaces, by Go's own library %d (%v)", len(all), len(plain), err)
	}
	for _, is := range all {
		i := slices.IndexFunc(plain, func(p Interface) bool { return p.Name == is.Name })
		if i < 0 || plain[i].MTU != is.MTU || plain[i].Up != is.Up || plain[i].Loopback != is.Loopback || is.Rate != 0 {
			t.Errorf("%+v is not among %+v", is, plain)
		}
		if err == nil && is.Counters == nil {
			t.Errorf("%s has no counters, and no error says why", is.Name)
		}
	}
}

func TestLineRate(t *testing.T) {
	root := kerneltest.Files("sys/class/net/a/speed", "25000\n", "sys/class/net/b/speed", "-1\n", "sys/class/net/c/speed", "4294967295\n")
	for name, want := range map[string]int64{"a": 25_000_000_000, "b": 0, "c": 0, "d": 0, "../x": 0} {
		if got := lineRate(root, name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
