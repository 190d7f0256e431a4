package sim

import (
	"slices"
	"strings"
)

// pending is a route whose ends may come later in the file.
type pending struct {
	element  *element
	zone     *zone
	links    []directed
	twoWays  bool
	bypass   bool // it replaces the route that would be found
	from, to string
	gateways [2]string // "" between hosts
}

// directed is a link in one of its directions.
type directed struct {
	wire
	backwards bool
}

func (d directed) index() int {
	if d.backwards {
		return d.down
	}
	return d.up
}

// readRoute reads a route between hosts, or between zones with their gateways.
func (rd *reader) readRoute(e *element) {
	r := pending{element: e, zone: rd.zone, bypass: strings.HasPrefix(e.name, "bypass"), from: rd.required(e, "src"), to: rd.required(e, "dst")}
	if !r.bypass && (rd.zone.cluster != nil && r.from != r.to || rd.zone.routing == none) {
		rd.wrong(e, "zone %s has no routes of its own", rd.zone.name)
	}
	if e.name != "route" && e.name != "bypassRoute" {
		r.gateways = [2]string{rd.required(e, "gw_src"), rd.required(e, "gw_dst")}
	}
	if !r.bypass {
		switch text := e.optional("symmetrical", "YES"); text {
		case "YES", "yes":
			r.twoWays = true
		case "NO", "no":
		default:
			rd.wrong(e, "symmetrical=%q: expected YES or NO", text)
		}
	}
	rd.children(e, func(child *element) {
		if child.name != "link_ctn" {
			rd.unknown(child, "link_ctn")
			return
		}
		r.links = append(r.links, rd.readStep(child))
		rd.nothing(child)
	})
	rd.routes = append(rd.routes, r)
}

func (rd *reader) readStep(e *element) directed {
	id, text := rd.required(e, "id"), e.optional("direction", "NONE")
	w, known := rd.links[id]
	switch {
	case !known:
		rd.wrong(e, "there is no link %q above", id)
	case text != "UP" && text != "DOWN" && text != "NONE":
		rd.wrong(e, "direction=%q: expected UP, DOWN or NONE", text)
	case text == "NONE" && w.up != w.down:
		rd.wrong(e, "link %s has two directions; expected direction=\"UP\" or \"DOWN\"", id)
	case text != "NONE" && w.up == w.down:
		rd.wrong(e, "direction=%q: link %s has one for both directions; expected none", text, id)
	}
	return directed{w, text == "DOWN"}
}

// join enters the routes, now that all points are there.
func (rd *reader) join() {
	for i := range rd.routes {
		if rd.err == nil {
			rd.enterRoute(&rd.routes[i])
		}
	}
}

func (rd *reader) enterRoute(r *pending) {
	from, to := rd.end(r, r.from), rd.end(r, r.to)
	if rd.err != nil {
		return
	}
	h, back := hop{from: from, to: to}, hop{from: to, to: from}
	for _, d := range r.links {
		h.links = append(h.links, d.index())
		d.backwards = !d.backwards
		back.links = append(back.links, d.index())
	}
	slices.Reverse(back.links)
	if r.gateways[0] != "" {
		h.from, h.to = rd.gateway(r, r.gateways[0], from), rd.gateway(r, r.gateways[1], to)
		back.from, back.to = h.to, h.from
	}
	rd.p.loops = rd.p.loops || from == to
	switch {
	case r.bypass:
		r.enterBypass(rd, from, to, h)
	case r.twoWays && from != to:
		r.zone.add(from, to, h)
		r.zone.add(to, from, back)
	default:
		r.zone.add(from, to, h)
	}
}

// enterBypass enters a route that replaces the route that would be found.
func (r *pending) enterBypass(rd *reader, from, to *point, h hop) {
	if r.zone.bypass == nil {
		r.zone.bypass = make(map[[2]*point]hop)
	}
	ends := [2]*point{from, to}
	if _, known := r.zone.bypass[ends]; known {
		rd.wrong(r.element, "there is another from %s to %s", r.from, r.to)
	}
	r.zone.bypass[ends] = h
}

// end returns a point at the end of a route.
func (rd *reader) end(r *pending, name string) *point {
	at, gateways := rd.points[name], r.gateways[0] != ""
	switch {
	case at == nil:
		rd.wrong(r.element, "there is no host, router or zone %q", name)
	case at.zone != r.zone && !(r.bypass && at.inside(r.zone)):
		rd.wrong(r.element, "%q is not in zone %s but in zone %s", name, r.zone.name, at.zone.name)
	case at.area != nil && !gateways:
		rd.wrong(r.element, "%q is a zone: expected <zoneRoute> with gateways", name)
	case at.area == nil && gateways:
		rd.wrong(r.element, "%q is no zone: expected <route>", name)
	}
	return at
}

// gateway returns the point where a route enters or leaves a zone.
func (rd *reader) gateway(r *pending, name string, area *point) *point {
	at := rd.points[name]
	switch {
	case at == nil || at.area != nil:
		rd.wrong(r.element, "there is no host or router %q", name)
	case !at.inside(area.area):
		rd.wrong(r.element, "gateway %q is not in zone %s", name, area.name)
	}
	return at
}

// inside reports whether a point is in a zone, or in one within it.
func (p *point) inside(z *zone) bool {
	for at := p.zone; at != nil; at = at.around() {
		if at == z {
			return true
		}
	}
	return false
}
