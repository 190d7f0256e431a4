package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Host b computes 2 operations until 2, one until 4, none until 6 and then 2 in a
// second, so that it is done with 5 at 7. Of 100 bytes the link then carries half, is
// gone until 8, and carries the rest at half its rate until 9.
func TestHostsAndLinksComeAndGo(t *testing.T) {
	p := parsed(t, `<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1f"/><host id="b" speed="1f"/><link id="l" bandwidth="100Bps"/>
<route src="a" dst="b"><link_ctn id="l"/></route>
<trace id="hosts">0 1
2 0.5
4 0
6 2</trace>
<trace id="links">7.5 0
8 50</trace>
<trace_connect kind="SPEED" trace="hosts" element="b"/><trace_connect kind="BANDWIDTH" trace="links" element="l"/>
</zone></platform>`)
	load := must.Get(parseCSV("w.csv", strings.NewReader("work,1,0,1\nwork,1,1,5\nmsg,1,1,0,100\n"), p))(t)
	r, err := Run(t.Context(), &Config{Platform: p, Workload: load, Where: []int32{0, 1}}, Report{})
	if err != nil || math.Abs(r.Time-9) > 1e-12 {
		t.Errorf("%+v, %v, want 9 s", r, err)
	}
}

func TestSharesOverTime(t *testing.T) {
	profile := func(text string) *Profile {
		return must.Get(ParseProfile("p", strings.NewReader(text)))(t)
	}
	even, odd := profile("PERIODICITY 2\n0 1\n1 0"), profile("PERIODICITY 2\n0 0\n1 1")
	for _, c := range []struct {
		name                  string
		shares                Shares
		from, next, end, mean float64 // the mean until 10
	}{
		{"nothing said", nil, 3, 3, 4, 1},
		{"every other second", Shares{even}, 1.5, 2, 3, 4. / 8.5},
		{"the others", Shares{odd}, 2.5, 3, 4, 4. / 7.5},
		{"both at once, never", Shares{even, odd}, 0, math.Inf(1), math.Inf(1), 0},
		{"gone again and again", Shares{profile("PERIODICITY 1e-3\n0 0\n5e-4 0")}, 1, math.Inf(1), math.Inf(1), 0},
		{"gone for ever", Shares{even, profile("0 1\n4.5 0")}, 4.2, 4.2, math.Inf(1), 0.3 / 5.8},
		{"back late", Shares{profile("0 0\n7 0.5")}, 1, 7, 9, 1.5 / 9},
	} {
		if got := c.shares.Next(c.from); got != c.next {
			t.Errorf("%s: next at %g, want %g", c.name, got, c.next)
		}
		if got := c.shares.End(c.from, 1); math.Abs(got-c.end) > 1e-9 && got != c.end {
			t.Errorf("%s: ends at %g, want %g", c.name, got, c.end)
		}
		if got := c.shares.Mean(c.from, 10); math.Abs(got-c.mean) > 1e-9 {
			t.Errorf("%s: the mean is %g, want %g", c.name, got, c.mean)
		}
	}
}

// Before a file's first line a link has its ordinary rate and latency. If the lines repeat, the last
// one holds until the first.
func TestBeforeTheFirstLine(t *testing.T) {
	p := parsed(t, `<platform version="4.1">
<trace id="rates">5 50
10 25
PERIODICITY 20</trace><trace id="latencies">5 2</trace>
<zone id="z" routing="Full"><host id="a" speed="1f"/><host id="b" speed="1f"/>
<link id="l" bandwidth="100Bps" latency="1s"/><route src="a" dst="b"><link_ctn id="l"/></route></zone>
<trace_connect kind="BANDWIDTH" trace="rates" element="l"/><trace_connect kind="LATENCY" trace="latencies" element="l"/>
</platform>`)
	for begin, want := range map[float64]float64{0: 2, 6: 10, 15: 21, 21: 26} {
		messages := []message{{from: 0, to: 1, bytes: 100, begin: begin}}
		if err := newNetwork(p).carry(messages); err != nil || math.Abs(messages[0].end-want) > 1e-12 {
			t.Errorf("%+v, %v, want it to end at %g", messages[0], err, want)
		}
	}
}

