package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// plain is a reference implementation of the network. It searches link after link for the smallest
// rate per message, and recomputes everything after each change.
type plain struct {
	p     *Platform
	ways  []*way
	most  []float64
	flows []*plainFlow
}

type plainFlow struct {
	*way
	message                int
	left, begin, end, rate float64
}

func (n *plain) carry(messages []message) error {
	routes := newRoutes(n.p)
	n.ways, n.most = make([]*way, len(messages)), make([]float64, len(n.p.Links))
	for i, m := range messages {
		if m.from == m.to {
			continue
		}
		w, err := routes.way(m.from, m.to)
		if err != nil {
			return err
		}
		n.ways[i] = w
		for _, link := range w.links {
			n.most[link] += w.rate
		}
	}
	for _, group := range n.groups() {
		if w := n.ways[group[0]]; len(group) == 1 && (w == nil || !w.varies) {
			m := &messages[group[0]]
			if m.end = m.begin; w != nil {
				m.end = m.begin + w.latency + m.bytes/w.rate
			}
			continue
		}
		n.flows = nil
		for _, i := range group {
			n.flows = append(n.flows, &plainFlow{way: n.ways[i], message: i, left: messages[i].bytes, begin: messages[i].begin + n.ways[i].latency})
		}
		n.run()
		for _, f := range n.flows {
			messages[f.message].end = f.end
		}
	}
	return nil
}

// groups returns groups of messages joined by links that cannot carry all of their traffic.
func (n *plain) groups() (groups [][]int) {
	group := make([]int, len(n.ways))
	for i := range group {
		group[i] = i
	}
	for link, most := range n.most {
		if l := n.p.Links[link]; most <= l.Rate && len(l.Share) == 0 {
			continue
		}
		first := -1
		for i, w := range n.ways {
			if w == nil || !slices.Contains(w.links, int32(link)) {
				continue
			}
			if first < 0 {
				first = group[i]
			}
			for j, old := 0, group[i]; j < len(group); j++ {
				if group[j] == old {
					group[j] = first
				}
			}
		}
	}
	at := make(map[int]int)
	for i, g := range group {
		if _, known := at[g]; !known {
			at[g] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[g]] = append(groups[at[g]], i)
	}
	return groups
}

func (n *plain) run() {
	slices.SortStableFunc(n.flows, func(a, b *plainFlow) int { return cmp.Compare(a.begin, b.begin) })
	now := 0.0
	for waiting, active := n.flows, []*plainFlow(nil); len(waiting)+len(active) > 0; {
		if len(active) == 0 {
			now = waiting[0].begin
		}
		for len(waiting) > 0 && waiting[0].begin <= now {
			active, waiting = append(active, waiting[0]), waiting[1:]
		}
		until := n.divide(active, now)
		if len(waiting) > 0 {
			until = min(until, waiting[0].begin)
		}
		ends := func(f *plainFlow) float64 {
			if f.rate == 0 {
				return math.Inf(1)
			}
			return now + f.left/f.rate
		}
		for _, f := range active {
			until = min(until, ends(f))
		}
		if math.IsInf(until, 1) {
			for _, f := range active {
				f.end = until
			}
			return
		}
		var kept []*plainFlow
		for _, f := range active {
			if ends(f) <= until*(1+1e-15) {
				f.end = until
				continue
			}
			f.left -= f.rate * (until - now)
			kept = append(kept, f)
		}
		active, now = kept, until
	}
}

// divide fills links in the order of flows.
func (n *plain) divide(active []*plainFlow, now float64) (until float64) {
	until = math.Inf(1)
	rest, users, order := make(map[int32]float64), make(map[int32]int), []int32(nil)
	for _, f := range active {
		f.rate = -1
		for _, link := range f.links {
			if users[link]++; users[link] == 1 {
				value, change := n.p.Links[link].Share.At(now)
				rest[link], until = n.p.Links[link].Rate*value, min(until, change)
				order = append(order, link)
			}
		}
	}
	give := func(f *plainFlow, rate float64) {
		f.rate = rate
		for _, link := range f.links {
			if users[link]--; !n.p.Links[link].Unlimited {
				rest[link] = max(0, rest[link]-rate)
			}
		}
	}
	for slices.ContainsFunc(active, func(f *plainFlow) bool { return f.rate < 0 }) {
		least, at := math.Inf(1), int32(-1)
		for _, link := range order {
			each := rest[link]
			if !n.p.Links[link].Unlimited {
				each /= float64(users[link])
			}
			if users[link] > 0 && each < least {
				least, at = each, link
			}
		}
		if i := slices.IndexFunc(active, func(f *plainFlow) bool { return f.rate < 0 && f.own < least }); i >= 0 {
			give(active[i], active[i].own)
			continue
		}
		for _, f := range active {
			if f.rate < 0 && slices.Contains(f.links, at) {
				give(f, least)
			}
		}
	}
	return until
}

