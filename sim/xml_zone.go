package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// readZone reads a zone and all in it.
func (rd *reader) readZone(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	z := newZone(id)
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
		return rd.wrong(e, "routing=%q is not supported; expected Full, Floyd, Dijkstra, DijkstraCache, Cluster or None", kind)
	}
	if err := rd.enter(e, z); err != nil {
		return err
	}
	defer rd.leave(z)
	return rd.children(e, rd.inZone)
}

// enter goes into a zone, which becomes a point of the one around it.
func (rd *reader) enter(e *element, z *zone) error {
	if rd.p.root == nil {
		rd.p.root = z
	}
	if rd.zone != nil {
		self, err := rd.addPoint(e, z.name)
		if err != nil {
			return err
		}
		self.area, z.self = z, self
	}
	rd.zone = z
	return nil
}

func (rd *reader) leave(z *zone) { rd.zone = z.around() }

// addPoint adds a host, a router or a zone to the zone that is being read.
func (rd *reader) addPoint(e *element, name string) (*point, error) {
	if rd.points[name] != nil {
		return nil, rd.wrong(e, "there is another %q", name)
	}
	p := &point{name: name, zone: rd.zone, number: rd.zone.points, host: -1}
	rd.points[name] = p
	rd.zone.points++
	return p, nil
}

func (rd *reader) inZone(e *element) error {
	switch e.name {
	case "zone", "AS":
		return rd.readZone(e)
	case "host":
		return rd.readHost(e)
	case "router":
		return rd.readRouter(e)
	case "link":
		_, err := rd.readLink(e)
		return err
	case "backbone":
		return rd.readBackbone(e)
	case "host_link":
		return rd.readHostLink(e)
	case "cluster":
		return rd.readCluster(e)
	case "cabinet":
		return rd.readCabinet(e)
	case "route", "zoneRoute", "ASroute", "bypassRoute", "bypassZoneRoute", "bypassASroute":
		return rd.readRoute(e)
	case "trace":
		return rd.readTrace(e)
	case "trace_connect":
		return rd.readTraceConnect(e)
	case "prop":
		return rd.skip(e)
	}
	return rd.unknown(e, "zone, host, router, link, backbone, host_link, cluster, cabinet, route, zoneRoute, bypassRoute, bypassZoneRoute, trace, trace_connect and prop")
}

// readHost reads a host.
func (rd *reader) readHost(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	h := Host{Name: id, Cores: 1}
	states, err := rd.speeds(e)
	if err != nil {
		return err
	}
	state, err := strconv.ParseFloat(e.optional("pstate", "0"), 64)
	if err != nil || !(state >= 0 && int(state) < len(states)) {
		return rd.wrong(e, "pstate=%q: expected the number of one of its %d speeds, from 0 on", e.attributes["pstate"], len(states))
	}
	h.Speed = states[int(state)]
	if h.Cores, err = rd.count(e, "core", 1); err != nil {
		return err
	}
	if factor := rd.old(e, "availability", "1"); factor != "1" {
		x, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return rd.wrong(e, "availability=%q: expected a part of 1", factor)
		}
		h.Share = Shares{NewProfile(x)}
	}
	for _, attribute := range []string{"availability_file", "speed_file"} {
		if file := e.optional(attribute, ""); file != "" {
			profile, err := readProfile(rd.beside(file))
			if err != nil {
				return rd.wrong(e, "%v", err)
			}
			h.Share = append(h.Share, profile)
		}
	}
	if len(h.Share) > 1 && !rd.third {
		return rd.wrong(e, "availability_file and speed_file: expected one trace of its speed")
	}
	if err := rd.readState(e, "speed_file"); err != nil {
		return err
	}
	e.ignore("coordinates")
	if err := rd.addHost(e, h); err != nil {
		return err
	}
	return rd.children(e, func(child *element) error {
		switch child.name {
		case "prop", "disk", "mount": // supersteps use no disks
			return rd.skip(child)
		}
		return rd.unknown(child, "prop and disk in <host>")
	})
}

// speeds returns a host's speeds, one for each of its states. Version 3 calls them power.
func (rd *reader) speeds(e *element) ([]float64, error) {
	name := "speed"
	if rd.old(e, "power", "") != "" {
		name = "power"
	}
	text, err := rd.required(e, name)
	if err != nil {
		return nil, err
	}
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		speed, err := speeds.parse(strings.TrimSpace(part))
		if err != nil {
			return nil, rd.wrong(e, "%s=%v", name, err)
		}
		all = append(all, speed)
	}
	return all, nil
}

// old returns an attribute that only version 3 has, or otherwise in other versions.
func (rd *reader) old(e *element, name, otherwise string) string {
	if !rd.third {
		return otherwise
	}
	return e.optional(name, otherwise)
}

// addHost adds a host to the zone, which is a Set of its own.
func (rd *reader) addHost(e *element, h Host) error {
	if !(h.Speed > 0) {
		return rd.wrong(e, "host %s has no speed", h.Name)
	}
	at, err := rd.addPoint(e, h.Name)
	if err != nil {
		return err
	}
	p := rd.p
	if n := len(p.Sets); n == 0 || p.Hosts[p.Sets[n-1].Manager].point.zone != rd.zone {
		known := -1
		for i, set := range p.Sets {
			if p.Hosts[set.Manager].point.zone == rd.zone {
				known = i
			}
		}
		if known >= 0 {
			h.Set = known
		} else {
			h.Set = n
			p.Sets = append(p.Sets, Set{Name: rd.zone.name, Manager: len(p.Hosts)})
		}
	} else {
		h.Set = n - 1
	}
	h.point, at.host = at, len(p.Hosts)
	p.Hosts = append(p.Hosts, h)
	return nil
}

func (rd *reader) readRouter(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	e.ignore("coordinates")
	if _, err := rd.addPoint(e, id); err != nil {
		return err
	}
	return rd.nothing(e)
}

// count returns an attribute that is a whole number from 1 on.
func (rd *reader) count(e *element, name string, otherwise int) (int, error) {
	text := e.optional(name, fmt.Sprint(otherwise))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, rd.wrong(e, "%s=%q: expected a whole number from 1 on", name, text)
	}
	return n, nil
}
