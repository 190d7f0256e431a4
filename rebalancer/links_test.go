package rebalancer

import (
	"slices"
	"testing"
)

func TestLinksAreCorrectedWhereTheyDifferMuch(t *testing.T) {
	p, watch := Uniform(2, Link{}), new(LinkWatch)
	corrected := func(known, found Link) Link {
		p.Links = [][]Link{{known}}
		links, lines := watch.Corrected(&p, MeasuredLinks{Links: [][]Link{{found}}})
		if lines != nil || p.Links[0][0] != known {
			t.Errorf("lines %v and links %v were made up", lines, p.Links)
		}
		return links[0][0]
	}
	known := Link{Latency: 1e-3, PerByte: 1e-8}
	for _, c := range []struct {
		name        string
		found, want Link
	}{
		{"the same", known, known},
		{"not measured", Link{}, known},
		{"a little faster and slower", Link{Latency: 0.9e-3, PerByte: 1.2e-8}, known},
		{"throttled", Link{Latency: 1.1e-3, PerByte: 1e-6}, Link{Latency: 1e-3, PerByte: 1e-6}},
		{"farther", Link{Latency: 5e-3, PerByte: 1e-8}, Link{Latency: 5e-3, PerByte: 1e-8}},
		{"without a rate", Link{Latency: 1e-3}, known},
		{"freed", Link{Latency: 1e-3, PerByte: 1e-10}, Link{Latency: 1e-3, PerByte: 1e-10}},
	} {
		if got := corrected(known, c.found); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	fast := Link{Latency: 1e-6, PerByte: 1e-10}
	if got := corrected(fast, Link{Latency: 5e-6, PerByte: 0.7e-10}); got != fast {
		t.Errorf("differences of no account changed %+v to %+v", fast, got)
	}
}

// A slow line belongs to a host. If the host is a manager's, its measurements of links are
// not used.
func TestSlowLinesAreNotLinks(t *testing.T) {
	const usual, slow, trunk = 1e-8, 1e-6, 1e-9
	within, between := Link{Latency: 1e-4, PerByte: usual}, Link{Latency: 1e-3, PerByte: trunk}
	at := Link{Latency: 1e-4, PerByte: slow}
	p := Platform{
		Sets:  []Set{{Manager: 0}, {Manager: 3}},
		Ranks: []Rank{{Set: 0}, {Set: 0}, {Set: 0}, {Set: 1}, {Set: 1}, {Set: 1}},
		Links: [][]Link{{within, between}, {between, within}},
	}
	far := Link{Latency: 1e-3, PerByte: slow}
	for _, c := range []struct {
		name  string
		found MeasuredLinks
		links [][]Link
		lines []float64
	}{
		{"the manager's line", MeasuredLinks{[][]Link{{at, far}, {far, within}}, []float64{slow, usual, usual, usual, usual, usual}}, p.Links, []float64{slow, 0, 0, 0, 0, 0}},
		{"another line", MeasuredLinks{p.Links, []float64{usual, usual, usual, usual, slow, usual}}, p.Links, []float64{0, 0, 0, 0, slow, 0}},
		{"the link of the Sets", MeasuredLinks{[][]Link{{within, far}, {far, within}}, []float64{usual, usual, usual, usual, usual, usual}},
			[][]Link{{within, far}, {far, within}}, make([]float64, 6)},
		{"all of a Set", MeasuredLinks{[][]Link{{at, between}, {between, within}}, []float64{slow, slow, slow, usual, usual, 0}},
			[][]Link{{at, between}, {between, within}}, make([]float64, 6)},
	} {
		links, lines := new(LinkWatch).Corrected(&p, c.found)
		if !slices.EqualFunc(links, c.links, slices.Equal) || !slices.Equal(lines, c.lines) {
			t.Errorf("%s: %v and lines %v, want %v and %v", c.name, links, lines, c.links, c.lines)
		}
	}
	p.Lines = []float64{slow, 0, 0, 0, 0, 0}
	if p.Line(0) != slow || p.Line(1) != usual || p.Transfer(0, 1, 1e6) != 1e-4+1 || !Impaired(p.Links, &p) {
		t.Errorf("lines %g and %g", p.Line(0), p.Line(1))
	}
	_, lines := new(LinkWatch).Corrected(&p, MeasuredLinks{p.Links, slices.Repeat([]float64{usual}, 6)})
	if p.Lines = lines; Impaired(p.Links, &p) {
		t.Errorf("a line that was freed is still %g", lines[0])
	}
}

func TestNeighboursMeetEachOther(t *testing.T) {
	if NeighbourRounds(2) != nil {
		t.Error("two hosts cannot be told apart")
	}
	for n := 3; n < 9; n++ {
		met := make(map[[2]int]bool)
		for _, round := range NeighbourRounds(n) {
			busy := make(map[int]bool)
			for _, p := range round {
				if busy[p[0]] || busy[p[1]] || (p[0]+1)%n != p[1] || met[p] {
					t.Errorf("%d hosts: %v", n, NeighbourRounds(n))
				}
				busy[p[0]], busy[p[1]], met[p] = true, true, true
			}
		}
		if len(met) != n {
			t.Errorf("%d hosts: %v", n, NeighbourRounds(n))
		}
	}
}

// The time of measurements during the run stays below its share, and slow
// links are measured less often.
func TestMeasuringKeepsToItsShare(t *testing.T) {
	const share, calls, interval = 0.005, 1000, 0.3
	times := map[float64]int{}
	least := func(latency float64) float64 {
		p := Uniform(2, Link{Latency: latency, PerByte: 1e-8})
		return LeastLinkTime(&p, 3)
	}
	for _, latency := range []float64{1e-5, 1e-2} {
		b, spent := LinkWatch{Share: share}, 0.0
		for range calls {
			b.Credit(interval, calls*interval, 0, least(latency))
			if now := b.Spend(); now > 0 {
				if now < least(latency) {
					t.Fatalf("a budget of %g s, less than %g", now, least(latency))
				}
				times[latency]++
				spent += now
			}
		}
		if spent > calls*interval*share+1e-3 {
			t.Errorf("latency %g: %g s of %g", latency, spent, calls*interval)
		}
	}
	if !(times[1e-5] > 10*times[1e-2] && times[1e-2] > 0) {
		t.Errorf("times that links were measured, by latency: %v", times)
	}
	b := LinkWatch{Share: share}
	if soon := b.Credit(1, 3600, 1, least(1e-2)); soon || b.Spend() != 0 {
		t.Error("links are measured after a surprise of little account")
	}
	if soon := b.Credit(1, 3600, 100, least(1e-2)); !soon || b.Spend() != least(1e-2) || b.Spend() != 0 {
		t.Error("links are not measured once after a surprise")
	}
	b = LinkWatch{Share: share}
	spent := 0.0
	for range calls {
		b.Credit(interval, calls*interval, 1, least(1e-5))
		if b.Spend() > 0 {
			spent += 0.2 // more than the budget: ranks answer late
			b.Took(0.2)
		}
	}
	if spent > 0.2+calls*interval*share {
		t.Errorf("ranks that answer late: %g s of %g", spent, calls*interval)
	}
	if b = (LinkWatch{}); b.Credit(3600, 3600, 1e9, 1e-3) || b.Spend() != 0 {
		t.Error("links are measured in a run that does not measure")
	}
}

// A run of nine seconds whose hosts answer late borrows at most once, and repays; a run whose loan
// would exceed its share of the time does not borrow.
func TestLinksAreMeasuredOnLoanOnce(t *testing.T) {
	const whole, interval, least, really = 9, 0.5, 0.02, 0.28
	b, spent := LinkWatch{Share: 0.005}, 0.0
	for range int(whole / interval) {
		b.Credit(interval, whole, 18, least)
		if b.Spend() > 0 {
			spent += really
			b.Took(really)
		}
	}
	if spent != really {
		t.Errorf("%g s of %d s, want %g", spent, whole, really)
	}
	b = LinkWatch{Share: 0.005}
	if soon := b.Credit(interval, whole, 18, 0.6); soon || b.Spend() != 0 {
		t.Error("0.6 s are borrowed in a run of 9 s")
	}
	for range 3 {
		b.Took(0.1)
	}
	if b.Credit(59, 600, 0, 0.001); b.Spend() != 0 {
		t.Error("0.295 s that were saved pay for more than the 0.3 s that are owed")
	}
	for range 40 {
		b.Credit(1, 600, 0, 0.001)
	}
	if b.Spend() == 0 {
		t.Error("nothing is measured after a debt was paid back")
	}
}