// tangle is a random platform: clusters with backbones around a hub, some links that
// each message has for itself, and some that change.
func tangle(t testing.TB, random *rand.Rand) *Platform {
	text := `<platform version="4.1"><zone id="world" routing="Floyd"><zone id="core" routing="Full"><router id="hub"/></zone>`
	routes := ""
	policies := []string{"SHARED", "SPLITDUPLEX", "FATPIPE"}
	for i := range 1 + random.IntN(4) {
		text += fmt.Sprintf(`<cluster id="c%d" prefix="c%d-" radical="0-%d" speed="1f" bw="%dBps" lat="%dms" bb_bw="%dBps" bb_lat="1ms" sharing_policy="%s" bb_sharing_policy="%s"/>`,
			i, i, random.IntN(8), 100+100*random.IntN(2), random.IntN(3), 100+50*random.IntN(20), policies[random.IntN(3)], policies[2*random.IntN(2)])
		text += fmt.Sprintf(`<link id="up%d" bandwidth="%dBps" latency="%dms"/>`, i, 50+random.IntN(500), random.IntN(20))
		routes += fmt.Sprintf(`<zoneRoute src="c%d" dst="core" gw_src="c%d-c%d_router" gw_dst="hub"><link_ctn id="up%d"/></zoneRoute>`, i, i, i, i)
	}
	p := must.Get(parseXML("tangle.xml", strings.NewReader(text+routes+`</zone></platform>`)))(t)
	for i := range p.Links {
		if random.IntN(8) == 0 {
			share := NewProfile(1)
			for at := 1; at < 1+random.IntN(4); at++ {
				share.Set(float64(at), []float64{0, 0.5, 1, 1.5}[random.IntN(4)])
			}
			share.Set(5, 1)
			p.Links[i].Share = Shares{share}
		}
	}
	return p
}

func randomMessages(random *rand.Rand, p *Platform, n int) (messages []message) {
	for range n {
		m := message{from: random.IntN(len(p.Hosts)), to: random.IntN(len(p.Hosts)), bytes: float64(100 * random.IntN(5)), begin: float64(random.IntN(3))}
		if random.IntN(4) == 0 {
			m.bytes, m.begin = 500*random.Float64(), 3*random.Float64()
		}
		for range 1 + random.IntN(3) {
			messages = append(messages, m)
		}
	}
	return messages
}

// compareEnds ends the test at a message that ends at another time, by a part of that.
func compareEnds(t *testing.T, messages, want []message, part float64) {
	t.Helper()
	for i, m := range messages {
		if m.end != want[i].end && !(math.Abs(m.end-want[i].end) <= part*m.end) {
			t.Fatalf("message %d of %d: %+v, want it to end at %g", i, len(messages), m, want[i].end)
		}
	}
}

// The network agrees with the reference implementation, bit for bit.
func TestCarriesAsPlainArithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		p := tangle(t, random)
		fast := newNetwork(p)
		for range 3 {
			messages := randomMessages(random, p, random.IntN(30))
			want := slices.Clone(messages)
			must.Do(t, fast.carry(messages))
			must.Do(t, (&plain{p: p}).carry(want))
			compareEnds(t, messages, want, 0)
		}
	}
}

// Finer groups of messages change only rounding errors.
func TestCloserGroupsOfMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	closer := 0
	for k := range 400 {
		p := tangle(t, random)
		for i := range p.Links {
			if k%2 == 0 {
				p.Links[i].Share = nil
			}
		}
		var messages []message
		for from := range p.Hosts {
			for range 1 + random.IntN(4) {
				messages = append(messages, message{from: from, to: (from + 1) % len(p.Hosts), bytes: 500 * random.Float64(), begin: random.Float64()})
			}
		}
		want := slices.Clone(messages)
		must.Do(t, (&plain{p: p}).carry(want))
		n := newNetwork(p)
		groups := func() (count int) {
			must.Do(t, n.prepare(messages))
			n.groups.each(n.ways, n.most, func([]int32) { count++ })
			return count
		}
		before := groups()
		n.groups.many = 1
		if groups() > before {
			closer++
		}
		must.Do(t, n.carry(messages))
		compareEnds(t, messages, want, 1e-9)
	}
	if closer < 10 {
		t.Errorf("only %d groups fell apart", closer)
	}
}

// Recomputing only the affected flows gives the same rates as recomputing all.
func TestManyFlowsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for _, backbone := range []float64{2e3, 2e4, 1e6} {
		p := star(200, 100, backbone)
		messages := randomMessages(random, p, 1500)
		want := slices.Clone(messages)
		n, all := newNetwork(p), newNetwork(p)
		n.groups.many, all.groups.many = 1, 1<<30
		must.Do(t, n.carry(messages))
		must.Do(t, all.carry(want))
		compareEnds(t, messages, want, 1e-9)
	}
}
