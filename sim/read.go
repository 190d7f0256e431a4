package sim

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/migbsp/migbsp/hostfile"
)

// Read reads a platform: as SimGrid describes them, of versions 3 and 4, or a file of
// hosts (see FromHosts). Elements and attributes of SimGrid that it does not know are
// errors: a platform that is half understood is another one.
func Read(path string) (*Platform, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) {
		return parseXML(path, bytes.NewReader(text))
	}
	f, err := hostfile.Parse(path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if !f.Emulated() {
		return nil, fmt.Errorf("%s: there are no speeds and rates in it: expected #@set lines with speed=, rate=, latency=", path)
	}
	return FromHosts(f)
}

// mostPlatform is the maximum size of a platform in bytes: 300,000 hosts at 200 bytes for a host
// with its link and route. Reading a larger one takes more memory.
const mostPlatform = 64 << 20

// readFile returns the text of a platform, which may come from a pipe.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostPlatform+1))
	if err == nil && len(text) > mostPlatform {
		err = fmt.Errorf("%s has more than %d bytes; expected a platform", path, mostPlatform)
	}
	return text, err
}

// Reference is the speed, in operations per second, of a host of speed 1 in a file of
// hosts.
const Reference = 1e9

// FromHosts returns the platform of a host file. Each slot is a core. A host has its own link in each
// direction, with half of its Set's latency; Sets are joined by a link in each direction, with the
// rest of the latency between them. Files with shares of hosts and links over time are relative to
// the directory of f.Name, see ParseProfile.
func FromHosts(f *hostfile.File) (*Platform, error) {
	shares := make(shareFiles)
	p := &Platform{Name: f.Name, root: newZone(f.Name), Fixed: f.Barrier.Seconds()}
	var sets, routers []*point
	for _, set := range f.Sets {
		z := newZone(set.Name)
		z.cluster = newCluster()
		z.self = &point{name: set.Name, zone: p.root, host: -1, area: z}
		sets, routers = append(sets, z.self), append(routers, &point{name: set.Name + "_router", zone: z, host: -1})
		p.Sets = append(p.Sets, Set{Name: set.Name, Manager: -1})
	}
	for _, h := range f.Hosts {
		if h.Slots == 0 {
			continue
		}
		share, err := shares.read(f, h.Share)
		if err != nil {
			return nil, err
		}
		p.addSlots(f, &h, sets[h.Set].area)
		p.Hosts[len(p.Hosts)-1].Share = share
	}
	for a := range f.Sets {
		for b := range f.Sets {
			if a == b {
				continue
			}
			between := f.Between(a, b)
			inside := (f.Sets[a].Latency + f.Sets[b].Latency) / 2
			share, err := shares.read(f, between.Share)
			if err != nil {
				return nil, err
			}
			link := p.addLink(Link{
				Name: f.Sets[a].Name + "-" + f.Sets[b].Name, Rate: between.Rate,
				Latency: max(0, between.Latency-inside).Seconds(), Share: share,
			})
			p.root.add(sets[a], sets[b], hop{links: []int{link}, from: routers[a], to: routers[b]})
		}
	}
	return p, nil
}

// shareFiles caches files of shares by name.
type shareFiles map[string]Shares

// read reads a file that a file of hosts names.
func (r shareFiles) read(f *hostfile.File, share hostfile.Share) (Shares, error) {
	if share.File == "" || r[share.File] != nil {
		return r[share.File], nil
	}
	p, err := readProfile(share.File, f.Name)
	if err != nil {
		return nil, fmt.Errorf("%s:%d:%d: share: %w", f.Name, share.Line, share.Col, err)
	}
	r[share.File] = Shares{p}
	return r[share.File], nil
}

// addSlots adds a host of a file to the zone of its Set.
func (p *Platform) addSlots(f *hostfile.File, h *hostfile.Host, z *zone) {
	set := &f.Sets[h.Set]
	at := &point{name: h.Name, zone: z, host: len(p.Hosts)}
	l := Link{Name: h.Name + "_UP", Rate: set.Rate, Latency: set.Latency.Seconds() / 2}
	z.cluster.up[at] = p.addLink(l)
	l.Name = h.Name + "_DOWN"
	z.cluster.down[at] = p.addLink(l)
	if p.Sets[h.Set].Manager < 0 || set.Manager == h.Name {
		p.Sets[h.Set].Manager = at.host
	}
	p.Hosts = append(p.Hosts, Host{Name: h.Name, Speed: h.Speed * Reference, Cores: h.Slots, Set: h.Set, point: at})
}
