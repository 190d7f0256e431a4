package simgrid

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// platformFile is a platform made at random: zones within zones, of all routings, with
// gateways on several sides, routes for one direction, links that routes share, bypasses,
// hosts with several speeds and with links to themselves, speeds and rates that change. It
// has all attributes that sim reads, but those that SimGrid 3.32 ends at: traces of links by
// trace_connect, and routing None where somebody asks for a route.
type platformFile struct {
	random *rand.Rand
	text   strings.Builder
	names  int
	files  map[string]string
	steady []string // hosts whose speed does not change
	direct bool     // without latencies, so that SimGrid too divides links equally
}

// profiles are what the files have that generated platforms name. Rates only fall, and latencies
// change before there are messages: SimGrid 3.32 may keep the old rate of a message when a link
// becomes faster, and ends early where latencies change under way.
var profiles = map[string]string{
	"speed":   "0.1 0.5\n1.5 0.25\n4 1\n",
	"again":   "PERIODICITY 3\n0 1\n1 0.3\n",
	"rate":    "0.2 2000000\n3 500000\n",
	"latency": "0.3 0.02\n",
	"on":      "0.2 1\n2 0.5\n",
}

// profile returns the name of a file with a profile, another each time: SimGrid refuses to
// read one twice.
func (f *platformFile) profile(kind string) string {
	name := f.name(kind)
	f.files[name] = profiles[kind]
	return name
}

// write writes a generated platform into a directory, with the files that it names.
func write(dir string, seed uint64) (file string, err error) {
	file = filepath.Join(dir, fmt.Sprintf("generated-%d.xml", seed))
	text, files := generate(seed)
	err = os.WriteFile(file, []byte(text), 0o644)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return file, err
}

// generate returns a platform, and the files that it names by their names; the same seed gives
// the same ones.
func generate(seed uint64) (text string, files map[string]string) {
	f := &platformFile{random: rand.New(rand.NewPCG(seed, 19)), direct: seed%2 == 0, files: make(map[string]string)}
	f.text.WriteString("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n")
	f.line("<trace id=\"trace\" periodicity=\"2.5\">0.0 1.0\n0.5 0.25\n1.5 0.75\n</trace>")
	f.line(`<trace id="file" periodicity="-1" file="%s"/>`, f.profile("speed"))
	f.zone(1+f.random.IntN(3), 3)
	f.text.WriteString("</platform>\n")
	return f.text.String(), f.files
}

func (f *platformFile) line(format string, args ...any) {
	fmt.Fprintf(&f.text, format+"\n", args...)
}

// name returns a unique name.
func (f *platformFile) name(kind string) string {
	f.names++
	return fmt.Sprint(kind, f.names)
}

func (f *platformFile) pick(from ...string) string { return from[f.random.IntN(len(from))] }

// zone writes a zone with others in it down to a depth, and returns its gateways.
func (f *platformFile) zone(depth, gateways int) []string {
	if depth > 0 {
		return f.zoneOfZones(depth, gateways)
	}
	switch f.random.IntN(5) {
	case 0:
		return f.cluster()
	case 1:
		return f.zoneOfLinks()
	}
	return f.zoneOfHosts(gateways)
}

// zoneOfZones writes a zone in which routes join others. SimGrid 3.32 ends where Dijkstra's
// routing leads through a zone from one gateway to another: there each zone has one.
func (f *platformFile) zoneOfZones(depth, gateways int) []string {
	routing := f.pick("Full", "Floyd", "Floyd", "Dijkstra", "DijkstraCache")
	id := f.name("zone")
	f.line(`<zone id="%s" routing="%s">`, id, routing)
	most := 3
	if strings.HasPrefix(routing, "Dijkstra") {
		most = 1
	}
	var inside []string
	ways := make(map[string][]string)
	for range 2 + f.random.IntN(4) {
		var name string
		below := len(f.text.String())
		gates := f.zone(f.random.IntN(depth), most)
		// The zone's name is the first that was written.
		name = between(f.text.String()[below:], `id="`, `"`)
		inside = append(inside, name)
		ways[name] = gates[:min(len(gates), most)]
	}
	links := f.links()
	joined := f.joins(len(inside), routing == "Full")
	for _, ends := range joined {
		a, b := inside[ends[0]], inside[ends[1]]
		f.routes("zoneRoute", a, b, fmt.Sprintf(` gw_src="%s" gw_dst="%s"`, f.pick(ways[a]...), f.pick(ways[b]...)),
			fmt.Sprintf(` gw_src="%s" gw_dst="%s"`, f.pick(ways[b]...), f.pick(ways[a]...)), links)
	}
	a, b := inside[0], inside[len(inside)-1]
	if from, to := f.pick(ways[a]...), f.pick(ways[b]...); router(from) && router(to) && f.random.IntN(2) == 0 {
		f.line(`<bypassZoneRoute src="%s" dst="%s" gw_src="%s" gw_dst="%s">%s</bypassZoneRoute>`, a, b, from, to, f.passing(links, false))
	}
	f.line(`</zone>`)
	var own []string
	for range gateways {
		own = append(own, f.pick(ways[f.pick(inside...)]...))
	}
	return own
}

