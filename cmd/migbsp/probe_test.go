package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
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
	shown := machineText(m)
	got := strings.Join(strings.Fields(shown), " ")
	must.Have(t, got,
		"host alpha1", "system linux/amd64 6.1", "processor -", "cores 2.5 usable at a time: 64 online, 16 allowed by affinity, quota of the control group 2.5",
		"32 GiB available of 64 GiB; limit of the control group 48 GiB; address space unlimited, locked up to 64 KiB",
		"1.00 2.00 3.00", "others used 25.0% of the cores for the last 1 s, and 50.0% of those that are allowed (12.5% went to", "steps of 100 ns",
		"available a busy thread got 50.0% of a core for 200 ms, and was kept from it for 60 ms at most",
		"quota used up in 7 of 100 periods, for 2.50 s in all; just now in 1 of 2, for 50 ms",
		"1.25 GFLOP/s 1.0%", "20 GB/s", "ib0 up infiniband 4092 100 Gb/s 10.0.0.1/8", "eth1 down - 1500 - -", "eth2 up veth 1500 20 Mb/s -",
		"ib0 1 GiB 1 MiB 3 1.5 kB/s 2.5 MB/s 2 eth2 0 B 0 B 0 - - -", "not known: load: not here",
	)
	isNarrow(t, shown)
}

// said is the output of a rank, and its error.
type said struct {
	out, err bytes.Buffer
	failure  error
}

// probeInProcess runs the tool's part of each rank; nil ones are not there.
func probeInProcess(o probeOptions, comms []mpi.Comm) []said {
	all := make([]said, len(comms))
	var ranks sync.WaitGroup
	for rank, comm := range comms {
		if comm == nil {
			continue
		}
		ranks.Go(func() {
			s := &all[rank]
			own := o
			if rank > 0 {
				own.timeout = time.Hour // it is rank 0 that complains
			}
			own.comm = comm
			s.failure = own.probeRanks(context.Background(), cli.Streams{Out: &s.out, Err: &s.err})
			own.leave()
		})
	}
	ranks.Wait()
	return all
}

func quick(format string) probeOptions {
	return probeOptions{format: format, watch: 10 * time.Millisecond, links: 10 * time.Millisecond, timeout: time.Hour}
}

