//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A slow host cannot be faster than it may be. Others' load on this machine can
// only make it slower, so that is not looked for.
func TestSpeed(t *testing.T) {
	bringUp(t, two)
	at := func(speed spec.Speed) {
		t.Helper()
		const each, repeats = 10 * time.Millisecond, 3
		var sum time.Duration
		for _, text := range strings.Fields(succeeds(t, "exec", "far1", "/run/"+name(t)+"/testbed", "work", each.String(), fmt.Sprint(repeats))) {
			took := must.Get(time.ParseDuration(text))(t)
			sum += took
		}
		if got := float64(each*repeats) / float64(sum); got > 1.6*float64(speed) {
			t.Errorf("at %v it received %.3f of its processor", speed, got)
		}
		if h := host(t, "far1"); h.Speed != speed || h.Used == 0 {
			t.Errorf("status has %+v", h)
		}
	}
	at(0.10)
	succeeds(t, "set-speed", "far1", "4%")
	at(0.04)
	fails(t, exitFailed, "given away, expected at most 90%", "set-speed", "far1", "90%")
	fails(t, exitFailed, "there is no host", "set-speed", "far2", "5%")
	at(0.04)
	succeeds(t, "set-speed", "far1", "40%") // so that it does not take long
	if out := succeeds(t, "check-speeds"); strings.Count(out, "\n") != 4 || !strings.Contains(out, "BY 20ms OF WORK") {
		t.Errorf("the speeds are\n%s", out)
	}
}

func TestHog(t *testing.T) {
	bringUp(t, two)
	succeeds(t, "hog", "far1", "50%")
	eventually(t, "the hog eats", func() bool { return host(t, "far1").Used > 20*time.Millisecond })
	if h := host(t, "far1"); h.Hog != 0.5 || h.Processes != 1 {
		t.Errorf("status has %+v", h)
	}
	succeeds(t, "set-speed", "far1", "8%")
	if h := host(t, "far1"); h.Hog != 0.5 || h.Speed != 0.08 {
		t.Errorf("with another speed status has %+v", h)
	}
	succeeds(t, "hog", "far1", "off")
	eventually(t, "the hog ends", func() bool { h := host(t, "far1"); return h.Processes == 0 && h.Hog == 0 })
	succeeds(t, "hog", "far1", "100%") // which ends with the testbed
}

// Links cannot be faster than they may be, nor latencies shorter.
func TestLinks(t *testing.T) {
	text := "cluster near hosts=2 speed=30% rate=80Mb/s\ncluster far hosts=1 speed=20%\nlink near far rate=40Mb/s"
	latency := time.Duration(0)
	if _, err := os.Stat("/dev/net/tun"); err == nil {
		text, latency = text+" latency=4ms", 4*time.Millisecond
	} else {
		t.Log("SKIPPED: latencies need /dev/net/tun")
	}
	bringUp(t, text+"\n")
	serveOn(t, "far1")
	serveOn(t, "near2")
	if d := echo(t, "near1", "far1", 1); d < 2*latency {
		t.Errorf("a byte is back after %v, and one way takes %v", d, latency)
	}
	const size = 400_000
	atMost := func(from, to string, rate spec.Rate) {
		t.Helper()
		const atOnce = 70_000 // bytes, which a line that was idle lets through
		least := time.Duration((size - atOnce) * 8 / float64(rate) * float64(time.Second))
		if d := echo(t, from, to, size); d < least {
			t.Errorf("%d bytes from %s to %s at %v take %v", size, from, to, rate, d)
		}
	}
	atMost("near1", "near2", 80e6)
	atMost("near1", "far1", 40e6)
	succeeds(t, "set-rate", "far-near", "8Mb/s")
	atMost("near1", "far1", 8e6)
	succeeds(t, "set-rate", "near2", "10Mb/s")
	atMost("near1", "near2", 10e6)
	succeeds(t, "set-rate", "near-far", "none")
	succeeds(t, "set-rate", "near-far", "none")
	echo(t, "near1", "far1", size)
	want := map[string]control.Line{"near1": {Rate: 80e6}, "near2": {Rate: 10e6}, "far1": {}, "near-far": {Latency: latency}}
	for _, line := range state(t).Lines {
		w := want[line.Name]
		w.Name = line.Name
		if line != w {
			t.Errorf("status has %+v, want %+v", line, w)
		}
	}
	fails(t, exitFailed, "there are near1, near2, far1, near-far", "set-rate", "near", "8Mb/s")
}
