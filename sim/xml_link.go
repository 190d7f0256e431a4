package sim

// readLink reads a link: one for both directions, or one for each if it has a policy of its
// own.
func (rd *reader) readLink(e *element) {
	l := Link{Name: rd.required(e, "id"), Rate: rd.figure(e, "bandwidth", rates, -1), Latency: rd.figure(e, "latency", times, 0)}
	if profile := rd.profile(e, "bandwidth_file"); profile != nil {
		l.Share = append(l.Share, profile.over(l.Rate))
	}
	rd.readState(e, "bandwidth_file")
	if profile := rd.profile(e, "latency_file"); profile != nil {
		l.Delay = profile.from(l.Latency)
	}
	rd.addLink(e, l, e.optional("sharing_policy", "SHARED"))
	rd.only(e, "prop", "prop")
}

// addLink adds a link under its name.
func (rd *reader) addLink(e *element, l Link, policy string) (w wire) {
	if _, known := rd.links[l.Name]; known {
		rd.wrong(e, "there is another link %q", l.Name)
	}
	if !(l.Rate > 0) {
		rd.wrong(e, "link %s has no bandwidth", l.Name)
	}
	switch policy {
	case "SHARED", "FATPIPE":
		l.Unlimited = policy == "FATPIPE"
		w.up = rd.p.addLink(l)
		w.down = w.up
	case "SPLITDUPLEX", "FULLDUPLEX":
		name := l.Name
		l.Name = name + "_UP"
		w.up = rd.p.addLink(l)
		l.Name = name + "_DOWN"
		w.down = rd.p.addLink(l)
		rd.links[l.Name], rd.links[name+"_UP"] = wire{w.down, w.down}, wire{w.up, w.up}
		l.Name = name
	default:
		rd.wrong(e, "sharing policy %q: expected SHARED, FATPIPE or SPLITDUPLEX", policy)
	}
	rd.links[l.Name] = w
	return w
}

func (p *Platform) addLink(l Link) int {
	p.Links = append(p.Links, l)
	return len(p.Links) - 1
}

// readBackbone reads the link that all hosts of a zone share.
func (rd *reader) readBackbone(e *element) {
	if rd.zone.cluster == nil {
		rd.wrong(e, "zone %s has routing of another kind; a backbone is for routing=\"Cluster\"", rd.zone.name)
		return
	}
	rd.zone.cluster.backbone = rd.addLink(e, rd.linkOf(e, rd.required(e, "id"), "bandwidth", "latency", -1), "SHARED").up
	rd.nothing(e)
}

// readHostLink reads which links lead to a host of a cluster and from it.
func (rd *reader) readHostLink(e *element) {
	id := rd.required(e, "id")
	c := rd.zone.cluster
	at := rd.points[id]
	if c == nil || at == nil || at.zone != rd.zone {
		rd.wrong(e, "there is no host %q in this zone, which must have routing=\"Cluster\"", id)
		return
	}
	for name, links := range map[string]map[*point]int{"up": c.up, "down": c.down} {
		link := rd.required(e, name)
		w, known := rd.links[link]
		if !known {
			rd.wrong(e, "%s=%q: there is no such link above", name, link)
		}
		if w.up != w.down {
			rd.wrong(e, "%s=%q: this link has two directions; expected %s_UP or %s_DOWN", name, link, link, link)
		}
		links[at] = w.up
	}
	rd.nothing(e)
}
