package rebalancer

import "slices"

// autoTalk is who exchanges data with whom, both ways, by pid.
type autoTalk struct {
	start []int32 // of a pid's peers
	peers []autoPeer
}

// autoPeer is one direction of the traffic with another process.
type autoPeer struct {
	pid   int32
	out   bool // the bytes go to it, they do not come from it
	bytes int64
}

func newAutoTalk(c *costModel) autoTalk {
	n := len(c.index)
	t := autoTalk{start: make([]int32, n+1)}
	eachTraffic(c, func(from, to int, _ int64) {
		t.start[from+1]++
		t.start[to+1]++
	})
	for pid := range n {
		t.start[pid+1] += t.start[pid]
	}
	t.peers = make([]autoPeer, t.start[n])
	next := slices.Clone(t.start)
	eachTraffic(c, func(from, to int, bytes int64) {
		t.peers[next[from]] = autoPeer{pid: int32(to), out: true, bytes: bytes}
		t.peers[next[to]] = autoPeer{pid: int32(from), bytes: bytes}
		next[from]++
		next[to]++
	})
	return t
}

// eachTraffic calls f for all traffic between different processes, by receiver.
func eachTraffic(c *costModel, f func(from, to int, bytes int64)) {
	if !c.talks {
		return
	}
	for pid := range c.index {
		p := c.process(pid)
		if p == nil {
			continue
		}
		for _, traffic := range p.Partners {
			if traffic.Pid >= 0 && traffic.Pid < len(c.index) && traffic.Pid != pid && traffic.Bytes > 0 {
				f(traffic.Pid, pid, traffic.Bytes)
			}
		}
	}
}

// of lists the peers of a process.
func (t *autoTalk) of(pid int) []autoPeer { return t.peers[t.start[pid]:t.start[pid+1]] }

// silent tells that nothing is known to be exchanged.
func (t *autoTalk) silent() bool { return len(t.peers) == 0 }