func TestSuperstepsThatNeverEnd(t *testing.T) {
	gone := must.Get(ParseProfile("p", strings.NewReader("PERIODICITY 2\n0 1\n1 0")))(t)
	back := must.Get(ParseProfile("p", strings.NewReader("PERIODICITY 2\n0 0\n1 1")))(t)
	for name, set := range map[string]func(p *Platform){
		"host": func(p *Platform) { p.Hosts[0].Share = Shares{gone, back} },
		"link": func(p *Platform) { p.Links[0].Share = Shares{gone, back} },
		"gone": func(p *Platform) { p.Links[0].Share = Shares{NewProfile(0)} },
	} {
		p := star(2, 100, 0)
		set(p)
		for _, bytes := range []float64{0, 50} {
			_, err := Run(t.Context(), &Config{Platform: p, Workload: &Ring{Size: 2, Length: 3, Flops: 1, Bytes: bytes}, Where: []int32{0, 1}}, Report{})
			if want := "superstep 1: the superstep that begins at 0 s does not end: a host or a link that it needs gives nothing for ever"; err == nil || err.Error() != want {
				t.Errorf("%s, %g bytes: %v", name, bytes, err)
			}
		}
	}
}

// comesAndGoes returns a platform of three hosts, where c is available in the first 0.6 s of every 4
// s, and a workload in which the process on c finishes first in each superstep.
func comesAndGoes(t *testing.T) (*Platform, *Table) {
	t.Helper()
	p := star(3, 1000, 0)
	share := must.Get(ParseProfile("c", strings.NewReader("PERIODICITY 4\n0 1\n0.6 0")))(t)
	p.Hosts[2].Share = Shares{share}
	for i := range p.Hosts {
		p.Hosts[i].Speed = 1e9
	}
	var text strings.Builder
	for step := 1; step <= 60; step++ {
		fmt.Fprintf(&text, "work,%d,0,1e9\nwork,%d,1,0.9e9\nwork,%d,2,0.5e9\nmsg,%d,0,1,10\n", step, step, step, step)
	}
	load := must.Get(parseCSV("w.csv", strings.NewReader(text.String()+"state,2,10\n"), p))(t)
	return p, load
}

// At a call, processes leave an unavailable host as soon as it is back, and none move to it; no host
// waits for its reports.
func TestHostsThatAreGoneAreLeft(t *testing.T) {
	p, load := comesAndGoes(t)
	run := func(balance string, report Report) *Result {
		return must.Get(Run(t.Context(), &Config{Platform: p, Workload: load, Where: []int32{0, 1, 2}, Balance: parse(t, balance)}, report))(t)
	}
	off := run("off", Report{})
	left, calls := 0, 0
	auto := run("auto,alpha=1,guard=0", Report{Call: func(c *CallRecord) {
		calls++
		share, _ := p.Hosts[2].Share.At(c.At)
		if share > 0 {
			return
		}
		for _, m := range c.Decision.Moves {
			if m.To == 2 {
				t.Errorf("at %g s process %d goes to a host that is gone", c.At, m.Pid)
			}
			if m.From == 2 {
				left++
				if m.Reason != "its rank is drained" || c.At+c.Took+c.Moved < p.Hosts[2].Share.Next(c.At) {
					t.Errorf("at %g s process %d leaves within %g s: %s", c.At, m.Pid, c.Moved, m.Reason)
				}
			}
		}
		if c.Messages != 2 { // of b with the manager
			t.Errorf("%d messages", c.Messages)
		}
	}})
	if left == 0 || auto.Time > 0.7*off.Time {
		t.Errorf("auto takes %g s, off %g s; of %d calls %d saw the host gone", auto.Time, off.Time, calls, left)
	}
	still := run("auto,alpha=1,moves=0", Report{})
	if still.Moves != 0 || !(still.Time >= off.Time) {
		t.Errorf("%+v with moves=0, off %g s", still, off.Time)
	}
}

