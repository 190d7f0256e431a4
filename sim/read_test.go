package sim

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestHostsAsAPlatform(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.hosts")
	text := "#@set near manager=b speed=0.5 rate=1Gb/s latency=100us\na slots=2\nb\n#@set far speed=2 rate=100Mb/s latency=50us\nc\n#@link near far rate=10Mb/s latency=5ms\n#@platform barrier=1ms\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	p := must.Get(Read(file))(t)
	if a := p.Hosts[0]; a.Cores != 2 || a.Speed != 0.5e9 || p.Hosts[2].Speed != 2e9 || p.Sets[0].Manager != 1 || p.Fixed != 0.001 {
		t.Errorf("%+v, %+v", p.Hosts, p.Sets)
	}
	checkRoute(t, p, "a", "b", "a_UP b_DOWN")
	checkRoute(t, p, "c", "a", "c_UP far-near a_DOWN")
	for ends, want := range map[[2]int]float64{{0, 1}: 100e-6, {0, 2}: 5e-3, {2, 1}: 5e-3} {
		r, err := p.Route(ends[0], ends[1])
		if err != nil || math.Abs(r.Latency-want) > 1e-12 {
			t.Errorf("%v: %g, %v, want %g", ends, r.Latency, err, want)
		}
	}
	for _, l := range p.Links {
		if want := map[string]float64{"a_UP": 125e6, "c_DOWN": 12.5e6, "near-far": 1.25e6}[l.Name]; want != 0 && l.Rate != want {
			t.Errorf("%+v, want %g", l, want)
		}
	}
	must.Do(t, os.WriteFile(file, []byte("a\nb\n"), 0o666))
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "there are no speeds and rates in it") {
		t.Error(err)
	}
}
