package profile

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// made is a profile of a run of four processes on two hosts.
func made() *Profile {
	return &Profile{
		Key:     Key{Program: "lu", Procs: 4, Parameters: []Parameter{{Name: "n", Value: "1600"}, {Name: "verify", Value: "false", Default: true}}},
		Written: time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC), Ended: true, Seconds: 4.5, Supersteps: 12, Step: 0.25, Rate: 1e9,
		Classes: []Class{
			{Site: "lu.go:10", Supersteps: 6, Work: Figures{0.25, 0.5, 0, 1e-9}, Recorded: 2, Traffic: Traffic{{0, 1, 1024}, {3, 2, 0.5}}},
			{Site: "lu.go:20", Supersteps: 6, Work: Figures{1, 1, 1, 1}},
		},
		States: []int64{1, 2, 3, 1 << 40},
		Hosts:  []Host{{Name: "alpha1", Set: "alpha", Speed: 1, Share: 1, Cores: 2, Line: 1e-9}, {Name: "beta1", Set: "beta", Speed: 0.5, Share: 0.25}},
		Ranks:  []int{0, 0, 1}, Mapping: []int{0, 1, 2, 2},
		Links: []Link{{From: 0, To: 1, Latency: 0.02, PerByte: 4e-7, Measured: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}},
	}
}

func TestEncoding(t *testing.T) {
	p := made()
	text := must.Get(p.encode())(t)
	if got := must.Get(parse("f", text))(t); !reflect.DeepEqual(got, p) {
		t.Errorf("read  %+v\nwrote %+v", got, p)
	}
	p.Classes[0].Work[0], p.Classes[0].Traffic[0].Bytes = 0.123456789, 12345678
	got := must.Get(parse("f", must.Get(p.encode())(t)))(t)
	if work, bytes := got.Classes[0].Work[0], got.Classes[0].Traffic[0].Bytes; work != 0.12346 || bytes != 12346000 {
		t.Errorf("figures are %v and %v", work, bytes)
	}
	if got := p.Key.String(); got != "lu -n 1600 -procs 4" {
		t.Errorf("the key is %q", got)
	}
}

