package bags

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// grid reads the platform of the paper.
func (s *settings) grid() (*sim.Platform, error) {
	return sim.Read(filepath.Join(s.examples, "grid90.xml"))
}

// draw makes a platform of a master and 20 to 80 workers: speeds of 20 to 400 Mflop/s,
// lines of 0.1 to 100 MB/s and 1 to 200 ms, all equally likely on a scale of ratios.
func draw(session *frame.Session, seed uint64) (*sim.Platform, error) {
	random := rand.New(rand.NewPCG(seed, 90))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, random.Float64()) }
	var text strings.Builder
	text.WriteString(`<?xml version='1.0'?>
<platform version="4.1"><zone id="drawn" routing="Floyd"><router id="hub"/>
<link id="l0" bandwidth="1GBps" latency="0us" sharing_policy="FATPIPE"/>
<host id="master" speed="100Mf"/><route src="master" dst="hub"><link_ctn id="l0"/></route>
`)
	for k := range 20 + random.IntN(61) {
		fmt.Fprintf(&text, `<host id="w%d" speed="%gMf"/><link id="l%d" bandwidth="%gMBps" latency="%gms"/><route src="w%d" dst="hub"><link_ctn id="l%d"/></route>`+"\n",
			k, between(20, 400), k+1, between(0.1, 100), between(1, 200), k, k+1)
	}
	text.WriteString("</zone></platform>\n")
	file := filepath.Join(session.Dir, fmt.Sprintf("drawn-%d.xml", seed))
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		return nil, err
	}
	return sim.Read(file)
}

// slowLines makes lines between Sets long and thin: all links that ways between managers of
// two Sets have, and ways within Sets do not.
func slowLines(p *sim.Platform) {
	inner := make(map[int]bool)
	for i := range p.Hosts {
		if r, err := p.Route(p.Sets[p.Hosts[i].Set].Manager, i); err == nil {
			for _, link := range r.Links {
				inner[link] = true
			}
		}
	}
	for a := range p.Sets {
		for b := range p.Sets {
			r, err := p.Route(p.Sets[a].Manager, p.Sets[b].Manager)
			if err != nil || a == b {
				continue
			}
			for _, link := range r.Links {
				if !inner[link] && !isPrivate(p, link) {
					p.Links[link].Latency, p.Links[link].Rate = 0.1, 1e6
				}
			}
		}
	}
}

// isPrivate reports whether a link is a host's own: on ways from it to whatever Set.
func isPrivate(p *sim.Platform, link int) bool {
	for i := range p.Sets {
		m := p.Sets[i].Manager
		for host := range p.Hosts {
			if p.Hosts[host].Set != i || host == m {
				continue
			}
			for _, way := range [][2]int{{m, host}, {host, m}} {
				if r, err := p.Route(way[0], way[1]); err == nil && slices.Contains(r.Links, link) {
					return true
				}
			}
		}
	}
	return false
}