// Without the manager of a Set another host of it speaks.
func TestManagersThatAreGone(t *testing.T) {
	p, load := comesAndGoes(t)
	p.Sets[0].Manager = 2
	messages, calls := 0, 0
	_, err := Run(t.Context(), &Config{Platform: p, Workload: load, Where: []int32{0, 1, 2}, Balance: parse(t, "auto,alpha=1,guard=0")}, Report{
		Call: func(c *CallRecord) {
			if share, _ := p.Hosts[2].Share.At(c.At); share == 0 {
				messages += c.Messages - 2
				calls++
			}
		},
	})
	if err != nil || messages != 0 || calls == 0 {
		t.Errorf("%v, %d messages too many in %d calls", err, messages, calls)
	}
}

func TestMovesThatCannotBe(t *testing.T) {
	p := star(2, 100, 0)
	p.Hosts[0].Share = Shares{NewProfile(0)}
	m := newMachine(p, []int32{0}, Barrier{})
	if _, err := m.move([]Move{{Pid: 0, Host: 1, Bytes: 1}}); err == nil || err.Error() != "process 0 cannot leave host a, which gives nothing from 0 s on for ever" {
		t.Error(err)
	}
	p.Links[0].Share, p.Hosts[0].Share = p.Hosts[0].Share, nil
	if _, err := m.move([]Move{{Pid: 0, Host: 1, Bytes: 1}}); err == nil || !strings.Contains(err.Error(), "do not arrive") {
		t.Error(err)
	}
}

// The availability of a rank is the share taken by its processes, or else the share of its processor.
func TestAvailabilityIsMeasured(t *testing.T) {
	p := star(3, 100, 0)
	half := NewProfile(1)
	half.Set(1, 0.5)
	p.Hosts[0].Share, p.Hosts[1].Share = Shares{half}, Shares{half}
	m := newMachine(p, []int32{0, 2}, Barrier{})
	must.Get(m.superstep(&Step{Work: []float64{2, 1}}))(t)
	for host, want := range []float64{2. / 3, 2. / 3, 1} {
		if got := m.available(host, 0, computed{}); math.Abs(got-want) > 1e-12 {
			t.Errorf("host %d gives %g, want %g", host, got, want)
		}
	}
}

func TestSharesOfHostsInAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		must.Write(t, file, text, 0o666)
		return file
	}
	write("night.txt", "0 1\n10 0\n20 1\n")
	write("bad.txt", "0 1\n5 x\n")
	hosts := "#@set x speed=1 rate=1Gb/s\na\nb\n#@set y speed=1\nc\n"
	p := must.Get(Read(write("my.hosts", hosts+"#@host a,c share=night.txt\n#@link x y share=night.txt\n")))(t)
	for name, want := range map[string]float64{"a": 0, "b": 1, "c": 0} {
		if got, _ := p.Hosts[host(t, p, name)].Share.At(15); got != want {
			t.Errorf("%s gives %g", name, got)
		}
	}
	changing := 0
	for _, l := range p.Links {
		if len(l.Share) > 0 {
			changing++
		}
	}
	if changing != 2 {
		t.Errorf("%d links change", changing)
	}
	for text, want := range map[string]string{
		"#@host a share=none.txt\n":  "my.hosts:6:16: share: ",
		"#@link x y share=bad.txt\n": "my.hosts:6:18: share: " + filepath.Join(dir, "bad.txt") + `:2: "5 x": expected a number from 0 on at the end`,
		"#@host d share=night.txt\n": `my.hosts:6:8: host "d", which no line of the file names, expected one of its hosts`,
	} {
		if _, err := Read(write("my.hosts", hosts+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// Values are not negative and times increase, for any file.
func FuzzProfile(f *testing.F) {
	f.Add("0 1\n5 0.5\nPERIODICITY 10\n", 3.0)
	f.Add("LOOPAFTER 2\n0 0\n", 1e9)
	f.Fuzz(func(t *testing.T, text string, time float64) {
		p, err := ParseProfile("p", strings.NewReader(text))
		if err != nil || !(time >= 0 && time < 1e12) {
			return
		}
		value, until := p.At(time)
		if !(value >= 0) || !(until >= time) {
			t.Errorf("%g until %g at %g", value, until, time)
		}
		if next := (Shares{p}).Next(time); !(next >= time) {
			t.Errorf("next at %g after %g", next, time)
		}
	})
}
