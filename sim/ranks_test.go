package sim

import (
	"slices"
	"testing"

	"github.com/migbsp/migbsp/rebalancer"
)

// A host of many cores is no faster for one process than a core is, and does not look
// so to rescheduling.
func TestCoresAreRanks(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="z" routing="Full">
		<cluster id="old" prefix="o" suffix="" radical="0-0" speed="1Gf" core="8" bw="1GBps" lat="0us"/>
		<cluster id="new" prefix="n" suffix="" radical="0-0" speed="2Gf" core="2" bw="1GBps" lat="0us"/>
		<link id="l" bandwidth="1GBps" latency="0us"/>
		<zoneRoute src="old" dst="new" gw_src="oold_router" gw_dst="nnew_router"><link_ctn id="l"/></zoneRoute>
	</zone></platform>`)
	w := &Ring{Size: 2, Length: 40, Flops: 1e9, Bytes: 1, Kept: 1000}
	off := simulate(t, p, w, "off", Report{})
	var last []rebalancer.Move
	r := simulate(t, p, w, "auto", Report{Call: func(c *CallRecord) {
		if len(c.Decision.Moves) > 0 {
			last = slices.Clone(c.Decision.Moves)
		}
	}})
	if r.Where[0] != 1 || r.Where[1] != 1 || r.Time > 0.6*off.Time {
		t.Errorf("%v in %g s, without moves %g s; want both on the two fast cores", r.Where, r.Time, off.Time)
	}
	for _, m := range last {
		if m.From != 0 || m.To != 1 {
			t.Errorf("move %+v; want from host 0 to host 1", m)
		}
	}
}

// What moves between cores of a host does not move.
func TestMovesWithinAHostAreNone(t *testing.T) {
	p := &Platform{Hosts: []Host{{Name: "a", Speed: 1e9, Cores: 2}, {Name: "b", Speed: 1e9, Cores: 1}}}
	s := newCores(p)
	if got, want := s.deal(p, []int32{0, 1, 0, 0}), []int32{0, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("dealt %v, want %v", got, want)
	}
	d := s.ofHosts(rebalancer.Decision{
		Moves:    []rebalancer.Move{{Pid: 0, From: 0, To: 1}, {Pid: 3, From: 0, To: 2}},
		Verdicts: []rebalancer.Verdict{{Pid: 0, To: 1}, {Pid: 1, To: -1}, {Pid: 3, To: 2}},
	})
	if len(d.Moves) != 1 || d.Moves[0] != (rebalancer.Move{Pid: 3, From: 0, To: 1}) || d.Verdicts[0].To != 0 || d.Verdicts[1].To != -1 || d.Verdicts[2].To != 1 {
		t.Errorf("%+v", d)
	}
}
