package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func randomZone(random *rand.Rand, r routing) (*zone, []*point) {
	z := newZone("z")
	z.routing = r
	points := make([]*point, 2+random.IntN(12))
	for i := range points {
		points[i] = &point{name: fmt.Sprint(i), zone: z, number: i, host: i}
	}
	for range random.IntN(40) {
		a, b := points[random.IntN(len(points))], points[random.IntN(len(points))]
		z.add(a, b, hop{links: make([]int, 1+random.IntN(4)), from: a, to: b})
	}
	return z, points
}

// distances are those of all pairs, by trying every point between two others, again and
// again.
func distances(z *zone, points []*point) map[[2]*point]int {
	all := make(map[[2]*point]int)
	for ends, h := range z.routes {
		all[ends] = len(h.links)
	}
	for changed := true; changed; {
		changed = false
		for _, a := range points {
			for _, b := range points {
				for _, c := range points {
					first, ok := all[[2]*point{a, c}]
					second, known := all[[2]*point{c, b}]
					if was, reached := all[[2]*point{a, b}]; ok && known && (!reached || first+second < was) {
						all[[2]*point{a, b}], changed = first+second, true
					}
				}
			}
		}
	}
	return all
}

// Routes have as few links as possible, also where a longer one is given.
func TestShortestRoutes(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for k := range 400 {
		z, points := randomZone(random, []routing{floyd, dijkstra}[k%2])
		want := distances(z, points)
		for _, a := range points {
			for _, b := range points {
				if a == b {
					continue
				}
				links, reached := want[[2]*point{a, b}]
				h, err := z.between(a, b)
				switch {
				case reached != (err == nil):
					t.Fatalf("zone %d, %s to %s: %v, but reached: %v", k, a.name, b.name, err, reached)
				case reached && (len(h.links) != links || h.from != a || h.to != b):
					t.Fatalf("zone %d, %s to %s: %d links, want %d", k, a.name, b.name, len(h.links), links)
				}
			}
		}
	}
}

// Runs at the same time may look for routes of the same platform.
func TestRoutesAreFoundAtTheSameTime(t *testing.T) {
	for _, r := range []routing{floyd, dijkstra} {
		z, points := randomZone(rand.New(rand.NewPCG(23, 24)), r)
		var searches sync.WaitGroup
		for range 4 {
			searches.Go(func() {
				for _, a := range points {
					for _, b := range points {
						if a != b {
							z.between(a, b)
						}
					}
				}
			})
		}
		searches.Wait()
	}
}

// between1and3 is a platform in which the way from a to c leads through the middle zone,
// from its gateway left to its gateway right.
func between1and3(outer, inner string) string {
	return strings.NewReplacer("OUTER", outer, "INNER", inner).Replace(`<platform version="4.1"><zone id="world" routing="OUTER">
<zone id="first" routing="Full"><host id="a" speed="1f"/></zone>
<zone id="middle" routing="INNER"><router id="left"/><host id="b" speed="1f"/><router id="right"/>
 <link id="slow" bandwidth="1Bps" latency="10s"/><link id="fast" bandwidth="1kBps"/>
 <route src="left" dst="b"><link_ctn id="fast"/></route><route src="b" dst="right"><link_ctn id="slow"/></route>
 <route src="left" dst="right"><link_ctn id="fast"/><link_ctn id="slow"/><link_ctn id="fast"/></route>
</zone>
<zone id="last" routing="Full"><host id="c" speed="1f"/></zone>
<link id="one" bandwidth="1kBps"/><link id="two" bandwidth="1kBps"/>
<zoneRoute src="first" dst="middle" gw_src="a" gw_dst="left"><link_ctn id="one"/></zoneRoute>
<zoneRoute src="middle" dst="last" gw_src="right" gw_dst="c"><link_ctn id="two"/></zoneRoute>
</zone></platform>`)
}

// A route through a zone passes the links between the gateways on both sides of it.
func TestRoutesThroughZones(t *testing.T) {
	for _, c := range []struct{ outer, inner, there, back string }{
		{"Floyd", "Full", "one fast slow fast two", "two fast slow fast one"},
		{"Floyd", "Floyd", "one fast slow two", "two slow fast one"},
		{"Dijkstra", "Dijkstra", "one fast slow two", "two slow fast one"},
		{"DijkstraCache", "Full", "one fast slow fast two", "two fast slow fast one"},
	} {
		p := parsed(t, between1and3(c.outer, c.inner))
		checkRoute(t, p, "a", "c", c.there)
		checkRoute(t, p, "c", "a", c.back)
	}
	p := parsed(t, strings.Replace(between1and3("Floyd", "Full"), `<route src="left" dst="right">`, `<route src="left" dst="right" symmetrical="NO">`, 1))
	if _, err := p.Route(host(t, p, "c"), host(t, p, "a")); err == nil || err.Error() != "no route from c to a: zone middle has none between right and left" {
		t.Error(err)
	}
}

// A link that a message passes twice gives it half its rate each time.
func TestLinksPassedTwice(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1f"/><host id="b" speed="1f"/>
<link id="l" bandwidth="100Bps" latency="1s"/><route src="a" dst="b"><link_ctn id="l"/><link_ctn id="l"/></route></zone></platform>`)
	for _, messages := range [][]message{
		{{from: 0, to: 1, bytes: 100}},
		{{from: 0, to: 1, bytes: 50}, {from: 1, to: 0, bytes: 50}},
	} {
		if err := newNetwork(p).carry(messages); err != nil || messages[0].end != 4 {
			t.Errorf("%+v, %v, want it to end at 4", messages, err)
		}
	}
}
