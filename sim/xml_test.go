package sim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func parsed(t *testing.T, text string) *Platform {
	t.Helper()
	return must.Get(parseXML("p.xml", strings.NewReader(text)))(t)
}

func host(t *testing.T, p *Platform, name string) int {
	t.Helper()
	at := slices.IndexFunc(p.Hosts, func(h Host) bool { return h.Name == name })
	if at < 0 {
		t.Fatalf("there is no host %s", name)
	}
	return at
}

// checkRoute compares the names of the links of a route.
func checkRoute(t *testing.T, p *Platform, from, to, want string) {
	t.Helper()
	r, err := p.Route(host(t, p, from), host(t, p, to))
	if err != nil {
		t.Error(err)
		return
	}
	var names []string
	latency := 0.0
	for _, link := range r.Links {
		names = append(names, p.Links[link].Name)
		latency += p.Links[link].Latency
	}
	if got := strings.Join(names, " "); got != want || math.Abs(latency-r.Latency) > 1e-15 {
		t.Errorf("from %s to %s: %s with latency %g, want %s with %g", from, to, got, r.Latency, want, latency)
	}
}

func TestFourthVersion(t *testing.T) {
	p := parsed(t, `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <config><prop id="network/TCP-gamma" value="0"/></config>
 <zone id="world" routing="Full">
  <cluster id="west" prefix="w" suffix=".net" radical="0-2,7" speed="2Gf" core="4" bw="125MBps" lat="50us" bb_bw="10Gbps" bb_lat="500ns"/>
  <zone id="east" routing="Floyd">
   <host id="e1" speed="1Gf,500Mf"><prop id="wattage" value="95"/></host>
   <host id="e2" speed="500000kf"/>
   <host id="e3" speed="0.5Gf"/>
   <router id="gate"/>
   <link id="l1" bandwidth="100Mbps" latency="1ms"/>
   <link id="l2" bandwidth="12.5MBps" latency="2ms" sharing_policy="SPLITDUPLEX"/>
   <link id="l3" bandwidth="1kBps" latency="3ms" sharing_policy="FATPIPE"/>
   <route src="e1" dst="gate"><link_ctn id="l1"/></route>
   <route src="e2" dst="gate"><link_ctn id="l2" direction="UP"/></route>
   <route src="e3" dst="e2"><link_ctn id="l3"/></route>
  </zone>
  <link id="wan" bandwidth="1Gbps" latency="10ms" sharing_policy="FATPIPE"/>
  <zoneRoute src="west" dst="east" gw_src="wwest_router.net" gw_dst="gate"><link_ctn id="wan"/></zoneRoute>
 </zone>
</platform>`)
	if len(p.Hosts) != 7 || len(p.Sets) != 2 || p.Sets[1].Name != "east" || p.Sets[1].Manager != 4 {
		t.Fatalf("%d hosts, Sets %+v", len(p.Hosts), p.Sets)
	}
	for _, c := range []struct {
		name  string
		speed float64
		cores int
		set   int
	}{{"w7.net", 2e9, 4, 0}, {"e1", 1e9, 1, 1}, {"e2", 5e8, 1, 1}} {
		if h := p.Hosts[host(t, p, c.name)]; h.Speed != c.speed || h.Cores != c.cores || h.Set != c.set {
			t.Errorf("%+v, want %+v", h, c)
		}
	}
	checkRoute(t, p, "w0.net", "w2.net", "west_link_0_UP west_backbone west_link_2_DOWN")
	checkRoute(t, p, "w1.net", "e2", "west_link_1_UP west_backbone wan l2_DOWN")
	checkRoute(t, p, "e2", "w1.net", "l2_UP wan west_backbone west_link_1_DOWN")
	checkRoute(t, p, "e3", "e1", "l3 l2_UP l1")
	checkRoute(t, p, "e1", "e1", "")
	if l := p.Links[0]; l.Rate != 125e6 || l.Latency != 50e-6 {
		t.Errorf("%+v", l)
	}
}

