package rebalancer

import (
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A rank that has lost most of its processes computes in a burst, at a rate that it could not sustain
// for all of them. Its time under the initial mapping follows from its share, unless messages take so
// long that its quota would never be used up. A rank with at least its initial load shows its rate.
func TestABurstIsNoRate(t *testing.T) {
	const share = 0.25
	p := Platform{Ranks: []Rank{{Speed: 1}, {Speed: 1}}, Sets: []Set{{}}}
	v := View{Platform: &p, Learned: &Learned{Speeds: []float64{1, 1}, Available: []float64{share, 0.9}}, Snapshot: &Snapshot{Ranks: []RankState{{Rank: 0, Burst: 1}, {Rank: 1}}}}
	left := []Audit{
		{Rank: 0, Wall: []float32{0.1}, Parts: []HomeWork{{Home: 0, Work: []float32{0.1}}}},
		{Rank: 1, Wall: []float32{1}, Parts: []HomeWork{{Home: 0, Work: []float32{0.3}}, {Home: 1, Work: []float32{0.4}}}},
	}
	// All work of rank 0 has returned, and runs slower than its share suggests; no work of rank 1 has.
	back := []Audit{{Rank: 0, Wall: []float32{4}, Parts: []HomeWork{{Home: 0, Work: []float32{0.4}}, {Home: 1, Work: []float32{0.4}}}}}
	for _, c := range []struct {
		name                      string
		audits                    []Audit
		burst                     float64
		exchange, throttled, want float64
	}{
		{"left", left, 1, 0, 0, 0.4 / share},
		{"left, with messages that take long", left, 1, 2, 0, 0.4 / 0.7},
		{"left, with messages that used the quota up", left, 1, 2, 1, (0.4/0.7 + 0.4/share) / 2},
		{"left, without a quota", left, 0, 0, 1, 0.4 / 0.7},
		{"come back", back, 1, 0, 0, 0.4 / 0.2},
	} {
		v.Snapshot.Audits, v.Snapshot.Ranks[0].Burst = c.audits, c.burst
		a := newAudited(v, v.sampled(), speedRange, c.exchange, c.throttled)
		if math.Abs(a.start-c.want) > 1e-6 {
			t.Errorf("%s: with all processes where they began %.3g s, want %.3g", c.name, a.start, c.want)
		}
		if least := a.start - a.off; a.off < 0 || c.throttled > 0 && c.burst > 0 && math.Abs(least-0.4/0.7) > 1e-6 {
			t.Errorf("%s: %.3g s at least, want %.3g", c.name, least, 0.4/0.7)
		}
	}
}

// Ranks of a host share its quota: a rank with more work than the others gets the share that they
// leave, and the total work takes the time that the quota requires. The same holds for shared cores.
func TestAHostIsDoneWhenItsRanksAre(t *testing.T) {
	const cores = 0.12
	v := View{Platform: &Platform{Sets: []Set{{}}}, Learned: new(Learned), Snapshot: new(Snapshot)}
	for rank, host := range []string{"slow", "slow", "slow", "slow", "fast"} {
		share := cores / 4
		if host == "fast" {
			share = 1
		}
		v.Platform.Ranks = append(v.Platform.Ranks, Rank{Host: host, Speed: 1, Cores: cores})
		v.Learned.Speeds, v.Learned.Available = append(v.Learned.Speeds, 1), append(v.Learned.Available, share)
		v.Snapshot.Ranks = append(v.Snapshot.Ranks, RankState{Rank: rank})
	}
	began := []float32{0.004, 0.001, 0.001, 0} // work of the processes that began on the slow host
	all := Audit{Rank: 4, Wall: []float32{0.006}}
	for home, work := range began {
		all.Parts = append(all.Parts, HomeWork{Home: home, Work: []float32{work}})
	}
	v.Snapshot.Audits = []Audit{all}
	for _, burst := range []float64{0, 1} {
		for rank := range 4 {
			v.Snapshot.Ranks[rank].Burst = burst
		}
		for _, speeds := range []speedsOf{speedRange, likelySpeed} {
			if got := newAudited(v, v.sampled(), speeds, 0, 0).start; math.Abs(got-0.006/cores) > 1e-6 {
				t.Errorf("burst %g: with all processes where they began %.3g s, want %.3g", burst, got, 0.006/cores)
			}
		}
	}
	if c := New(*v.Platform, []int32{0, 1, 2, 3, 4}, must.Get(Parse("auto"))(t)); math.Abs(c.auditor.shares[0]-cores) > 1e-6 {
		t.Errorf("alone on its host a rank has %.3g of a core, want %.3g", c.auditor.shares[0], cores)
	}
}

// Sustained rates apply within one quota: a hot process that moves over the ranks during the run makes
// one rank after another slow, even if all ranks have the same total work.
func TestQuotasDoNotOutlastAWanderingLoad(t *testing.T) {
	const ranks, steps, share = 9, 400, 0.1
	home, all := make([]int32, ranks-1), make([]float64, ranks)
	for pid := range home {
		home[pid] = int32(1 + pid)
	}
	v := View{Platform: &Platform{Sets: []Set{{}}}, Learned: &Learned{}, Snapshot: &Snapshot{}}
	for rank := range ranks {
		all[rank] = 1
		v.Platform.Ranks = append(v.Platform.Ranks, Rank{Speed: 1})
		v.Learned.Speeds, v.Learned.Available = append(v.Learned.Speeds, 1), append(v.Learned.Available, share)
		v.Snapshot.Ranks = append(v.Snapshot.Ranks, RankState{Rank: rank, Burst: 1, Steps: steps, Elapsed: 0.017 * steps})
	}
	a, where := auditor{start: home}, make([]int32, ranks-1)
	a.restart(where, all)
	for step := range steps {
		var o Observation
		for pid := range home {
			work := 0.001
			if pid == step*len(home)/steps {
				work = 0.01
			}
			o.Processes = append(o.Processes, Measure{Pid: pid, Time: work})
		}
		a.observe(&o, where, all)
	}
	v.Snapshot.Audits = a.report(v.Snapshot.Ranks)
	if got := newAudited(v, v.sampled(), speedRange, 0, 0).start; got < 0.7*0.01/share {
		t.Errorf("where processes began %.3g s, want about %.3g", got, 0.01/share)
	}
}

// A sleeping process sleeps equally long on any rank, regardless of its share of the core, and its rank
// computes at its normal rate while the process is awake.
func TestSleepTakesAsLongAnywhere(t *testing.T) {
	a := auditor{start: []int32{0, 0, 1}}
	a.restart([]int32{1, 0, 1}, []float64{0.1, 0.5})
	for range 2 * auditSamples {
		a.observe(&Observation{Processes: []Measure{{Pid: 0, Time: 0.03, Span: 0.04, Wait: 0.02}, {Pid: 1, Time: 0.02, Span: 0.2}, {Pid: 2, Time: 0.01, Span: 0.02}}},
			[]int32{1, 0, 1}, []float64{1, 1})
	}
	v := View{
		Platform: &Platform{Ranks: []Rank{{Speed: 1}, {Speed: 1}}, Sets: []Set{{}}}, Learned: &Learned{Speeds: []float64{1, 1}, Available: []float64{0.1, 0.5}},
		Snapshot: &Snapshot{Ranks: []RankState{{Rank: 0}, {Rank: 1}}, Audits: a.report([]RankState{{Rank: 0}, {Rank: 1}})},
	}
	// Rank 0 computes 0.02 and 0.01 s on a tenth of a core, and sleeps 0.02 s.
	if got := newAudited(v, v.sampled(), speedRange, 0, 0).start; math.Abs(got-0.32) > 1e-6 {
		t.Errorf("where processes began %.3g s, want 0.32", got)
	}
	if lost := a.exposure / (2 * auditSamples); math.Abs(lost-(0.2-0.32)) > 1e-6 {
		t.Errorf("%.3g s lost in a superstep, want %.3g", lost, 0.2-0.32)
	}
}

// Thinning leaves the samples that a larger stride would have drawn, one per stride, and samples of
// periodic loads cover all phases.
func TestSamplesHaveNoPeriod(t *testing.T) {
	var a auditor
	a.start = []int32{0}
	a.restart([]int32{0}, []float64{1})
	const seen = 5000
	for step := range seen {
		o := Observation{Processes: []Measure{{Pid: 0, Time: float64(1 + step)}}}
		a.observe(&o, []int32{0}, []float64{1})
	}
	var drawnNow []float32
	for step := range seen {
		if (draw{nth: step}).stays(a.stride) {
			drawnNow = append(drawnNow, float32(1+step))
		}
	}
	if left := a.report([]RankState{{Rank: 0}})[0].Wall; !slices.Equal(left, drawnNow) || len(drawnNow) < auditSamples/auditThin {
		t.Errorf("of %d supersteps %v are left, want %v", seen, left, drawnNow)
	}
	for period := 2; period <= 9; period++ {
		phases := map[int]int{}
		n := 0
		for step := range 27 * 81 {
			if (draw{nth: step}).stays(27) {
				phases[step%period]++
				n++
			}
		}
		for phase := range period {
			if got := phases[phase]; got < n/period/3 || got > 3*n/period {
				t.Errorf("of %d samples of a load with period %d %d are of phase %d", n, period, got, phase)
			}
		}
	}
}
