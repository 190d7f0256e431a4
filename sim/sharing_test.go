package sim

import (
	"math"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// star is a platform of n hosts around a backbone.
func star(n int, rate, backbone float64) *Platform {
	p := &Platform{root: &zone{name: "all", cluster: &cluster{up: map[*point]int{}, down: map[*point]int{}, backbone: -1}}}
	for i := range n {
		at := &point{name: string(rune('a' + i)), zone: p.root, host: i}
		p.root.cluster.up[at] = p.addLink(Link{Name: at.name + "_UP", Rate: rate * float64(1+i%3), Latency: 1e-3 * float64(i%2)})
		p.root.cluster.down[at] = p.addLink(Link{Name: at.name + "_DOWN", Rate: rate * float64(1+i%2)})
		p.Hosts = append(p.Hosts, Host{Name: at.name, Speed: 1, Cores: 1, point: at})
	}
	if backbone > 0 {
		p.root.cluster.backbone = p.addLink(Link{Name: "backbone", Rate: backbone})
	}
	p.Sets = []Set{{Name: "all"}}
	return p
}

func TestMessagesByHand(t *testing.T) {
	p := star(4, 100, 0) // up: 100, 200, 300, 100; down: 100, 200, 100, 200; latency 0, 1, 0, 1 ms
	messages := []message{
		{from: 0, to: 1, bytes: 100, begin: 1},  // shares a's way out
		{from: 0, to: 3, bytes: 50, begin: 1},   // with the second flow, from 1 to 2
		{from: 2, to: 2, bytes: 1e9, begin: 5},  // on a host
		{from: 1, to: 0, bytes: 0, begin: 2},    // no bytes
		{from: 2, to: 0, bytes: 100, begin: 10}, // alone
	}
	must.Do(t, newNetwork(p).carry(messages))
	for i, want := range []float64{2.5, 2, 5, 2.001, 11} {
		if got := messages[i].end; math.Abs(got-want) > 1e-12 {
			t.Errorf("message %d ends at %g, want %g", i, got, want)
		}
	}
}