func TestThirdVersion(t *testing.T) {
	p := parsed(t, `<platform version="3">
 <AS id="AS0" routing="Full">
  <host id="a" power="98095000" availability="0.5"/>
  <host id="b" power="76296000"/>
  <link id="6" bandwidth="41279125" latency="5.9904e-05"/>
  <route src="a" dst="b"><link_ctn id="6"/></route>
  <trace id="later" periodicity="10">0.0 1.0
5.0 0.25
  </trace>
  <trace_connect kind="POWER" trace="later" element="b"/>
 </AS>
</platform>`)
	checkRoute(t, p, "b", "a", "6")
	if share, until := p.Hosts[0].Share.At(3); share != 0.5 || !math.IsInf(until, 1) {
		t.Errorf("a has %g until %g", share, until)
	}
	for at, want := range map[float64]float64{0: 1, 4.9: 1, 5: 0.25, 9: 0.25, 10: 1, 26: 0.25} {
		if got, _ := p.Hosts[1].Share.At(at); got != want {
			t.Errorf("b has %g at %g, want %g", got, at, want)
		}
	}
}

// In SimGrid, a cluster's links with the policy FATPIPE are shared, except the backbone.
func TestSharingInClusters(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><cluster id="c" radical="0-1" speed="1f" bw="1Bps" sharing_policy="FATPIPE" bb_bw="1Bps" bb_sharing_policy="FATPIPE"/></platform>`)
	for _, l := range p.Links {
		if l.Unlimited != (l.Name == "c_backbone") {
			t.Errorf("%+v", l)
		}
	}
}

func TestPlatformsThatAreWrong(t *testing.T) {
	zone := func(inside string) string {
		return `<platform version="4.1">
<zone id="z" routing="Full">` + inside + `</zone></platform>`
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p.xml: expected <platform"},
		{"cut off", `<platform version="4.1"><zone id="z">`, "p.xml:1:38: unexpected EOF"},
		{"old", `<platform version="2"/>`, `p.xml:1:1: <platform>: version "2": expected 3 or 4.1`},
		{"empty", `<platform version="4.1"/>`, "there is no <zone> or <cluster> in it"},
		{"no hosts", zone(``), "there are no hosts in it"},
		{"unknown element", zone("\n <hots id='h'/>"), "p.xml:3:2: <hots> is not supported here; expected zone, host"},
		{"backbone of a cluster", zone(`<cluster id="c" radical="0-3" speed="1f" bw="1Bps" bb_bw="1Bps" bb_sharing_policy="SPLITDUPLEX"/>`), `p.xml:2:29: <cluster>: bb_sharing_policy="SPLITDUPLEX": expected SHARED or FATPIPE`},
		{"policy of a backbone", `<platform version="4.1"><zone id="z" routing="Cluster"><backbone id="b" bandwidth="1Bps" sharing_policy="FATPIPE"/></zone></platform>`, `<backbone>: attribute sharing_policy="FATPIPE" is not supported`},
		{"direction of a shared link", zone(`<host id="a" speed="1f"/><host id="b" speed="1f"/><link id="l" bandwidth="1Bps"/><route src="a" dst="b"><link_ctn id="l" direction="UP"/></route>`), `direction="UP": link l has one for both directions; expected none`},
		{"symmetrical", zone(`<host id="a" speed="1f"/><route src="a" dst="a" symmetrical="true"/>`), `symmetrical="true": expected YES or NO`},
		{"no routing", `<platform version="4.1"><zone id="z" routing="Empty"/></platform>`, `routing="Empty" is not supported`},
		{"what version 3 has", zone(`<host id="h" speed="1f" availability="0.5"/>`), `attribute availability="0.5" is not supported`},
		{"kind that version 3 has", zone(`<host id="h" speed="1f"/><trace id="t">0 1</trace><trace_connect kind="POWER" trace="t" element="h"/>`), `kind="POWER" is of version 3; expected SPEED`},
		{"switched off", zone(`<host id="h" speed="1f"/><trace id="t">0 0</trace><trace_connect kind="HOST_AVAIL" trace="t" element="h"/>`), `it is switched off, and what runs there would fail; expected kind="SPEED"`},
		{"unknown attribute", zone(`<host id="h" speed="1Gf" colour="red"/>`), `attribute colour="red" is not supported`},
		{"no speed", zone(`<host id="h"/>`), "<host>: it has no speed"},
		{"unit", zone(`<host id="h" speed="1GHz"/>`), `speed="1GHz": expected a speed such as 1.5Gf`},
		{"negative", zone(`<host id="h" speed="-1f"/>`), `speed="-1f": expected a speed`},
		{"twice", zone(`<host id="h" speed="1f"/><host id="h" speed="1f"/>`), `there is another "h"`},
		{"routing", `<platform version="4.1"><zone id="z" routing="Vivaldi"/></platform>`, `routing="Vivaldi" is not supported; expected Full, Floyd`},
		{"no such link", zone(`<host id="h" speed="1f"/><host id="i" speed="1f"/><route src="h" dst="i"><link_ctn id="l"/></route>`), `there is no link "l" above`},
		{"no such end", zone(`<host id="h" speed="1f"/><route src="h" dst="i"/>`), `there is no host, router or zone "i"`},
		{"direction", zone(`<link id="l" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/><host id="h" speed="1f"/><host id="i" speed="1f"/><route src="h" dst="i"><link_ctn id="l"/></route>`), `link l has two directions; expected direction="UP" or "DOWN"`},
		{"state", zone(`<host id="h" speed="1f,2f" pstate="2"/>`), `pstate="2": expected the number of one of its 2 speeds, from 0 on`},
		{"loopback", zone(`<cluster id="c" radical="0-1" speed="1f" bw="1Bps" loopback_lat="1s"/>`), `loopback_lat="1s": expected loopback_bw beside it`},
		{"two zones", `<platform version="4.1"><cluster id="c" radical="0" speed="1f" bw="1Bps"/><zone id="z"/></platform>`, "a second outermost zone; expected one"},
		{"cabinet", zone(`<cabinet id="c" radical="0" speed="1f" bw="1Bps"/>`), `a cabinet is for routing="Cluster"`},
		{"host_link", `<platform version="4.1"><zone id="z" routing="Cluster"><host id="h" speed="1f"/><link id="l" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/><host_link id="h" up="l" down="l"/></zone></platform>`, `this link has two directions; expected l_UP or l_DOWN`},
		{"radical", zone(`<cluster id="c" radical="3-1" speed="1f" bw="1Bps"/>`), `radical="3-1": expected numbers such as 0-99,200`},
		{"topology", zone(`<cluster id="c" radical="0-3" speed="1f" bw="1Bps" topology="TORUS"/>`), `topology="TORUS" is not supported; expected FLAT`},
		{"trace", zone(`<host id="h" speed="1f"/><trace id="t">0 x</trace>`), `trace t:1: "0 x": expected a number from 0 on at the end`},
		{"trace of nothing", zone(`<host id="h" speed="1f"/><trace_connect trace="t" element="h"/>`), `there is no trace "t"`},
	} {
		if _, err := parseXML("p.xml", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
	p := parsed(t, zone(`<host id="h" speed="1f"/><host id="i" speed="1f"/>`))
	if _, err := p.Route(0, 1); err == nil || err.Error() != "no route from h to i: zone z has none between h and i" {
		t.Error(err)
	}
}

func TestStatesOfHosts(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="3Gf,2Gf,1Gf" pstate="2"/><host id="b" speed="3Gf,2Gf,1Gf"/><host id="c" speed="3Gf, 2Gf" pstate="1.0"/>
</zone></platform>`)
	for name, want := range map[string]float64{"a": 1e9, "b": 3e9, "c": 2e9} {
		if got := p.Hosts[host(t, p, name)].Speed; got != want {
			t.Errorf("%s has %g, want %g", name, got, want)
		}
	}
}

