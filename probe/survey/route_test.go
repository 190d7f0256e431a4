package survey

import (
	"context"
	"net"
	"net/netip"
	"testing"
)

// The two ways to ask agree on what both know.
func TestRouteToThisMachine(t *testing.T) {
	to := netip.MustParseAddr("127.0.0.1")
	plain, err := routeBySocket(net.IP(to.AsSlice()))
	if err != nil {
		t.Skip("SKIPPED: this machine has no loopback: ", err)
	}
	route, err := RouteTo(to)
	if err != nil {
		t.Log("SKIPPED: without netlink there is nothing to compare: ", err)
	}
	if route != plain || route.Interface == "" || route.MTU <= 0 {
		t.Errorf("%+v, by a socket %+v", route, plain)
	}
}

func TestRouteToNowhere(t *testing.T) {
	for _, to := range []netip.Addr{{}, netip.MustParseAddr("ff02::1%nowhere")} {
		if route, err := RouteTo(to); err == nil && to.IsValid() == false {
			t.Errorf("%v: %+v", to, route)
		}
	}
}

func TestAddressOf(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		host string
		told []string
		want string // "" for an error
	}{
		{"192.0.2.7", []string{"192.0.2.8"}, "192.0.2.7"},
		{"127.0.0.1", []string{"x", "192.0.2.8", "192.0.2.9"}, "192.0.2.8"},
		{"127.0.0.1", nil, ""},
		{"no host.invalid", []string{"2001:db8::1"}, "2001:db8::1"},
		{"no host.invalid", nil, ""},
	} {
		got, err := addressOf(ctx, c.host, c.told)
		if (err == nil) != (c.want != "") || err == nil && got.String() != c.want {
			t.Errorf("%s, told %v: %v, %v, want %q", c.host, c.told, got, err, c.want)
		}
	}
}
