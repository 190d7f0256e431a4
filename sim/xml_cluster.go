package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// mostHosts bounds a cluster, against files whose numbers are wrong.
const mostHosts = 10_000_000

// readCluster reads a zone of equal hosts in one element.
func (rd *reader) readCluster(e *element) {
	id := rd.required(e, "id")
	if kind := e.optional("topology", "FLAT"); kind != "FLAT" {
		rd.wrong(e, "topology=%q is not supported; expected FLAT", kind)
	}
	numbers, states, cores := rd.radical(e), rd.speeds(e), rd.count(e, "core", 1)
	private := rd.linkOf(e, id+"_link", "bw", "lat", -1)
	backbone := rd.linkOf(e, id+"_backbone", "bb_bw", "bb_lat", 0)
	limit := rd.figure(e, "limiter_link", rates, 0)
	loopback := rd.linkOf(e, id+"_loopback", "loopback_bw", "loopback_lat", 0)
	policy, shared := e.optional("sharing_policy", "SPLITDUPLEX"), e.optional("bb_sharing_policy", "SHARED")
	if policy == "FATPIPE" {
		policy = "SHARED" // as in SimGrid
	}
	if shared != "SHARED" && shared != "FATPIPE" {
		rd.wrong(e, "bb_sharing_policy=%q: expected SHARED or FATPIPE", shared)
	}
	prefix, suffix := e.optional("prefix", ""), e.optional("suffix", "")
	router := e.optional("router_id", prefix+id+"_router"+suffix)
	z := newZone(id)
	z.cluster = newCluster()
	defer rd.enter(e, z)()
	rd.p.loops = rd.p.loops || loopback.Rate > 0
	for _, number := range numbers {
		if rd.err != nil {
			return
		}
		at := rd.addHost(e, Host{Name: fmt.Sprint(prefix, number, suffix), Speed: states[0], Cores: cores})
		name := fmt.Sprint(id, "_link_", number)
		private.Name = name
		w := rd.addLink(e, private, policy)
		z.cluster.up[at], z.cluster.down[at] = w.up, w.down
		if limit > 0 {
			z.cluster.limit[at] = rd.addLink(e, Link{Name: name + "_limiter", Rate: limit}, "SHARED").up
		}
		if loopback.Rate > 0 {
			loopback.Name = name + "_loopback"
			z.cluster.loop[at] = rd.addLink(e, loopback, "FATPIPE").up
		}
	}
	if backbone.Rate > 0 {
		z.cluster.backbone = rd.addLink(e, backbone, shared).up
	}
	rd.addPoint(e, router)
	rd.only(e, "prop", "prop")
}

// readCabinet reads equal hosts of a cluster.
func (rd *reader) readCabinet(e *element) {
	z := rd.zone
	if z.cluster == nil {
		rd.wrong(e, "zone %s has another routing; a cabinet is for routing=\"Cluster\"", z.name)
		return
	}
	rd.required(e, "id")
	numbers, speed, private := rd.radical(e), rd.figure(e, "speed", speeds, -1), rd.linkOf(e, "", "bw", "lat", -1)
	prefix, suffix := e.optional("prefix", ""), e.optional("suffix", "")
	for _, number := range numbers {
		if rd.err != nil {
			return
		}
		h := Host{Name: fmt.Sprint(prefix, number, suffix), Speed: speed, Cores: 1}
		at := rd.addHost(e, h)
		private.Name = "link_" + h.Name
		w := rd.addLink(e, private, "SPLITDUPLEX")
		z.cluster.up[at], z.cluster.down[at] = w.up, w.down
	}
	rd.nothing(e)
}

// linkOf returns a link described by two attributes of a cluster. Without a rate it returns no link.
func (rd *reader) linkOf(e *element, name, rate, latency string, otherwise float64) Link {
	l := Link{Name: name, Rate: rd.figure(e, rate, rates, otherwise), Latency: rd.figure(e, latency, times, 0)}
	if l.Latency > 0 && !(l.Rate > 0) {
		rd.wrong(e, "%s=%q: expected %s beside it", latency, e.attributes[latency], rate)
	}
	return l
}

// radical reads the numbers of a cluster's hosts: 0-99,200.
func (rd *reader) radical(e *element) (numbers []int) {
	text := rd.required(e, "radical")
	for part := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && several {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || len(numbers)+to-from >= mostHosts {
			rd.wrong(e, "radical=%q: expected numbers such as 0-99,200", text)
			return nil
		}
		for n := from; n <= to; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