// A message from a host to itself takes the links that the platform gives it.
func TestHostsThatReachThemselves(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		takes            float64 // of 100 bytes
	}{
		{"nothing said", `<zone id="z" routing="Full"><host id="a" speed="1f"/></zone>`, "", 0},
		{"cluster", `<cluster id="c" radical="0" speed="1f" bw="1Bps"/>`, "", 0},
		{"cluster's loopback", `<cluster id="c" radical="0" speed="1f" bw="1Bps" loopback_bw="10Bps" loopback_lat="2s"/>`, "c_link_0_loopback", 12},
		{"route", `<zone id="z" routing="Full"><host id="a" speed="1f"/><link id="l" bandwidth="10Bps" latency="2s"/><route src="a" dst="a"><link_ctn id="l"/></route></zone>`, "l", 12},
		{"over a neighbour", `<zone id="z" routing="Floyd"><host id="a" speed="1f"/><host id="b" speed="1f"/><link id="l" bandwidth="10Bps"/><link id="m" bandwidth="20Bps"/>
<route src="a" dst="a"><link_ctn id="l"/><link_ctn id="l"/><link_ctn id="l"/></route><route src="a" dst="b"><link_ctn id="m"/></route></zone>`, "m m", 10},
	} {
		p := parsed(t, `<platform version="4.1">`+c.text+`</platform>`)
		from := p.Hosts[0].Name
		checkRoute(t, p, from, from, c.want)
		load := must.Get(parseCSV("w.csv", strings.NewReader("work,1,0,0\nwork,1,1,0\nmsg,1,0,1,100\n"), p))(t)
		r, err := Run(t.Context(), &Config{Platform: p, Workload: load, Where: []int32{0, 0}}, Report{})
		if err != nil || math.Abs(r.Time-c.takes) > 1e-12 {
			t.Errorf("%s: %g s, %v, want %g", c.name, r.Time, err, c.takes)
		}
	}
}

