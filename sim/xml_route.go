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
func (rd *reader) readRoute(e *element) error {
	r := pending{element: e, zone: rd.zone, bypass: strings.HasPrefix(e.name, "bypass")}
	var err error
	if r.from, err = rd.required(e, "src"); err != nil {
		return err
	}
	if r.to, err = rd.required(e, "dst"); err != nil {
		return err
	}
	if !r.bypass && (rd.zone.cluster != nil && r.from != r.to || rd.zone.routing == none) {
		return rd.wrong(e, "zone %s has no routes of its own", rd.zone.name)
	}
	if e.name != "route" && e.name != "bypassRoute" {
		for i, name := range []string{"gw_src", "gw_dst"} {
			if r.gateways[i], err = rd.required(e, name); err != nil {
				return err
			}
		}
	}
	if !r.bypass {
		switch text := e.optional("symmetrical", "YES"); text {
		case "YES", "yes":
			r.twoWays = true
		case "NO", "no":
		default:
			return rd.wrong(e, "symmetrical=%q: expected YES or NO", text)
		}
	}
	err = rd.children(e, func(child *element) error {
		if child.name != "link_ctn" {
			return rd.unknown(child, "link_ctn")
		}
		d, err := rd.readStep(child)
		if err != nil {
			return err
		}
		r.links = append(r.links, d)
		return rd.nothing(child)
	})
	rd.routes = append(rd.routes, r)
	return err
}

func (rd *reader) readStep(e *element) (d directed, err error) {
	id, err := rd.required(e, "id")
	if err != nil {
		return d, err
	}
	w, known := rd.links[id]
	if !known {
		return d, rd.wrong(e, "there is no link %q above", id)
	}
	d.wire = w
	text := e.optional("direction", "NONE")
	switch {
	case text != "UP" && text != "DOWN" && text != "NONE":
		return d, rd.wrong(e, "direction=%q: expected UP, DOWN or NONE", text)
	case text == "NONE" && w.up != w.down:
		return d, rd.wrong(e, "link %s has two directions; expected direction=\"UP\" or \"DOWN\"", id)
	case text != "NONE" && w.up == w.down:
		return d, rd.wrong(e, "direction=%q: link %s has one for both directions; expected none", text, id)
	}
	d.backwards = text == "DOWN"
	return d, nil
}

// join enters the routes, now that all points are there.
func (rd *reader) join() error {
	for i := range rd.routes {
		if err := rd.enterRoute(&rd.routes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (rd *reader) enterRoute(r *pending) error {
	from, err := rd.end(r, r.from)
	if err != nil {
		return err
	}
	to, err := rd.end(r, r.to)
	if err != nil {
		return err
	}
	h, back := hop{from: from, to: to}, hop{from: to, to: from}
	for _, d := range r.links {
		h.links = append(h.links, d.index())
		d.backwards = !d.backwards
		back.links = append(back.links, d.index())
	}
	slices.Reverse(back.links)
	if r.gateways[0] != "" {
		if h.from, err = rd.gateway(r, r.gateways[0], from); err != nil {
			return err
		}
		if h.to, err = rd.gateway(r, r.gateways[1], to); err != nil {
			return err
		}
		back.from, back.to = h.to, h.from
	}
	rd.p.loops = rd.p.loops || from == to
	if r.bypass {
		return r.enterBypass(rd, from, to, h)
	}
	r.zone.add(from, to, h)
	if r.twoWays && from != to {
		r.zone.add(to, from, back)
	}
	return nil
}

// enterBypass enters a route that replaces the route that would be found.
func (r *pending) enterBypass(rd *reader, from, to *point, h hop) error {
	if r.zone.bypass == nil {
		r.zone.bypass = make(map[[2]*point]hop)
	}
	ends := [2]*point{from, to}
	if _, known := r.zone.bypass[ends]; known {
		return rd.wrong(r.element, "there is another from %s to %s", r.from, r.to)
	}
	r.zone.bypass[ends] = h
	return nil
}

// end returns a point at the end of a route.
func (rd *reader) end(r *pending, name string) (*point, error) {
	at := rd.points[name]
	if at == nil {
		return nil, rd.wrong(r.element, "there is no host, router or zone %q", name)
	}
	if at.zone != r.zone && !(r.bypass && at.inside(r.zone)) {
		return nil, rd.wrong(r.element, "%q is not in zone %s but in zone %s", name, r.zone.name, at.zone.name)
	}
	if (at.area != nil) != (r.gateways[0] != "") {
		if at.area != nil {
			return nil, rd.wrong(r.element, "%q is a zone: expected <zoneRoute> with gateways", name)
		}
		return nil, rd.wrong(r.element, "%q is no zone: expected <route>", name)
	}
	return at, nil
}

// gateway returns the point where a route enters or leaves a zone.
func (rd *reader) gateway(r *pending, name string, area *point) (*point, error) {
	at := rd.points[name]
	if at == nil || at.area != nil {
		return nil, rd.wrong(r.element, "there is no host or router %q", name)
	}
	if !at.inside(area.area) {
		return nil, rd.wrong(r.element, "gateway %q is not in zone %s", name, area.name)
	}
	return at, nil
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
