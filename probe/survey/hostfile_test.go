package survey

import (
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/probe"
)

// platform is a survey of three hosts in two Sets.
func platform() *Survey {
	way := func(latency, rate float64) (probe.Way, float64) {
		return probe.Way{Latency: latency, PerByte: 1 / rate}, rate
	}
	link := func(from, to string, latency, rate float64) LinkReport {
		w, r := way(latency, rate)
		return LinkReport{From: from, To: to, Way: w, Rate: r}
	}
	host := func(name, set string, effective float64, ranks ...int) HostReport {
		return HostReport{Machine: &Machine{Host: Host{Name: name}}, Set: set, Ranks: ranks, Effective: effective}
	}
	return &Survey{
		Sets:  []SetReport{{"near", "a", 0, 2, 3}, {"far", "c", 3, 1, 1}},
		Hosts: []HostReport{host("a", "near", 1, 0, 2), host("c", "far", 0.123456, 3), host("b", "near", 0.5, 1)},
		Links: []LinkReport{
			link("near", "near", 30.04e-6, 1.2345e9), link("near", "far", 5e-3, 12.5e6), link("far", "near", 6e-3, 92.91e6/8),
		},
	}
}

// What is written can be read, is a platform to emulate, and says what was
// measured.
func TestHostFileOfASurvey(t *testing.T) {
	var text strings.Builder
	must.Get(platform().HostFile().WriteTo(&text))(t)
	f, err := hostfile.Parse("measured", strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if !f.Emulated() || f.Ranks() != 4 || len(f.Warnings) > 0 {
		t.Errorf("emulated %v, %d ranks, %v\n%s", f.Emulated(), f.Ranks(), f.Warnings, text.String())
	}
	speeds := map[string]float64{}
	for _, h := range f.Hosts {
		speeds[h.Name+" in "+f.Sets[h.Set].Name] = h.Speed
	}
	if want := map[string]float64{"a in near": 1, "c in far": 0.123, "b in near": 0.5}; !reflect.DeepEqual(speeds, want) {
		t.Errorf("speeds %v, want %v", speeds, want)
	}
	for _, want := range []string{"#@set near manager=a rate=9.88Gb/s latency=30us", "#@link near far rate=92.9Mb/s latency=5.5ms"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{rounded(1234.5), 1230}, {rounded(0.00098765), 0.000988}, {rounded(0), 0},
		{roundSpeed(0), 1e-3}, {roundSpeed(1.01), 1}, {roundSpeed(0.7777), 0.778},
		{roundRate(0), 1e15 / 8}, {roundRate(1e30), 1e15 / 8}, {roundRate(1e-9), 1.0 / 8}, {roundRate(125e6), 125e6}, {roundRate(92.91e6 / 8), 92.9e6 / 8},
		{roundLatency(-1).Seconds(), 0}, {roundLatency(1e9).Seconds(), 3600}, {roundLatency(12.3456e-6).Seconds(), 12.3e-6},
	} {
		if c.got != c.want {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
}