// Only rank 0 prints, one JSON value, and the file that it writes can be read.
func TestProbeOfRanks(t *testing.T) {
	o := quick("json")
	o.save = filepath.Join(t.TempDir(), "measured.hosts")
	all := probeInProcess(o, mpi.InProcess(3))
	for rank := range all {
		s := &all[rank]
		if s.failure != nil || (s.out.Len() > 0) != (rank == 0) {
			t.Fatalf("rank %d: %v, %q, %q", rank, s.failure, s.out.String(), s.err.String())
		}
	}
	var s survey.Survey
	if err := json.Unmarshal(all[0].out.Bytes(), &s); err != nil || s.Schema != survey.Schema || len(s.Ranks) != 3 {
		t.Errorf("%v: %s", err, all[0].out.String())
	}
	f, err := hostfile.Read(o.save)
	if err != nil || f.Ranks() != 3 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestProbeRefusesFiles(t *testing.T) {
	dir := t.TempDir()
	wrong := filepath.Join(dir, "wrong.hosts")
	must.Do(t, os.WriteFile(wrong, []byte("a slots=x\n"), 0o644))
	o, p := quick("table"), quick("table")
	o.hosts, p.sets = wrong, filepath.Join(dir, "none")
	for want, o := range map[string]probeOptions{"wrong.hosts:1:9: ": o, "no such file": p} {
		all := probeInProcess(o, mpi.InProcess(2))
		if err := all[0].failure; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if s := &all[1]; s.failure != cli.Exit(cli.ExitFailed) || s.err.Len() > 0 {
			t.Errorf("rank 1: %v, %q, want %s of rank 0 alone", s.failure, s.err.String(), want)
		}
	}
}

func TestProbeNamesASilentRank(t *testing.T) {
	comms := mpi.InProcess(3)
	comms[2] = nil
	o := quick("table")
	o.timeout = 20 * time.Millisecond
	all := probeInProcess(o, comms)
	if s := &all[0]; s.failure != cli.Exit(cli.ExitFailed) || s.out.Len() > 0 ||
		!strings.HasPrefix(s.err.String(), "migbsp probe: rank 2 has not answered for ") {
		t.Errorf("%v, %q, %q", s.failure, s.out.String(), s.err.String())
	}
}

func TestProbeSaysWhereItCannotWrite(t *testing.T) {
	o := quick("table")
	o.save = filepath.Join(t.TempDir(), "none", "measured.hosts")
	all := probeInProcess(o, mpi.InProcess(2))
	if all[0].failure == nil || all[1].failure != nil || !strings.Contains(all[0].out.String(), "from \\ to") {
		t.Errorf("%v, %v\n%s", all[0].failure, all[1].failure, all[0].out.String())
	}
}

// surveyOf returns a survey with two hosts in each Set.
func surveyOf(sets int) *survey.Survey {
	s := &survey.Survey{Engine: "test", Origin: "#@set lines of my.hosts", Missing: []string{"alpha01 (rank 1): load: not here"}}
	names := []string{"alpha", "beta", "gamma", "delta", "epsilon"}[:sets]
	for i, set := range names {
		s.Sets = append(s.Sets, survey.SetReport{Name: set, Manager: set + "01", ManagerRank: 4 * i, Hosts: 2, Ranks: 4})
		for k, host := range []string{set + "01", set + "02"} {
			first := 4*i + 2*k
			s.Ranks = append(s.Ranks, survey.RankReport{Rank: first}, survey.RankReport{Rank: first + 1})
			s.Hosts = append(s.Hosts, survey.HostReport{
				Machine: &survey.Machine{
					Host: survey.Host{Name: host}, Load: survey.Load{Over: 1}, Memory: probe.Memory{Available: 12 << 30},
					Interfaces: []survey.Interface{{Name: "eth0", Kind: "ethernet", Rate: 25e9, Flow: &survey.Flow{Received: 1000, Sent: 2.5e6, Errors: 1, Dropped: 2}}},
				},
				Set: set, Ranks: []int{first, first + 1}, Usable: 2, Relative: 0.5, Share: 0.995, Busy: 0.25,
				Route: &survey.Route{Interface: "eth0", Host: "beta01"},
			})
		}
		for _, to := range names {
			s.Links = append(s.Links, survey.LinkReport{From: set, To: to, Way: probe.Way{Latency: 5.1e-3, PerByte: 8e-7}, Rate: 12.5e6})
		}
	}
	s.Hosts[1].Interfaces, s.Hosts[1].Route, s.Hosts[1].Load.Over, s.Hosts[1].Memory.Available = nil, nil, 0, 0
	return s
}

func TestSurveyTables(t *testing.T) {
	for _, c := range []struct {
		sets int
		want []string
	}{
		{2, []string{
			"alpha01 alpha 0-1 2 0.50 100% 25% 12 GiB", "alpha02 alpha 2-3 2 0.50 100% - -",
			"alpha01 beta01 eth0 ethernet 25 Gb/s 1 kB/s 2.5 MB/s 3 beta01",
			`from \ to alpha beta`, "alpha 5.10 ms, 100 Mb/s 5.10 ms, 100 Mb/s",
			"not known: alpha01 (rank 1): load: not here", "Ranks: 8 on 4 hosts in 2 Sets (#@set lines of my.hosts).",
		}},
		{5, []string{"from to latency rate", "epsilon alpha 5.10 ms 100 Mb/s"}},
	} {
		shown := surveyText(surveyOf(c.sets))
		got := strings.Join(strings.Fields(shown), " ")
		must.Have(t, got, c.want...)
		isNarrow(t, shown)
	}
}

func TestRankList(t *testing.T) {
	for want, ranks := range map[string][]int{
		"": nil, "3": {3}, "0-3": {0, 1, 2, 3}, "0,2-3,9": {0, 2, 3, 9}, "4 ranks": {0, 2, 4, 6},
	} {
		if got := rankList(ranks); got != want {
			t.Errorf("%v: %q, want %q", ranks, got, want)
		}
	}
}
