package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// hostBars bounds the hosts that are drawn.
const hostBars = 32

// hostCount has the numbers of processes on a host at the start and at the end of a run.
type hostCount struct {
	name       string
	set        int
	start, end int
}

// hostCounts returns the hosts of a run, in the order of their ranks.
func hostCounts(v *tell.View) []*hostCount {
	run := v.Account.Run()
	var all []*hostCount
	number := make(map[string]*hostCount)
	for _, r := range run.Ranks {
		if number[r.Host] == nil {
			number[r.Host] = &hostCount{name: r.Host, set: r.Set}
			all = append(all, number[r.Host])
		}
	}
	end := slices.Clone(run.Mapping.Where())
	for _, rank := range end {
		number[run.Ranks[rank].Host].start++
	}
	for i := range v.Record.Moves {
		end[v.Record.Moves[i].Pid] = int32(v.Record.Moves[i].To)
	}
	for _, rank := range end {
		number[run.Ranks[rank].Host].end++
	}
	return all
}

// hostsChart draws the number of processes on each host at the start, and below it at the end if
// processes moved. It is empty for a run on one host.
func hostsChart(id string, v *tell.View) template.HTML {
	all := hostCounts(v)
	if len(all) < 2 {
		return ""
	}
	shown, moved := mostUsed(all), len(v.Record.Moves) > 0
	most := 1
	for _, h := range shown {
		most = max(most, h.start, h.end)
	}
	const each, bar, right = 22.0, 8.0, 880.0
	x, top := svg.Linear(0, float64(most), plotLeft, right), 6.0
	s := chart(id, "hosts", chartWidth, top+each*float64(len(shown))+4, "Processes on each host", hostsWords(shown, len(all), moved))
	for i, h := range shown {
		y, label := top+each*float64(i), fmt.Sprint(h.start)
		s.Text("tick", "end", plotLeft-6, y+each/2+3, shorten(h.name, 14))
		s.Rect(fmt.Sprintf("set%d tone3", h.set%setColors), plotLeft, y+2, x.At(float64(h.start))-plotLeft, bar)
		if moved {
			s.Rect(fmt.Sprintf("set%d tone1", h.set%setColors), plotLeft, y+2+bar, x.At(float64(h.end))-plotLeft, bar)
		}
		if moved && h.end != h.start {
			label = fmt.Sprintf("%d, then %d", h.start, h.end)
		}
		s.Text("tick", "start", x.At(float64(max(h.start, h.end)))+6, y+each/2+3, label)
	}
	return s.end()
}

// mostUsed returns the hosts with the most processes, at most hostBars, in the order of their ranks.
func mostUsed(all []*hostCount) []*hostCount {
	if len(all) <= hostBars {
		return all
	}
	use := make([]int, len(all))
	for i := range use {
		use[i] = i
	}
	slices.SortStableFunc(use, func(a, b int) int {
		return cmp.Compare(max(all[b].start, all[b].end), max(all[a].start, all[a].end))
	})
	use = use[:hostBars]
	slices.Sort(use)
	shown := make([]*hostCount, len(use))
	for i, k := range use {
		shown[i] = all[k]
	}
	return shown
}

// hostsWords describes the chart.
func hostsWords(shown []*hostCount, hosts int, moved bool) string {
	text := "Upper bars: processes at the start; lower bars: at the end."
	if !moved {
		text = "Processes at the start; they did not move."
	}
	if len(shown) < hosts {
		text += fmt.Sprintf(" Shown are the %d of %s with the most processes.", len(shown), ledger.Count(hosts, "host"))
	}
	return text
}