// A profile with any other bit is refused.
func TestDamage(t *testing.T) {
	text := must.Get(made().encode())(t)
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if _, err := parse("f", text); err == nil {
			t.Errorf("bit %d of byte %d, now %q, is flipped, and the profile is accepted", bit%8, bit/8, text[bit/8])
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
}

// A profile that no run can have written is refused, also with a correct digest.
func TestForgedProfiles(t *testing.T) {
	text := string(must.Get(made().encode())(t))
	for _, c := range []struct{ old, new, want string }{
		{"profile/1", "profile/2", "f:1:1: schema migbsp.profile/2 of a newer migbsp, expected migbsp.profile/1"},
		{`"program":"lu"`, `"program":""`, `program is "", expected a name`},
		{`"program":"lu"`, `"program":"\u001b[2J"`, `program is "\x1b[2J", expected text`},
		{`"procs":4`, `"procs":5`, "mapping has 4 processes, expected 5"},
		{`"procs":4`, `"procs":0`, "procs is 0, expected 1 to 131072"},
		{`"procs":4`, `"procs":9000000000`, "procs is 9000000000"},
		{`"written":"2026`, `"written":"0001`, "written is 0001-11-28T10:00:00Z, expected a time since 1970"},
		{`"seconds":4.5`, `"seconds":-1`, "seconds is -1, expected 0 to 1e+09"},
		{`"seconds":4.5`, `"seconds":1e300`, "seconds is 1e+300"},
		{`"supersteps":12`, `"supersteps":0`, "supersteps is 0, expected 1"},
		{`"step":0.25`, `"step":-0.25`, "step is -0.25"},
		{`"hosts":[`, `"hosts":[],"none":[`, "hosts are 0, expected 1 to 65536"},
		{`"name":"beta1"`, `"name":"a\nb"`, `host is "a\nb", expected text`},
		{`"speed":0.5`, `"speed":0`, "speed of host beta1 is 0, expected 1e-06 to 1e+06"},
		{`"share":0.25`, `"share":2`, "share of host beta1 is 2, expected 1e-06 to 1"},
		{`"from":0`, `"from":2`, "a link is from host 2 to 1, expected two of 0 to 1"},
		{`"from":0`, `"from":1`, "a link is from host 1 to 1"},
		{`"latency":0.02`, `"latency":0`, "latency is 0, expected 5e-324 to 1e+09"},
		{`"per_byte":4e-7`, `"per_byte":4`, "per_byte is 4, expected 0 to 1"},
		{`"ranks":[0,0,1]`, `"ranks":[0,0,2]`, "rank 2 is on host 2, expected 0 to 1"},
		{`"mapping":[0,1,2,2]`, `"mapping":[0,1,2]`, "mapping has 3 processes, expected 4"},
		{`"mapping":[0,1,2,2]`, `"mapping":[0,1,2,3]`, "process 3 is on rank 3, expected 0 to 2"},
		{`"states":[1,2,3,`, `"states":[1,2,`, "states are of 3 processes, expected 4"},
		{`"states":[1,`, `"states":[-1,`, "the state of process 0 is -1"},
		{`"work":[0.25,0.5,`, `"work":[0.25,`, "class 0: work is of 3 processes, expected 4"},
		{`"work":[0.25,`, `"work":[-0.25,`, "class 0: the work of process 0 is -0.25"},
		{`"recorded":2`, `"recorded":7`, "class 0: recorded is 7, expected 0 to 6"},
		{`"traffic":[0,1,1024,`, `"traffic":[0,1,`, "traffic has 5 numbers, expected three per pair"},
		{`"traffic":[0,1,1024,`, `"traffic":[0,4,1024,`, "class 0: traffic is from process 0 to 4, expected two of 0 to 3"},
		{`"traffic":[0,1,1024,`, `"traffic":[0,1.5,1024,`, "traffic is from process 0 to 1.5, expected whole numbers"},
		{`"traffic":[0,1,1024,`, `"traffic":[0,0,1024,`, "class 0: traffic is from process 0 to 0"},
		{`"traffic":[0,1,1024,`, `"traffic":[0,1,-1,`, "class 0: traffic is -1"},
	} {
		if !strings.Contains(text, c.old) {
			t.Errorf("no %s in %s", c.old, text)
		}
		_, err := parse("f", format.Stamp([]byte(strings.Replace(text, c.old, c.new, 1))))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: %v; want %s", c.new, c.old, err, c.want)
		}
	}
}

// A profile that a reader would refuse is not written.
func TestNoBadProfileIsWritten(t *testing.T) {
	p := made()
	p.Step = math.NaN()
	if text, err := p.encode(); err == nil || !strings.Contains(err.Error(), "step is NaN") {
		t.Errorf("%s, %v", text, err)
	}
	p = made()
	p.Classes[0].Traffic = make(Traffic, MostFlows+1)
	for i := range p.Classes[0].Traffic {
		p.Classes[0].Traffic[i].To = 1
	}
	if _, err := p.encode(); err == nil || !strings.Contains(err.Error(), "traffic has 65537 pairs, expected at most 65536") {
		t.Errorf("%v", err)
	}
}

// An accepted text with a correct digest is a profile that can be written and read again.
func FuzzParse(f *testing.F) {
	f.Add(must.Get(made().encode())(f))
	for _, s := range []string{"", "{}", "[]", "null", `{"schema":"migbsp.profile/1"}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parse("f", format.Stamp(text))
		if err != nil {
			return
		}
		_ = p.Key.String()
		again := must.Get(parse("f", must.Get(p.encode())(t)))(t)
		if again.ID() != p.ID() {
			t.Errorf("the profile %s is read again as %s", p.ID(), again.ID())
		}
	})
}
