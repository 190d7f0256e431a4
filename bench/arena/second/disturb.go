package second

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/sim"
)

// disturb lets shares of hosts and links change during a run of about so many seconds.
func (m *machine) disturb(r source, p *sim.Platform, run float64) {
	if m.tenants {
		for i, chosen := range r.subset(len(p.Hosts), r.between(0.1, 0.8)) {
			if chosen {
				p.Hosts[i].Share = append(p.Hosts[i].Share, r.tenant(run))
			}
		}
	}
	if m.quotas {
		same := r.quota(run)
		for i, chosen := range r.subset(len(p.Hosts), r.between(0.1, 0.8)) {
			switch {
			case !chosen:
			case r.chance(0.5):
				p.Hosts[i].Share = append(p.Hosts[i].Share, same)
			default:
				p.Hosts[i].Share = append(p.Hosts[i].Share, r.quota(run))
			}
		}
	}
	if m.congested {
		m.congest(r, p, run)
	}
}

// mostChanges limits the length of a profile.
const mostChanges = 300

// tenant returns the share of a host on which other programs run at times.
func (r source) tenant(run float64) *sim.Profile {
	p := sim.NewProfile(1)
	quiet, busy := run*r.log(0.02, 1), run*r.log(0.02, 1)
	at := quiet * r.ExpFloat64()
	for k := 0; k < mostChanges && at < 4*run; k++ {
		if k%2 == 0 {
			p.Set(at, 1/float64(1+r.whole(1, 6)))
			at += busy * r.ExpFloat64()
		} else {
			p.Set(at, 1)
			at += quiet * r.ExpFloat64()
		}
	}
	return p
}

// quota returns a share that is reduced once, for a while, step by step, or periodically.
func (r source) quota(run float64) *sim.Profile {
	p, at := sim.NewProfile(1), run*r.between(0.02, 1.2)
	switch r.IntN(4) {
	case 0:
		p.Set(at, r.between(0.1, 0.8))
	case 1:
		p.Set(at, r.between(0.05, 0.6))
		p.Set(at+run*r.log(0.05, 1), 1)
	case 2:
		for share := 0.9; share > 0.2; share *= r.between(0.6, 0.95) {
			p.Set(at, share)
			at += run * r.between(0.02, 0.3)
		}
	default:
		return r.periodic(run)
	}
	return p
}

// periodic returns a share that is reduced during a part of each period.
func (r source) periodic(run float64) *sim.Profile {
	period := run / r.log(2, 200)
	text := fmt.Sprintf("0 1\n%g %g\nPERIODICITY %g\n", period*r.between(0.2, 0.9), r.between(0.05, 0.7), period)
	p, err := sim.ParseProfile("periodic", strings.NewReader(text))
	if err != nil {
		panic(err) // the text is always valid
	}
	return p
}

// congest reduces the rates of networks between Sets and raises their latencies. With one Set it
// changes the slow lines of hosts.
func (m *machine) congest(r source, p *sim.Platform, run float64) {
	for i := range p.Links {
		l := &p.Links[i]
		own := strings.HasSuffix(l.Name, "_UP") || strings.HasSuffix(l.Name, "_DOWN")
		if own && (len(m.sets) > 1 || r.chance(0.5)) {
			continue
		}
		part := r.tenant(run)
		l.Share = append(l.Share, part)
		if r.chance(0.4) {
			at := run * r.Float64()
			l.Delay = sim.NewProfile(l.Latency)
			l.Delay.Set(at, l.Latency*r.log(1, 10))
			l.Delay.Set(at+run*r.Float64(), l.Latency)
		}
	}
}
