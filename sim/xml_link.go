package sim

// readLink reads a link: one for both directions, or one for each if it has a policy of its
// own.
func (rd *reader) readLink(e *element) (wire, error) {
	id, err := rd.required(e, "id")
	if err != nil {
		return wire{}, err
	}
	l := Link{Name: id}
	if l.Rate, err = rd.figure(e, "bandwidth", rates, -1); err != nil {
		return wire{}, err
	}
	if l.Latency, err = rd.figure(e, "latency", times, 0); err != nil {
		return wire{}, err
	}
	if file := e.optional("bandwidth_file", ""); file != "" {
		profile, err := readProfile(rd.beside(file))
		if err != nil {
			return wire{}, rd.wrong(e, "%v", err)
		}
		l.Share = append(l.Share, profile.over(l.Rate))
	}
	if err := rd.readState(e, "bandwidth_file"); err != nil {
		return wire{}, err
	}
	if file := e.optional("latency_file", ""); file != "" {
		profile, err := readProfile(rd.beside(file))
		if err != nil {
			return wire{}, rd.wrong(e, "%v", err)
		}
		l.Delay = profile.from(l.Latency)
	}
	w, err := rd.addLink(e, l, e.optional("sharing_policy", "SHARED"))
	if err != nil {
		return w, err
	}
	return w, rd.properties(e)
}

// addLink adds a link under its name.
func (rd *reader) addLink(e *element, l Link, policy string) (wire, error) {
	if _, known := rd.links[l.Name]; known {
		return wire{}, rd.wrong(e, "there is another link %q", l.Name)
	}
	if !(l.Rate > 0) {
		return wire{}, rd.wrong(e, "link %s has no bandwidth", l.Name)
	}
	var w wire
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
		rd.links[name] = w
		return w, nil
	default:
		return w, rd.wrong(e, "sharing policy %q: expected SHARED, FATPIPE or SPLITDUPLEX", policy)
	}
	rd.links[l.Name] = w
	return w, nil
}

func (p *Platform) addLink(l Link) int {
	p.Links = append(p.Links, l)
	return len(p.Links) - 1
}

// readBackbone reads the link that all hosts of a zone share.
func (rd *reader) readBackbone(e *element) error {
	if rd.zone.cluster == nil {
		return rd.wrong(e, "zone %s has routing %s; a backbone is for routing=\"Cluster\"", rd.zone.name, "of another kind")
	}
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	l, err := rd.linkOf(e, id, "bandwidth", "latency", -1)
	if err != nil {
		return err
	}
	w, err := rd.addLink(e, l, "SHARED")
	if err != nil {
		return err
	}
	rd.zone.cluster.backbone = w.up
	return rd.nothing(e)
}

// readHostLink reads which links lead to a host of a cluster and from it.
func (rd *reader) readHostLink(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	c := rd.zone.cluster
	at := rd.points[id]
	if c == nil || at == nil || at.zone != rd.zone {
		return rd.wrong(e, "there is no host %q in this zone, which must have routing=\"Cluster\"", id)
	}
	for name, links := range map[string]map[*point]int{"up": c.up, "down": c.down} {
		link, err := rd.required(e, name)
		if err != nil {
			return err
		}
		w, known := rd.links[link]
		if !known {
			return rd.wrong(e, "%s=%q: there is no such link above", name, link)
		}
		if w.up != w.down {
			return rd.wrong(e, "%s=%q: this link has two directions; expected %s_UP or %s_DOWN", name, link, link, link)
		}
		links[at] = w.up
	}
	return rd.nothing(e)
}