// router reports whether a point is no host. From a bypass that leads to a host itself SimGrid
// goes on over the link of its messages to itself.
func router(name string) bool { return strings.Contains(name, "router") }

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// joins returns which of a number of points have a route: all of them, or enough to come
// from each to each, and some more.
func (f *platformFile) joins(points int, all bool) [][2]int {
	var joined [][2]int
	for b := range points {
		for a := range b {
			if all || a == b-1 || f.random.IntN(3) == 0 {
				joined = append(joined, [2]int{a, b})
			}
		}
	}
	return joined
}

// routes writes a route for both directions or one for each.
func (f *platformFile) routes(kind, a, b, there, back string, links []linkName) {
	if f.random.IntN(2) == 0 {
		f.line(`<%s src="%s" dst="%s"%s%s>%s</%s>`, kind, a, b, there, f.pick("", ` symmetrical="YES"`, ` symmetrical="yes"`), f.passing(links, false), kind)
		return
	}
	f.line(`<%s src="%s" dst="%s"%s symmetrical="NO">%s</%s>`, kind, a, b, there, f.passing(links, false), kind)
	f.line(`<%s src="%s" dst="%s"%s symmetrical="NO">%s</%s>`, kind, b, a, back, f.passing(links, true), kind)
}

// linkName is a link, which may have two directions.
type linkName struct {
	name  string
	split bool
}

func (f *platformFile) latency() string {
	if f.direct {
		return "0s"
	}
	return fmt.Sprintf("%dus", 10+f.random.IntN(2000))
}

func (f *platformFile) rate() string { return fmt.Sprintf("%dMBps", 1+f.random.IntN(100)) }

// links writes links for routes to share.
func (f *platformFile) links() []linkName {
	var all []linkName
	for range 3 + f.random.IntN(5) {
		l := linkName{name: f.name("link")}
		policy := f.pick("SHARED", "SHARED", "FATPIPE", "SPLITDUPLEX", "FULLDUPLEX")
		l.split = strings.HasSuffix(policy, "DUPLEX")
		f.line(`<link id="%s" bandwidth="%s" latency="%s" sharing_policy="%s"%s/>`, l.name, f.rate(), f.latency(), policy, f.changing(l.split))
		all = append(all, l)
	}
	return all
}

// changing returns attributes of a link that changes, for few links: SimGrid 3.32 ends at one
// with two directions.
func (f *platformFile) changing(split bool) string {
	if split || f.random.IntN(4) > 0 {
		return ""
	}
	kinds := []string{"bandwidth_file rate", "state_file on", "latency_file latency"}
	if f.direct {
		kinds = kinds[:2]
	}
	attribute, kind, _ := strings.Cut(f.pick(kinds...), " ")
	return fmt.Sprintf(` %s="%s"`, attribute, f.profile(kind))
}

// passing writes the links of a route.
func (f *platformFile) passing(links []linkName, backwards bool) string {
	var text strings.Builder
	for _, i := range f.random.Perm(len(links))[:1+f.random.IntN(3)] {
		direction := f.pick("", "", ` direction="NONE"`)
		if links[i].split && backwards {
			direction = ` direction="DOWN"`
		} else if links[i].split {
			direction = ` direction="UP"`
		}
		fmt.Fprintf(&text, `<link_ctn id="%s"%s/>`, links[i].name, direction)
	}
	return text.String()
}

// host writes a host with some speeds.
func (f *platformFile) host() string {
	name, speeds := f.name("host"), 1+f.random.IntN(3)
	var all []string
	for range speeds {
		all = append(all, fmt.Sprintf("%dMf", 100+f.random.IntN(2000)))
	}
	more := f.pick("", ` coordinates="1 2 3"`)
	if f.random.IntN(2) == 0 {
		attribute, kind, _ := strings.Cut(f.pick("speed_file speed", "speed_file again", "availability_file speed", "state_file on"), " ")
		more += fmt.Sprintf(` %s="%s"`, attribute, f.profile(kind))
	} else {
		f.steady = append(f.steady, name)
	}
	f.line(`<host id="%s" speed="%s" pstate="%d" core="%d"%s/>`, name, strings.Join(all, ","), f.random.IntN(speeds), 1+f.random.IntN(2), more)
	return name
}

