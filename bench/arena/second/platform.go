package second

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/sim"
)

// machine is a platform before it is built.
type machine struct {
	sets    []network // in the order of their hosts
	hosts   []host    // ascending by set
	between [][]network
	barrier float64 // seconds of each superstep

	tenants, quotas, congested bool // changes in mid-run
}

// network is a Set's, or joins two Sets.
type network struct{ rate, latency float64 } // bytes per second, seconds

type host struct {
	set             int
	speed, declared float64 // of a core, 1 is sim.Reference; declared is 0 if it is right
	cores           int
	line            network // of its own, zero for its Set's
}

// family is a kind of platforms. build makes one of about so many hosts.
type family struct {
	name  string
	build func(r source, hosts int) *machine
}

var families = []family{
	{"level", level},
	{"tiers", tiers},
	{"spread", spread},
	{"cores", cores},
	{"islands", islands},
	{"outpost", outpost},
	{"misdeclared", misdeclared},
	{"tenants", func(r source, n int) *machine { return changing(r, n, func(m *machine) { m.tenants = true }) }},
	{"quotas", func(r source, n int) *machine { return changing(r, n, func(m *machine) { m.quotas = true }) }},
	{"congested", congested},
	{"everything", everything},
}

// lan is a quick network.
func (r source) lan() network { return network{r.log(1e8, 1e10) / 8, r.log(1e-5, 2e-4)} }

// slow is a network from 5 Mb/s to 10 Gb/s with a latency from 0.1 to 50 ms.
func (r source) slow() network { return network{r.log(5e6, 1e10) / 8, r.log(1e-4, 5e-2)} }

func level(r source, n int) *machine {
	m := &machine{sets: []network{r.lan()}}
	speed := r.log(0.3, 4)
	for range n {
		m.hosts = append(m.hosts, host{speed: speed, cores: 1})
	}
	if r.chance(0.3) {
		m.barrier = r.log(1e-5, 1e-3)
	}
	return m
}

func tiers(r source, n int) *machine {
	m := level(r, n)
	speeds := make([]float64, r.whole(2, 4))
	for i := range speeds {
		speeds[i] = r.log(0.2, 5)
	}
	for i := range m.hosts {
		m.hosts[i].speed = speeds[r.IntN(len(speeds))]
	}
	return m
}

func spread(r source, n int) *machine {
	m := level(r, n)
	for i := range m.hosts {
		m.hosts[i].speed *= r.factor(0.6)
	}
	return m
}

func cores(r source, n int) *machine {
	m := tiers(r, n)
	for i := range m.hosts {
		m.hosts[i].cores = r.whole(1, 32)
	}
	return m
}

// islands are 2 to 5 Sets with slow networks between them.
func islands(r source, n int) *machine {
	parts := 2 + r.IntN(4)
	m := level(r, max(n, parts))
	m.divide(r, parts)
	for set := range m.sets {
		m.sets[set] = r.lan()
		speed := r.log(0.3, 4)
		for i := range m.hosts {
			if m.hosts[i].set == set {
				m.hosts[i].speed = speed
			}
		}
	}
	return m
}

// divide puts the hosts into Sets of random sizes.
func (m *machine) divide(r source, parts int) {
	m.sets = make([]network, parts)
	m.between = make([][]network, parts)
	for a := range parts {
		m.between[a] = make([]network, parts)
		for b := range a {
			m.between[a][b] = r.slow()
		}
	}
	ends := r.Perm(len(m.hosts) - 1)[:parts-1]
	for i := range m.hosts {
		for _, end := range ends {
			if i > end {
				m.hosts[i].set++
			}
		}
	}
}

// outpost has hosts that only a slow line reaches.
func outpost(r source, n int) *machine {
	m := spread(r, max(n, 2))
	line := r.slow()
	for i, far := range r.subset(len(m.hosts), r.between(0.1, 0.6)) {
		if far {
			m.hosts[i].line = line
			if r.chance(0.3) {
				m.hosts[i].line = r.slow()
			}
		}
	}
	return m
}

// misdeclared has hosts that are not as fast as declared.
func misdeclared(r source, n int) *machine {
	m := []func(source, int) *machine{level, tiers, spread, islands, cores}[r.IntN(5)](r, n)
	sigma := r.between(0.1, 0.8)
	for i, wrong := range r.subset(len(m.hosts), r.between(0.1, 1)) {
		if wrong {
			m.hosts[i].declared = m.hosts[i].speed * r.factor(sigma)
		}
	}
	return m
}

func changing(r source, n int, change func(m *machine)) *machine {
	m := []func(source, int) *machine{level, tiers, spread, islands}[r.IntN(4)](r, n)
	change(m)
	return m
}

func congested(r source, n int) *machine {
	m := islands(r, n)
	if r.chance(0.4) {
		m = outpost(r, n)
	}
	m.congested = true
	return m
}

func everything(r source, n int) *machine {
	m := islands(r, n)
	for i := range m.hosts {
		h := &m.hosts[i]
		h.speed *= r.factor(0.4)
		h.cores = r.whole(1, 4)
		if r.chance(0.4) {
			h.declared = h.speed * r.factor(0.4)
		}
		if r.chance(0.1) {
			h.line = r.slow()
		}
	}
	m.tenants, m.quotas, m.congested = r.chance(0.5), r.chance(0.3), r.chance(0.3)
	return m
}

// platform builds the platform, as it is before its shares change.
func (m *machine) platform() (*sim.Platform, error) {
	f := &hostfile.File{Name: "second", Barrier: seconds(m.barrier)}
	for i, s := range m.sets {
		f.Sets = append(f.Sets, hostfile.Set{Name: fmt.Sprint("s", i), Speed: 1, Rate: s.rate, Latency: seconds(s.latency)})
	}
	for i, h := range m.hosts {
		f.Hosts = append(f.Hosts, hostfile.Host{Name: hostName(i), Slots: h.cores, Set: h.set, Speed: h.speed})
	}
	for a, row := range m.between {
		for b, n := range row[:a] {
			f.Links = append(f.Links, hostfile.Link{A: a, B: b, Rate: n.rate, Latency: seconds(n.latency)})
		}
	}
	p, err := sim.FromHosts(f)
	if err != nil {
		return nil, err
	}
	for i, h := range m.hosts {
		p.Hosts[i].Declared = h.declared * sim.Reference
		if h.line.rate > 0 {
			for k := range p.Links {
				if l := &p.Links[k]; l.Name == hostName(i)+"_UP" || l.Name == hostName(i)+"_DOWN" {
					l.Rate, l.Latency = h.line.rate, h.line.latency/2
				}
			}
		}
	}
	return p, nil
}

func hostName(i int) string { return fmt.Sprint("h", i) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// speed returns the operations per second of all hosts together.
func (m *machine) speed() (sum float64) {
	for _, h := range m.hosts {
		sum += h.speed * float64(h.cores) * sim.Reference
	}
	return sum
}

// rates returns the rates of all networks, in the order of their description.
func (m *machine) rates() (all []float64) {
	for _, s := range m.sets {
		all = append(all, s.rate)
	}
	for a, row := range m.between {
		for _, n := range row[:a] {
			all = append(all, n.rate)
		}
	}
	for _, h := range m.hosts {
		if h.line.rate > 0 {
			all = append(all, h.line.rate)
		}
	}
	return all
}
