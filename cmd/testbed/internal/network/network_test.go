//go:build linux

package network

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestBurst(t *testing.T) {
	for rate, want := range map[spec.Rate]uint32{64e3: 3200, 10e6: 3200, 100e6: 6250, 256e6: 16000, 257e6: 70000, 1e9: 70000, 10e9: 625000} {
		if got := burst(rate); got != want {
			t.Errorf("%v may send %d bytes at once, want %d", rate, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	s := must.Get(spec.Parse("s", "cluster a hosts=2 speed=10%\ncluster b hosts=1 speed=10%\n"))(t)
	want := "127.0.0.1 localhost\n10.77.1.1 a1\n10.77.1.2 a2\n10.77.2.1 b1\n"
	if got := Hosts(s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The ends of all links that a testbed can have must differ.
func TestAddressesOfLinksDiffer(t *testing.T) {
	const clusters = 16
	seen := map[string]bool{}
	for a := range clusters {
		for b := a + 1; b < clusters; b++ {
			address := between(spec.Link{A: a, B: b}, 1).String()
			if seen[address] || !strings.HasPrefix(address, "10.78.") {
				t.Errorf("link %d %d has address %s", a, b, address)
			}
			seen[address] = true
		}
	}
}
