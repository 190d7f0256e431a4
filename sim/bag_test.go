package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

// starOf is a platform of a master and workers with the given speeds in Mflop/s, each over a
// line of its own with a latency of 0.1 s and 1 MB/s.
func starOf(t *testing.T, speeds ...float64) *Platform {
	t.Helper()
	var text strings.Builder
	text.WriteString(`<platform version="4.1"><zone id="z" routing="Floyd"><router id="hub"/>` +
		`<link id="l" bandwidth="1GBps" latency="0us" sharing_policy="FATPIPE"/><host id="master" speed="1Gf"/><route src="master" dst="hub"><link_ctn id="l"/></route>`)
	for i, speed := range speeds {
		fmt.Fprintf(&text, `<host id="w%d" speed="%gMf"/><link id="l%d" bandwidth="1MBps" latency="100ms"/><route src="w%d" dst="hub"><link_ctn id="l%d"/></route>`, i, speed, i, i, i)
	}
	text.WriteString("</zone></platform>")
	return parsed(t, text.String())
}

func runBagOn(t *testing.T, p *Platform, load, policy string, change func(c *BagConfig)) (*BagResult, []ChunkRecord) {
	t.Helper()
	b := must.Get(ParseBag(load))(t)
	spec := must.Get(bag.Parse(policy))(t)
	where := must.Get(b.Place(p, 0, "contiguous"))(t)
	var chunks []ChunkRecord
	c := &BagConfig{Platform: p, Bag: b, Policy: spec, Where: where, Report: func(r *ChunkRecord) { chunks = append(chunks, *r) }}
	if change != nil {
		change(c)
	}
	r, err := RunBag(context.Background(), c)
	if err != nil {
		t.Fatalf("%s, %s: %v", load, policy, err)
	}
	return r, chunks
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// Two workers of 100 Mflop/s, four tasks of 100 Mflop and 100 kB: a chunk of one task takes 0.2 s to
// send and 1 s to compute, and its report 0.1 s.
func TestBagByHand(t *testing.T) {
	p := starOf(t, 100, 100)
	const load = "bag:n=4,flops=1e8,kb=100"
	for _, c := range []struct {
		name   string
		time   float64
		change func(*BagConfig)
	}{
		// The second chunk leaves when the first one has arrived: at 0.2 s. The third is sent
		// when the first is reported, at 1.3 s, the fourth at 1.5 s: 1.5 + 0.2 + 1 + 0.1.
		{"serial", 2.8, nil},
		{"parallel", 2.6, func(c *BagConfig) { c.Parallel = true }},
		{"with a cost of 0.5 s", 2.8 + 0.5*3, func(c *BagConfig) { c.Bag.Cost = 0.5 }},
		// 50 kB take 0.05 s longer for each report.
		{"with results", 2.8 + 2*0.05, func(c *BagConfig) { c.Bag.Reply = 50e3 }},
	} {
		r, chunks := runBagOn(t, p, load, "workqueue", c.change)
		if !near(r.Time, c.time) || r.Messages != 8 || len(chunks) != 4 || !near(r.Bound, 2) {
			t.Errorf("%s: %g s, want %g s; %d messages, %d chunks, bound %g s", c.name, r.Time, c.time, r.Messages, len(chunks), r.Bound)
		}
		if w := r.Workers[0]; w.Chunks != 2 || w.Tasks != 2 || !near(w.Busy, 2) {
			t.Errorf("%s: %+v", c.name, w)
		}
	}
	r, chunks := runBagOn(t, p, load, "workqueue", nil)
	if c := chunks[2]; c.Worker != 0 || c.First != 2 || !near(c.Asked, 1.2) || !near(c.Given, 1.3) || !near(c.Came, 1.5) || !near(c.Ended, 2.5) {
		t.Errorf("%+v", c)
	}
	if got := r.Workers[0].Idle; !near(got, 0.3) {
		t.Errorf("idle for %g s at the end, want 0.3 s", got)
	}
}

// Messages of a master that sends at once share its line.
func TestBagSharesLines(t *testing.T) {
	p := starOf(t, 100, 100)
	for i := range p.Links {
		if p.Links[i].Name == "l" {
			p.Links[i].Rate, p.Links[i].Unlimited = 1e6, false
		}
	}
	r, _ := runBagOn(t, p, "bag:n=2,flops=1e8,kb=100", "workqueue", func(c *BagConfig) { c.Parallel = true })
	if !near(r.Time, 0.1+0.2+1+0.1) {
		t.Errorf("%g s, want 1.4 s", r.Time)
	}
}

// The policy auto loses to no other policy, and stays close to the bound.
func TestBagAutoDoesNotLose(t *testing.T) {
	p := must.Get(Read("../examples/grid90.xml"))(t)
	for _, load := range []string{
		"bag:n=1000,flops=1e8,workers=64", "bag:n=1000,flops=1e9", "bag:n=10000,flops=1e8", "bag:n=10000,flops=5e8,workers=64",
	} {
		for _, parallel := range []bool{false, true} {
			as := func(c *BagConfig) { c.Parallel = parallel }
			ours, _ := runBagOn(t, p, load, "auto", as)
			for _, policy := range []string{"workqueue", "static", "gss", "factoring", "lds,beta=5", "lds,beta=20"} {
				if r, _ := runBagOn(t, p, load, policy, as); ours.Time > 1.01*r.Time {
					t.Errorf("%s, parallel %v: auto takes %.4g s, %s %.4g s", load, parallel, ours.Time, policy, r.Time)
				}
			}
			b := must.Get(ParseBag(load))(t)
			where := must.Get(b.Place(p, 0, "contiguous"))(t)
			bound := b.Bound(p, where)
			if !parallel {
				bound = must.Get(serialBound(b, p, 0, where))(t)
			}
			if b.Tasks >= 10000 && ours.Time > 1.035*bound {
				t.Errorf("%s, parallel %v: auto takes %.3f times the bound", load, parallel, ours.Time/bound)
			}
			if ours.Time < bound {
				t.Errorf("%s, parallel %v: auto takes %g s, and nothing takes less than %g s", load, parallel, ours.Time, bound)
			}
		}
	}
}

// A host without computing power is given up, and other hosts compute its tasks.
func TestBagWithADeadHost(t *testing.T) {
	p := starOf(t, 100, 100, 100)
	dead := NewProfile(1)
	dead.Set(3, 0)
	p.Hosts[2].Share = Shares{dead}
	for _, policy := range []string{"workqueue,k=2", "factoring", "lds", "auto"} {
		r, _ := runBagOn(t, p, "bag:n=60,flops=1e8", policy, nil)
		if r.Stats.Done != 60 || r.Stats.Lost == 0 && r.Stats.Copies == 0 {
			t.Errorf("%s: %+v", policy, r.Stats)
		}
	}
	for i := range p.Hosts {
		p.Hosts[i].Share = Shares{dead}
	}
	b, _ := ParseBag("bag:n=60,flops=1e8")
	where, _ := b.Place(p, 0, "contiguous")
	spec, _ := bag.Parse("gss")
	if _, err := RunBag(context.Background(), &BagConfig{Platform: p, Bag: b, Policy: spec, Where: where}); err == nil || !strings.Contains(err.Error(), "tasks are not done, and will not be") {
		t.Errorf("all hosts dead: %v", err)
	}
}

// With managers of Sets chunks cross between Sets once.
func TestBagManagers(t *testing.T) {
	p := must.Get(Read("../examples/grid5000.xml"))(t)
	for _, policy := range []string{"workqueue,k=5", "factoring", "lds", "auto"} {
		one, _ := runBagOn(t, p, "bag:n=3000,flops=1e9", policy, nil)
		told := 0
		many, _ := runBagOn(t, p, "bag:n=3000,flops=1e9", policy, func(c *BagConfig) {
			c.Managers, c.Progress = true, func(tasks int) { told += tasks }
		})
		if told != 3000 {
			t.Errorf("%s: %d tasks are told", policy, told)
		}
		tasks := 0
		for _, w := range many.Workers {
			tasks += w.Tasks
		}
		if many.Stats.Done != 3000 || tasks < 3000 {
			t.Errorf("%s: %+v, %d tasks", policy, many.Stats, tasks)
		}
		if policy != "workqueue,k=5" && many.Crossing.Messages*2 > one.Crossing.Messages {
			t.Errorf("%s: %d messages between Sets, without managers %d", policy, many.Crossing.Messages, one.Crossing.Messages)
		}
	}
}

// The spread of tasks is the requested one, and their mean is unchanged.
func TestBagTasks(t *testing.T) {
	for load, c := range map[string]struct{ most, mean float64 }{
		"bag:n=20000,flops=100": {100, 0}, "bag:n=20000,flops=100,spread=0.5": {150, 1}, "bag:n=20000,flops=100,tail=3,seed=4": {1e5, 3},
	} {
		b := must.Get(ParseBag(load))(t)
		if mean := b.Work() / 20000; math.Abs(mean-100) > c.mean || b.longest() > c.most*(1+1e-9) {
			t.Errorf("%s: mean %g, longest %g", load, mean, b.longest())
		}
	}
	p := starOf(t, 100, 50)
	for load, want := range map[string]string{
		"bag:n=0":               "n=0: expected a whole number from 1",
		"bag:flops=-1":          "flops=-1: expected a number from 0 on",
		"bag:tail=1":            "tail=1: expected a number above 1",
		"bag:spread=0.5,tail=2": "spread=0.5 and tail=2: expected one of them",
		"bag:size=5":            `"size=5": expected n, flops, kb`,
		"bag:spread=2":          "spread=2: expected a number from 0 to 1",
	} {
		if _, err := ParseBag(load); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", load, err, want)
		}
	}
	b, _ := ParseBag("bag:workers=3")
	if _, err := b.Place(p, 0, "contiguous"); err == nil || !strings.Contains(err.Error(), "workers=3: the platform has 2 cores beside the master's host") {
		t.Error(err)
	}
	b, _ = ParseBag("bag:n=2,workers=1")
	if where, err := b.Place(p, 0, "descending"); err != nil || len(where) != 1 || p.Hosts[where[0]].Name != "w0" {
		t.Errorf("%v, %v", where, err)
	}
	// More workers than tasks, one worker, tasks of no work.
	for _, load := range []string{"bag:n=1,flops=1e8", "bag:n=5,flops=1e8,workers=1", "bag:n=7,flops=0"} {
		for _, spec := range bag.All() {
			if r, _ := runBagOn(t, p, load, spec.String(), nil); r.Stats.Done != b.Tasks && r.Stats.Left+r.Stats.Given > 0 {
				t.Errorf("%s, %s: %+v", load, spec, r.Stats)
			}
		}
	}
}

