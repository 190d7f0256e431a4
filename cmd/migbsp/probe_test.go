package main

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

func TestProbeTables(t *testing.T) {
	m := &survey.Machine{
		Host:       survey.Host{Name: "alpha1", Platform: "linux/amd64", Kernel: "6.1"},
		Cores:      probe.Cores{Online: 64, Allowed: 16, Quota: 2.5},
		Clock:      probe.Clock{Step: 1e-7, Read: 2e-7},
		Speed:      probe.Speed{Dependent: probe.Rate{PerSecond: 1.25e9, Spread: 0.01}, Independent: probe.Rate{PerSecond: 8e9}, Copy: probe.Rate{PerSecond: 2e10}},
		Available:  probe.Available{Share: 0.5, Away: 0.06, Over: 0.2},
		Throttling: &survey.Throttling{Periods: 100, Throttled: 7, Time: 2.5}, ThrottlingBusy: &survey.Throttling{Periods: 2, Throttled: 1, Time: 0.05},
		Load:   survey.Load{One: 1, Five: 2, Fifteen: 3, Others: 0.25, Allowed: 0.5, Stolen: 0.125, Over: 1},
		Memory: probe.Memory{Total: 64 << 30, Available: 32 << 30, Group: 48 << 30, Space: probe.Unlimited, Locked: 64 << 10},
		Interfaces: []survey.Interface{
			{Name: "ib0", Kind: "infiniband", Up: true, MTU: 4092, Rate: 100e9, Addresses: []string{"10.0.0.1/8", "fe80::1/64"}, Counters: &survey.Traffic{Received: 1 << 30, Sent: 1 << 20, Errors: 1, Dropped: 2}, Flow: &survey.Flow{Received: 1500, Sent: 2.5e6, Dropped: 2, Over: 1}},
			{Name: "eth1", MTU: 1500},
			{Name: "eth2", Kind: "veth", Up: true, Shaped: 20e6, MTU: 1500, Counters: &survey.Traffic{}},
		},
		Missing: []string{"load: not here"},
	}
	var b strings.Builder
	if err := writeMachine(&b, m); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, text := range []string{
		"host alpha1", "system linux/amd64 6.1", "processor -", "cores 2.5 usable at a time: 64 online, 16 allowed by affinity, quota of the control group 2.5",
		"32 GiB available of 64 GiB; limit of the control group 48 GiB; address space unlimited, locked up to 64 KiB",
		"1.00 2.00 3.00", "others used 25.0% of the cores for the last 1 s, and 50.0% of those that are allowed (12.5% went to", "steps of 100 ns",
		"available a busy thread got 50.0% of a core for 200 ms, and was kept from it for 60 ms at most",
		"quota used up in 7 of 100 periods, for 2.50 s in all; just now in 1 of 2, for 50 ms",
		"1.25 GFLOP/s 1.0%", "20 GB/s", "ib0 up infiniband 4092 100 Gb/s 10.0.0.1/8", "eth1 down - 1500 - -", "eth2 up veth 1500 20 Mb/s -",
		"ib0 1 GiB 1 MiB 3 1.5 kB/s 2.5 MB/s 2 eth2 0 B 0 B 0 - - -", "not known: load: not here",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("no %q in\n%s", text, b.String())
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestProbeUsage(t *testing.T) {
	for _, args := range []string{"-watch 0s", "-watch x", "extra", "-links -1s", "-timeout 0s", "-sets a.conf", "-hosts a.hosts", "-save-hosts b.hosts"} {
		if code, _, err := call(t, "", append([]string{"probe"}, strings.Fields(args)...)...); code != cli.ExitUsage || strings.Count(err, "\n") != 1 {
			t.Errorf("%s: code %d, %q", args, code, err)
		}
	}
}
