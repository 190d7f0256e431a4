package page

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/ledger/tell"
)

// The chart of hosts counts processes at the start and at the end, and leaves out the least used of
// many hosts.
func TestHostsChart(t *testing.T) {
	s := usual
	s.ranks, s.procs = 3*hostBars, 5*hostBars
	v := tell.OfRecord(s.history(t))
	all := hostCounts(v)
	start, end := 0, 0
	for _, h := range all {
		start, end = start+h.start, end+h.end
	}
	if len(all) <= hostBars || start != s.procs || end != s.procs {
		t.Fatalf("%d hosts with %d processes, then %d; want %d", len(all), start, end, s.procs)
	}
	shown := mostUsed(all)
	least := s.procs
	for _, h := range shown {
		least = min(least, max(h.start, h.end))
	}
	for _, h := range all {
		if max(h.start, h.end) > least && !strings.Contains(string(hostsChart("hosts", v)), ">"+h.name+"<") {
			t.Errorf("host %s with %d processes is not drawn", h.name, max(h.start, h.end))
		}
	}
	if text := hostsWords(shown, len(all), true); len(shown) != hostBars || !strings.Contains(text, "32 of") {
		t.Errorf("%d hosts are drawn: %s", len(shown), text)
	}
}

// A run on one host has no chart.
func TestHostsChartOfOneHost(t *testing.T) {
	s := usual
	s.ranks, s.sets = 1, 1
	if chart := hostsChart("hosts", tell.OfRecord(s.history(t))); chart != "" {
		t.Errorf("a chart of one host: %s", chart)
	}
}
