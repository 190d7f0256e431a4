package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
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

// distances returns the distances of all pairs, by repeatedly trying every point between two others.
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

// Routes have the minimum number of links, also if a longer route is declared.
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

// between1and3 returns a platform in which the route from a to c leads through the middle zone, from
// its gateway left to its gateway right.
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

func TestHostsAsAPlatform(t *testing.T) {
	p := hostsOf(t, "#@set near manager=b speed=0.5 rate=1Gb/s latency=100us\na slots=2\nb\n#@set far speed=2 rate=100Mb/s latency=50us\nc\n#@link near far rate=10Mb/s latency=5ms\n#@platform barrier=1ms\n")
	if a := p.Hosts[0]; a.Cores != 2 || a.Speed != 0.5e9 || p.Hosts[2].Speed != 2e9 || p.Sets[0].Manager != 1 || p.Fixed != 0.001 {
		t.Errorf("%+v, %+v", p.Hosts, p.Sets)
	}
	checkRoute(t, p, "a", "b", "a_UP b_DOWN")
	checkRoute(t, p, "c", "a", "c_UP far-near a_DOWN")
	for ends, want := range map[[2]int]float64{{0, 1}: 100e-6, {0, 2}: 5e-3, {2, 1}: 5e-3} {
		r, err := p.Route(ends[0], ends[1])
		if err != nil || math.Abs(r.Latency-want) > 1e-12 {
			t.Errorf("%v: %g, %v, want %g", ends, r.Latency, err, want)
		}
	}
	for _, l := range p.Links {
		if want := map[string]float64{"a_UP": 125e6, "c_DOWN": 12.5e6, "near-far": 1.25e6}[l.Name]; want != 0 && l.Rate != want {
			t.Errorf("%+v, want %g", l, want)
		}
	}
	file := filepath.Join(t.TempDir(), "my.hosts")
	must.Write(t, file, "a\nb\n", 0o666)
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "there are no speeds and rates in it") {
		t.Error(err)
	}
}

func TestCoresAreSharedFairly(t *testing.T) {
	slower := NewProfile(1)
	slower.Set(12, 0.5)
	for _, c := range []struct {
		name string
		host Host
		work []float64
		want []float64
	}{
		{"one job", Host{Speed: 10, Cores: 1}, []float64{50}, []float64{15}},
		{"two jobs on a core", Host{Speed: 10, Cores: 1}, []float64{10, 30}, []float64{12, 14}},
		{"two jobs on two cores", Host{Speed: 10, Cores: 2}, []float64{10, 30}, []float64{11, 13}},
		{"three jobs on two cores", Host{Speed: 10, Cores: 2}, []float64{10, 10, 20}, []float64{11.5, 11.5, 12.5}},
		{"a host that slows down", Host{Speed: 10, Cores: 1, Share: Shares{slower}}, []float64{40}, []float64{16}},
		{"a host that is given up", Host{Speed: 10, Cores: 1, Share: Shares{NewProfile(0)}}, []float64{40}, []float64{math.Inf(1)}},
	} {
		var jobs []job
		for pid, work := range c.work {
			jobs = append(jobs, job{pid: pid, work: work})
		}
		c.host.compute(10, jobs)
		for _, j := range jobs {
			if want := c.want[j.pid]; math.Abs(j.done-want) > 1e-12 && j.done != want {
				t.Errorf("%s: job %d is done at %g, want %g", c.name, j.pid, j.done, want)
			}
		}
	}
}
