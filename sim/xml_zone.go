package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readZone reads a zone and all in it.
func (rd *reader) readZone(e *element) {
	z := newZone(rd.required(e, "id"))
	switch kind := e.optional("routing", "Full"); strings.ToLower(kind) {
	case "full":
	case "floyd":
		z.routing = floyd
	case "dijkstra", "dijkstracache":
		z.routing = dijkstra
	case "none":
		z.routing = none
	case "cluster":
		z.cluster = newCluster()
	default:
		rd.wrong(e, "routing=%q is not supported; expected Full, Floyd, Dijkstra, DijkstraCache, Cluster or None", kind)
	}
	defer rd.enter(e, z)()
	rd.children(e, rd.inZone)
}

// enter enters a zone, which becomes a point of the enclosing zone; leave returns to that.
func (rd *reader) enter(e *element, z *zone) (leave func()) {
	if rd.p.root == nil {
		rd.p.root = z
	}
	if rd.zone != nil {
		z.self = rd.addPoint(e, z.name)
		z.self.area = z
	}
	rd.zone = z
	return func() { rd.zone = z.around() }
}

// addPoint adds a host, a router or a zone to the zone that is being read.
func (rd *reader) addPoint(e *element, name string) *point {
	if rd.points[name] != nil {
		rd.wrong(e, "there is another %q", name)
	}
	p := &point{name: name, zone: rd.zone, number: rd.zone.points, host: -1}
	rd.points[name] = p
	rd.zone.points++
	return p
}

func (rd *reader) inZone(e *element) {
	read := map[string]func(*element){
		"zone": rd.readZone, "AS": rd.readZone, "host": rd.readHost, "router": rd.readRouter,
		"link": rd.readLink, "backbone": rd.readBackbone, "host_link": rd.readHostLink,
		"cluster": rd.readCluster, "cabinet": rd.readCabinet, "trace": rd.readTrace, "trace_connect": rd.readTraceConnect,
		"route": rd.readRoute, "zoneRoute": rd.readRoute, "ASroute": rd.readRoute,
		"bypassRoute": rd.readRoute, "bypassZoneRoute": rd.readRoute, "bypassASroute": rd.readRoute,
		"prop": func(*element) { rd.skip() },
	}[e.name]
	if read == nil {
		rd.unknown(e, "zone, host, router, link, backbone, host_link, cluster, cabinet, route, zoneRoute, bypassRoute, bypassZoneRoute, trace, trace_connect and prop")
		return
	}
	read(e)
}

// readHost reads a host.
func (rd *reader) readHost(e *element) {
	h := Host{Name: rd.required(e, "id")}
	states := rd.speeds(e)
	state, err := strconv.ParseFloat(e.optional("pstate", "0"), 64)
	if err != nil || !(state >= 0 && int(state) < len(states)) {
		rd.wrong(e, "pstate=%q: expected the number of one of its %d speeds, from 0 on", e.attributes["pstate"], len(states))
		return
	}
	h.Speed, h.Cores = states[int(state)], rd.count(e, "core", 1)
	if factor := rd.old(e, "availability", "1"); factor != "1" {
		x, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			rd.wrong(e, "availability=%q: expected a part of 1", factor)
		}
		h.Share = Shares{NewProfile(x)}
	}
	for _, attribute := range []string{"availability_file", "speed_file"} {
		if profile := rd.profile(e, attribute); profile != nil {
			h.Share = append(h.Share, profile)
		}
	}
	if len(h.Share) > 1 && !rd.third {
		rd.wrong(e, "availability_file and speed_file: expected one trace of its speed")
	}
	rd.readState(e, "speed_file")
	e.ignore("coordinates")
	rd.addHost(e, h)
	rd.only(e, "prop and disk", "prop", "disk", "mount") // supersteps use no disks
}

// speeds returns a host's speeds, one for each of its states. Version 3 calls them power.
func (rd *reader) speeds(e *element) (all []float64) {
	name := "speed"
	if rd.old(e, "power", "") != "" {
		name = "power"
	}
	for part := range strings.SplitSeq(rd.required(e, name), ",") {
		speed, err := speeds.parse(strings.TrimSpace(part))
		if err != nil {
			rd.wrong(e, "%s=%v", name, err)
		}
		all = append(all, speed)
	}
	return all
}

// old returns an attribute that only version 3 has, or otherwise in other versions.
func (rd *reader) old(e *element, name, otherwise string) string {
	if !rd.third {
		return otherwise
	}
	return e.optional(name, otherwise)
}

// addHost adds a host to the zone. The host is a separate Set.
func (rd *reader) addHost(e *element, h Host) *point {
	if !(h.Speed > 0) {
		rd.wrong(e, "host %s has no speed", h.Name)
	}
	p := rd.p
	h.point = rd.addPoint(e, h.Name)
	h.point.host = len(p.Hosts)
	if n := len(p.Sets); n > 0 && p.Hosts[p.Sets[n-1].Manager].point.zone == rd.zone {
		h.Set = n - 1
	} else if h.Set = slices.IndexFunc(p.Sets, func(s Set) bool { return p.Hosts[s.Manager].point.zone == rd.zone }); h.Set < 0 {
		h.Set = n
		p.Sets = append(p.Sets, Set{Name: rd.zone.name, Manager: len(p.Hosts)})
	}
	p.Hosts = append(p.Hosts, h)
	return h.point
}

func (rd *reader) readRouter(e *element) {
	e.ignore("coordinates")
	rd.addPoint(e, rd.required(e, "id"))
	rd.nothing(e)
}

// count returns an attribute that is a whole number from 1 on.
func (rd *reader) count(e *element, name string, otherwise int) int {
	text := e.optional(name, fmt.Sprint(otherwise))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		rd.wrong(e, "%s=%q: expected a whole number from 1 on", name, text)
	}
	return n
}