// serialBound returns a lower bound of the time if the master sends one chunk after the other: a
// worker cannot compute before its first chunk, and the last result must be sent back.
func serialBound(b *Bag, p *Platform, master int, where []int32) (float64, error) {
	type send struct{ took, speed float64 } // to a worker, of a chunk of one task
	var all []send
	back := math.Inf(1)
	for _, host := range where {
		s := send{b.Cost, p.Hosts[host].Speed}
		if int(host) == master {
			back = 0
		} else {
			route, err := p.Route(master, int(host))
			if err != nil {
				return 0, err
			}
			rate := math.Inf(1)
			for _, link := range route.Links {
				rate = min(rate, p.Links[link].Rate)
			}
			s.took += route.Latency + b.Bytes/rate
			back = min(back, route.Latency)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(x, y send) int { return cmp.Compare(y.speed*x.took, x.speed*y.took) })
	// In any order of messages, the speed reached by a time is at most the speed of the workers with
	// the best ratio of speed to sending time, the last one in part.
	gives := func(until float64) (sum float64) {
		at := 0.0
		for _, s := range all {
			if at >= until {
				break
			}
			part := 1.0
			if at+s.took > until {
				part = (until - at) / s.took
			}
			sum += s.speed * part * (until - at - part*s.took/2)
			at += s.took
		}
		return sum
	}
	return max(b.Bound(p, where), reaches(gives, b.Work())+back), nil
}
