//go:build linux

package listen

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A host listens where another one reaches it: in a network that both are in.
func TestReachedBy(t *testing.T) {
	const bridge = "172.17.0.1/16"
	for _, c := range []struct{ name, own, peer, want string }{
		{"one network", "10.0.0.1/24", "10.0.0.2", "10.0.0.1"},
		{"the private one of two", "203.0.113.1/24 10.0.0.1/24", "203.0.113.2 10.0.0.2", "10.0.0.1"},
		{"a public one", "203.0.113.1/24", "203.0.113.2", "203.0.113.1"},
		{"the first of two", "10.0.0.1/24 10.1.0.1/24", "10.0.0.2 10.1.0.2", "10.0.0.1"},
		{"bridges of their own", bridge + " 10.0.0.1/24", "172.17.0.1 10.0.0.2", "10.0.0.1"},
		{"another network", bridge + " 10.0.0.1/24", "172.17.0.1 10.9.0.2", "192.0.2.1"},
		{"version 6", "fd00::1/64", "fd00::2", "fd00::1"},
		{"nothing but bridges", bridge, "172.17.0.1", ""},
		{"nothing", "", "", ""},
	} {
		var own []netip.Prefix
		for _, text := range strings.Fields(c.own) {
			own = append(own, netip.MustParsePrefix(text))
		}
		var peer []netip.Addr
		for _, text := range strings.Fields(c.peer) {
			peer = append(peer, netip.MustParseAddr(text))
		}
		got := reachedBy(own, peer, func(netip.Addr) netip.Addr { return netip.MustParseAddr("192.0.2.1") })
		if got.IsValid() != (c.want != "") || got.IsValid() && got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// No listener is at a wildcard address: for callers on the same machine it is a Unix socket, for
// others an address of this host. A service without peers has no listener.
func TestWhereItListens(t *testing.T) {
	own := ThisHost()
	elsewhere := Host{Network: own.Network + 1, Addresses: []netip.Addr{netip.MustParseAddr("10.255.255.254")}}
	for _, c := range []struct {
		name  string
		peers []Host
		local bool
	}{
		{"no peers", nil, false}, {"the same machine", []Host{own, own}, true},
		{"another host", []Host{elsewhere, elsewhere}, false}, {"both", []Host{elsewhere, own}, true},
	} {
		s, _ := Open(own, c.peers) // an error if this machine has no network
		if len(s.listeners) != len(s.Address.Doors) || len(s.listeners) > len(c.peers) {
			t.Errorf("%s: %d listeners at %q", c.name, len(s.listeners), s.Address.Doors)
		}
		local := false
		for i, l := range s.listeners {
			if s.Address.Doors[i] != l.Addr().String() {
				t.Errorf("%s: a listener is at %v, and says %s", c.name, l.Addr(), s.Address.Doors[i])
			}
			if l.Addr().Network() == "unix" {
				local = true
				continue
			}
			if at := l.Addr().(*net.TCPAddr).AddrPort().Addr(); at.IsUnspecified() || at.IsLoopback() {
				t.Errorf("%s: a listener is at %v", c.name, at)
			}
		}
		if local != c.local {
			t.Errorf("%s: a Unix socket: %t, want %t", c.name, local, c.local)
		}
		s.Close()
	}
}

// The error for a service that a peer cannot reach names the peer, and callers there get an error.
func TestUnreached(t *testing.T) {
	own := ThisHost()
	s, err := Open(own, []Host{{Network: own.Network + 1}})
	if err == nil || !strings.Contains(err.Error(), "a host with the addresses [] cannot reach any of this host's") {
		t.Errorf("the error is %v", err)
	}
	address := s.Address
	if _, err := address.Dial(time.Minute); err == nil || err.Error() != "the service cannot be reached from other hosts" {
		t.Errorf("a caller gets %v", err)
	}
	address = Address{Network: own.Network + 1, Doors: []string{"@name"}}
	if _, err := address.Dial(time.Minute); err == nil || err.Error() != "the service cannot be reached from other hosts" {
		t.Errorf("a caller on another host gets %v", err)
	}
}

// An address contains no host name, is one word, and is the same after it was written and read.
func TestAddress(t *testing.T) {
	for _, a := range []Address{
		{Network: 1 << 63, Token: token},
		{Network: 7, Token: token, Doors: []string{"@00af3", "10.0.0.1:4242", "[fd00::1]:4242"}},
	} {
		if strings.ContainsAny(a.String(), " \n\x00") {
			t.Errorf("%q is more than a word", a)
		}
		back, err := ParseAddress(a.String())
		if len(back.Doors) == 0 {
			back.Doors = nil
		}
		if err != nil || !reflect.DeepEqual(a, back) {
			t.Errorf("%q is read as %q: %v", a, back, err)
		}
	}
	for _, text := range []string{"", "1", "-1,x", "tcp 10.0.0.1:1 x"} {
		if a, err := ParseAddress(text); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("%q is read as %q: %v", text, a, err)
		}
	}
}

// stranger is the variable that makes this program call a service, as another user.
const stranger = "LISTEN_TEST_STRANGER"

func TestMain(m *testing.M) {
	if text := os.Getenv(stranger); text != "" {
		a, err := ParseAddress(text)
		if err == nil {
			_, err = a.dialOnce(time.Minute)
		}
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Another user is not admitted to a Unix socket, not even with the token; the same user is.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	s := must.Get(Open(ThisHost(), []Host{ThisHost()}))(t)
	defer s.Close()
	s.Accept(1, func(conn net.Conn) { io.WriteString(conn, "secret") })
	program := must.Get(os.Open("/proc/self/exe"))(t) // the directory of the executable may be root's alone
	defer program.Close()
	for user, want := range map[uint32]string{0: "<nil>", 65534: "the connection was closed before the token was accepted"} {
		c := exec.Command("/proc/self/fd/3")
		c.ExtraFiles = []*os.File{program}
		c.Env = append(os.Environ(), stranger+"="+s.Address.String())
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("user %d: %q: %v, want %s", user, out, err, want)
		}
	}
}
