package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// mostHosts bounds a cluster, against files whose numbers are wrong.
const mostHosts = 10_000_000

// readCluster reads a zone of equal hosts in one element.
func (rd *reader) readCluster(e *element) error {
	id, err := rd.required(e, "id")
	if err != nil {
		return err
	}
	if kind := e.optional("topology", "FLAT"); kind != "FLAT" {
		return rd.wrong(e, "topology=%q is not supported; expected FLAT", kind)
	}
	numbers, err := rd.radical(e)
	if err != nil {
		return err
	}
	states, err := rd.speeds(e)
	if err != nil {
		return err
	}
	cores, err := rd.count(e, "core", 1)
	if err != nil {
		return err
	}
	private, err := rd.linkOf(e, id+"_link", "bw", "lat", -1)
	if err != nil {
		return err
	}
	backbone, err := rd.linkOf(e, id+"_backbone", "bb_bw", "bb_lat", 0)
	if err != nil {
		return err
	}
	limit, err := rd.figure(e, "limiter_link", rates, 0)
	if err != nil {
		return err
	}
	loopback, err := rd.linkOf(e, id+"_loopback", "loopback_bw", "loopback_lat", 0)
	if err != nil {
		return err
	}
	policy, shared := e.optional("sharing_policy", "SPLITDUPLEX"), e.optional("bb_sharing_policy", "SHARED")
	if policy == "FATPIPE" {
		policy = "SHARED" // as in SimGrid
	}
	if shared != "SHARED" && shared != "FATPIPE" {
		return rd.wrong(e, "bb_sharing_policy=%q: expected SHARED or FATPIPE", shared)
	}
	prefix, suffix := e.optional("prefix", ""), e.optional("suffix", "")
	router := e.optional("router_id", prefix+id+"_router"+suffix)
	z := newZone(id)
	z.cluster = newCluster()
	if err := rd.enter(e, z); err != nil {
		return err
	}
	defer rd.leave(z)
	rd.p.loops = rd.p.loops || loopback.Rate > 0
	for _, number := range numbers {
		h := Host{Name: fmt.Sprint(prefix, number, suffix), Speed: states[0], Cores: cores}
		if err := rd.addHost(e, h); err != nil {
			return err
		}
		at, name := rd.p.Hosts[len(rd.p.Hosts)-1].point, fmt.Sprint(id, "_link_", number)
		private.Name = name
		w, err := rd.addLink(e, private, policy)
		if err != nil {
			return err
		}
		z.cluster.up[at], z.cluster.down[at] = w.up, w.down
		if limit > 0 {
			if err := rd.addPrivate(e, z.cluster.limit, at, Link{Name: name + "_limiter", Rate: limit}); err != nil {
				return err
			}
		}
		if loopback.Rate > 0 {
			loopback.Name, loopback.Unlimited = name+"_loopback", true
			if err := rd.addPrivate(e, z.cluster.loop, at, loopback); err != nil {
				return err
			}
		}
	}
	if backbone.Rate > 0 {
		w, err := rd.addLink(e, backbone, shared)
		if err != nil {
			return err
		}
		z.cluster.backbone = w.up
	}
	if _, err := rd.addPoint(e, router); err != nil {
		return err
	}
	return rd.properties(e)
}

// addPrivate adds a link of one of a cluster's hosts.
func (rd *reader) addPrivate(e *element, links map[*point]int, at *point, l Link) error {
	policy := "SHARED"
	if l.Unlimited {
		policy = "FATPIPE"
	}
	w, err := rd.addLink(e, l, policy)
	links[at] = w.up
	return err
}

// readCabinet reads equal hosts of a cluster.
func (rd *reader) readCabinet(e *element) error {
	z := rd.zone
	if z.cluster == nil {
		return rd.wrong(e, "zone %s has another routing; a cabinet is for routing=\"Cluster\"", z.name)
	}
	if _, err := rd.required(e, "id"); err != nil {
		return err
	}
	numbers, err := rd.radical(e)
	if err != nil {
		return err
	}
	speed, err := rd.figure(e, "speed", speeds, -1)
	if err != nil {
		return err
	}
	private, err := rd.linkOf(e, "", "bw", "lat", -1)
	if err != nil {
		return err
	}
	prefix, suffix := e.optional("prefix", ""), e.optional("suffix", "")
	for _, number := range numbers {
		h := Host{Name: fmt.Sprint(prefix, number, suffix), Speed: speed, Cores: 1}
		if err := rd.addHost(e, h); err != nil {
			return err
		}
		private.Name = "link_" + h.Name
		w, err := rd.addLink(e, private, "SPLITDUPLEX")
		if err != nil {
			return err
		}
		at := rd.p.Hosts[len(rd.p.Hosts)-1].point
		z.cluster.up[at], z.cluster.down[at] = w.up, w.down
	}
	return rd.nothing(e)
}

// linkOf returns a link by two attributes of a cluster. Without a rate there is none.
func (rd *reader) linkOf(e *element, name, rate, latency string, otherwise float64) (l Link, err error) {
	l.Name = name
	if l.Rate, err = rd.figure(e, rate, rates, otherwise); err != nil {
		return l, err
	}
	l.Latency, err = rd.figure(e, latency, times, 0)
	if err == nil && l.Latency > 0 && !(l.Rate > 0) {
		err = rd.wrong(e, "%s=%q: expected %s beside it", latency, e.attributes[latency], rate)
	}
	return l, err
}

// radical reads the numbers of a cluster's hosts: 0-99,200.
func (rd *reader) radical(e *element) ([]int, error) {
	text, err := rd.required(e, "radical")
	if err != nil {
		return nil, err
	}
	var numbers []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && several {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || len(numbers)+to-from >= mostHosts {
			return nil, rd.wrong(e, "radical=%q: expected numbers such as 0-99,200", text)
		}
		for n := from; n <= to; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}
