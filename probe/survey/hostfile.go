package survey

import (
	"strconv"
	"time"

	"github.com/migbsp/migbsp/hostfile"
)

// HostFile returns the measured platform as a file of hosts, which can be emulated: speed
// is the part that ranks got of a core of the fastest host; rate and latency are measured.
// Of the two directions between Sets it has the slower rate and the mean latency.
// Unmeasured figures have their defaults.
func (s *Survey) HostFile() *hostfile.File {
	f := &hostfile.File{Name: "measured"}
	index := map[string]int{}
	for i, set := range s.Sets {
		index[set.Name] = i
		entry := hostfile.Set{
			Name: set.Name, Manager: set.Manager,
			Speed: hostfile.DefaultSpeed, Rate: hostfile.DefaultRate, Latency: hostfile.DefaultLatency,
		}
		if l := s.Link(set.Name, set.Name); l != nil {
			entry.Rate, entry.Latency = roundRate(l.Rate), roundLatency(l.Latency)
		}
		f.Sets = append(f.Sets, entry)
	}
	for _, h := range s.Hosts {
		f.Hosts = append(f.Hosts, hostfile.Host{Name: h.Name, Slots: len(h.Ranks), Set: index[h.Set], Speed: roundSpeed(h.Effective)})
	}
	for b := range s.Sets {
		for a := range b {
			there, back := s.Link(s.Sets[a].Name, s.Sets[b].Name), s.Link(s.Sets[b].Name, s.Sets[a].Name)
			if there == nil || back == nil {
				continue
			}
			f.Links = append(f.Links, hostfile.Link{
				A: a, B: b, Rate: min(roundRate(there.Rate), roundRate(back.Rate)),
				Latency: roundLatency((there.Latency + back.Latency) / 2),
			})
		}
	}
	return f
}

// roundSpeed, roundRate and roundLatency keep the digits that can be measured, within the
// limits of a file of hosts.
func roundSpeed(speed float64) float64 { return min(1, max(1e-3, rounded(speed))) }

// roundRate rounds bits per second, as files have them; a rate of 0 is too high to measure.
func roundRate(bytes float64) float64 {
	const most = 1e15
	if !(bytes > 0 && 8*bytes < most) {
		return most / 8
	}
	return max(1, rounded(8*bytes)) / 8
}

func roundLatency(seconds float64) time.Duration {
	d := time.Duration(rounded(seconds * float64(time.Second)))
	return min(time.Hour, max(0, d))
}

// rounded has three significant digits, and is the number nearest to its decimal text.
func rounded(x float64) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	return near
}
