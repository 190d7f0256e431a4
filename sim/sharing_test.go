package sim

import (
	"math"
	"math/rand/v2"
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

// Every flow of a fair division has a link that is full, on which none has more.
func TestRatesAreMaxMinFair(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := star(2+random.IntN(8), 100, 100*random.Float64()*5)
		n := newNetwork(p)
		s := newSharing(p)
		var flows []flow
		for range 1 + random.IntN(20) {
			from, to := random.IntN(len(p.Hosts)), random.IntN(len(p.Hosts))
			if from == to {
				continue
			}
			w := must.Get(n.routes.way(from, to))(t)
			flows = append(flows, flow{way: w, many: 1, left: 1})
		}
		for i := range flows {
			s.active = append(s.active, &flows[i])
		}
		s.divide(0)
		used, most := make([]float64, len(p.Links)), make([]float64, len(p.Links))
		for _, f := range flows {
			for _, link := range f.way.links {
				used[link] += f.rate
				most[link] = max(most[link], f.rate)
			}
		}
		for _, f := range flows {
			fair := false
			for _, link := range f.way.links {
				if used[link] > p.Links[link].Rate*(1+1e-9) {
					t.Fatalf("link %s carries %g of %g", p.Links[link].Name, used[link], p.Links[link].Rate)
				}
				fair = fair || used[link] > p.Links[link].Rate*(1-1e-9) && f.rate >= most[link]*(1-1e-9)
			}
			if !fair {
				t.Fatalf("a flow has %g, and no link of its way is full of flows that have no more", f.rate)
			}
		}
	}
}

func TestMessagesByHand(t *testing.T) {
	p := star(4, 100, 0) // up: 100, 200, 300, 100; down: 100, 200, 100, 200; latency 0, 1, 0, 1 ms
	messages := []message{
		{from: 0, to: 1, bytes: 100, begin: 1},  // shares a's way out
		{from: 0, to: 3, bytes: 50, begin: 1},   // with this one, from 1 to 2
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