// zoneOfHosts writes a zone with routes between hosts and routers.
func (f *platformFile) zoneOfHosts(gateways int) []string {
	routing := f.pick("Full", "Floyd", "Floyd", "Dijkstra")
	id := f.name("zone")
	f.line(`<zone id="%s" routing="%s">`, id, routing)
	var points, hosts []string
	for i := range 3 + f.random.IntN(5) {
		if i > 0 && f.random.IntN(3) == 0 {
			points = append(points, f.name("router"))
			f.line(`<router id="%s"%s/>`, points[len(points)-1], f.pick("", ` coordinates="1 2 3"`))
			continue
		}
		points = append(points, f.host())
		hosts = append(hosts, points[len(points)-1])
	}
	links := f.links()
	for _, ends := range f.joins(len(points), routing == "Full") {
		f.routes("route", points[ends[0]], points[ends[1]], "", "", links)
	}
	if f.random.IntN(2) == 0 {
		self := f.pick(hosts...)
		f.line(`<route src="%s" dst="%s" symmetrical="NO">%s</route>`, self, self, f.passing(links, false))
	}
	if f.random.IntN(3) == 0 {
		f.line(`<bypassRoute src="%s" dst="%s">%s</bypassRoute>`, points[0], points[len(points)-1], f.passing(links, false))
	}
	if len(f.steady) > 0 && f.random.IntN(2) == 0 {
		f.line(`<trace_connect kind="%s" trace="%s" element="%s"/>`, f.pick("SPEED", "SPEED", "HOST_AVAIL"), f.pick("trace", "file"), f.steady[0])
		f.steady = nil
	}
	f.line(`</zone>`)
	var own []string
	for range gateways {
		own = append(own, f.pick(points...))
	}
	return own
}

// cluster writes a cluster in one element.
func (f *platformFile) cluster() []string {
	id := f.name("cluster")
	more := ""
	if f.random.IntN(2) == 0 {
		more += fmt.Sprintf(` bb_bw="%s" bb_lat="%s" bb_sharing_policy="%s"`, f.rate(), f.latency(), f.pick("SHARED", "FATPIPE"))
	}
	if f.random.IntN(2) == 0 {
		more += fmt.Sprintf(` loopback_bw="%s" loopback_lat="%s"`, f.rate(), f.latency())
	}
	if f.random.IntN(3) == 0 {
		more += fmt.Sprintf(` limiter_link="%s"`, f.rate())
	}
	router := fmt.Sprintf("%s-%s_router.x", id, id)
	if f.random.IntN(3) == 0 {
		router = f.name("router")
		more += fmt.Sprintf(` router_id="%s" topology="FLAT" core="%d"`, router, 1+f.random.IntN(2))
	}
	f.line(`<cluster id="%s" prefix="%s-" suffix=".x" radical="0-%d,9" speed="%dMf,%dMf" bw="%s" lat="%s" sharing_policy="%s"%s/>`,
		id, id, 1+f.random.IntN(3), 100+f.random.IntN(2000), 100, f.rate(), f.latency(), f.pick("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"), more)
	return []string{router}
}

// zoneOfLinks writes a cluster whose hosts and links stand for themselves.
func (f *platformFile) zoneOfLinks() []string {
	id := f.name("zone")
	f.line(`<zone id="%s" routing="Cluster">`, id)
	if f.random.IntN(2) == 0 {
		f.line(`<cabinet id="%s" prefix="%s-" suffix="" radical="1-%d" speed="%dMf" bw="%s" lat="%s"/>`,
			f.name("cabinet"), id, 1+f.random.IntN(3), 100+f.random.IntN(2000), f.rate(), f.latency())
	}
	var links []string
	for range 1 + f.random.IntN(3) {
		host, up := f.host(), f.name("link")
		down := up
		f.line(`<link id="%s" bandwidth="%s" latency="%s"/>`, up, f.rate(), f.latency())
		if f.random.IntN(2) == 0 {
			down = f.name("link")
			f.line(`<link id="%s" bandwidth="%s" latency="%s"/>`, down, f.rate(), f.latency())
		}
		links = append(links, fmt.Sprintf(`<host_link id="%s" up="%s" down="%s"/>`, host, up, down))
	}
	f.line("%s", strings.Join(links, "\n"))
	router := f.name("router")
	f.line(`<router id="%s"/>`, router)
	f.line(`<backbone id="%s" bandwidth="%s" latency="%s"/>`, f.name("backbone"), f.rate(), f.latency())
	f.line(`</zone>`)
	return []string{router}
}