func TestClusterAsPlatform(t *testing.T) {
	p := parsed(t, `<platform version="4.1">
<trace id="busy">0 0.5</trace>
<cluster id="c" prefix="n" suffix="" radical="0-2" speed="2f,1f" bw="8Bps" lat="1s" bb_bw="4Bps" limiter_link="6Bps"/>
<trace_connect kind="SPEED" trace="busy" element="n1"/>
<actor host="n1" function="worker"><argument value="3"/></actor>
</platform>`)
	checkRoute(t, p, "n0", "n2", "c_link_0_limiter c_link_0_UP c_backbone c_link_2_DOWN c_link_2_limiter")
	if share, _ := p.Hosts[1].Share.At(1); share != 0.5 || len(p.Hosts[0].Share) != 0 || p.Hosts[0].Speed != 2 {
		t.Errorf("%+v", p.Hosts)
	}
}

func TestCabinetsAndBypasses(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="world" routing="Floyd">
<zone id="c" routing="Cluster"><cabinet id="x" prefix="n" suffix="" radical="1-2" speed="1f" bw="8Bps" lat="1s"/><router id="r"/><backbone id="bb" bandwidth="1Bps" latency="0s"/></zone>
<zone id="d" routing="Floyd"><host id="a" speed="1f"/><host id="b" speed="1f"/><link id="l" bandwidth="1Bps"/><link id="m" bandwidth="1Bps"/>
 <route src="a" dst="b"><link_ctn id="l"/></route><bypassRoute src="a" dst="b"><link_ctn id="m"/><link_ctn id="m"/></bypassRoute></zone>
<link id="far" bandwidth="1Bps"/><link id="near" bandwidth="1Bps"/>
<zoneRoute src="c" dst="d" gw_src="r" gw_dst="a"><link_ctn id="far"/></zoneRoute>
<bypassZoneRoute src="c" dst="d" gw_src="r" gw_dst="b"><link_ctn id="near"/></bypassZoneRoute>
</zone></platform>`)
	checkRoute(t, p, "n1", "n2", "link_n1_UP bb link_n2_DOWN")
	checkRoute(t, p, "a", "b", "m m")
	checkRoute(t, p, "b", "a", "l")
	checkRoute(t, p, "n1", "b", "link_n1_UP bb near")
	checkRoute(t, p, "b", "n1", "l far bb link_n1_DOWN")
}

func FuzzXML(f *testing.F) {
	f.Add(`<platform version="4.1"><zone id="z" routing="Floyd"><host id="h" speed="1Gf"/><cluster id="c" radical="0-3" speed="1f" bw="1Bps"/></zone></platform>`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "file") || strings.Count(text, "-") > 3 {
			return // it could name files, or ask for very many hosts
		}
		p, err := parseXML("p.xml", strings.NewReader(text))
		if err != nil || len(p.Hosts) > 100 {
			return
		}
		for from := range p.Hosts {
			for to := range p.Hosts {
				p.Route(from, to)
			}
		}
	})
}
