package tell

import (
	"fmt"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Survived describes the parts of a run that has gone on after losses, "" for other runs.
func Survived(v *View) string {
	parts := v.Account.Parts
	if len(parts) < 2 {
		return ""
	}
	lost := time.Duration(0)
	for i := range parts[:len(parts)-1] {
		l := parts[i].LossOf(&parts[i+1])
		lost += l.Whole()
	}
	return fmt.Sprintf("%d in %s since %s; %s took %s", len(parts), ledger.Seconds(span(v)),
		parts[0].Began.UTC().Format(time.DateTime), ledger.Count(len(parts)-1, "loss"), ledger.Seconds(lost))
}

// span returns the time since the start of the first part.
func span(v *View) time.Duration {
	return ledger.Span(v.Account.Parts, took(v))
}

// took returns the time of the last part since its first superstep.
func took(v *View) time.Duration { return time.Duration(v.Whole.Elapsed * float64(time.Second)) }

// Parts makes the table of the parts of a run, nil if the run has one part.
func Parts(v *View) *Table {
	parts := v.Account.Parts
	if len(parts) < 2 {
		return nil
	}
	t := &Table{Columns: []Column{
		{"part", "part", false, 0}, {"began", "began", true, 0}, {"took", "took_s", false, 0}, {"hosts", "hosts", true, 5}, {"ranks", "ranks", false, 6},
		{"supersteps", "supersteps", true, 0}, {"noticing", "noticing_s", false, 0}, {"ending", "ending_s", false, 0},
		{"starting", "starting_s", false, 0}, {"repeated", "repeated_s", false, 0}, {"ended by", "ended_by", true, 7},
	}}
	for i := range parts {
		t.Rows = append(t.Rows, part(v, i))
	}
	return t
}

// part returns the row of a part: of the last one from the account.
func part(v *View, i int) []Cell {
	parts := v.Account.Parts
	p := &parts[i]
	row := []Cell{intCell(i + 1), textCell(p.Began.UTC().Format(time.TimeOnly))}
	if i == len(parts)-1 {
		run, step := v.Account.Run(), &v.Whole.Step
		took := max(0, p.Up.Sub(p.Began)) + took(v)
		row = append(row, timeCell(took), textCell(hostsOf(run)), intCell(len(run.Ranks)), textCell(fmt.Sprintf("%d-%d", p.First, p.First+step.Count-1)))
		return append(row, textCell(""), textCell(""), textCell(""), textCell(""), textCell(v.State()))
	}
	l := p.LossOf(&parts[i+1])
	hosts := strings.Join(p.Hosts, ",")
	if more := p.AllHosts - len(p.Hosts); more > 0 {
		hosts += fmt.Sprintf(" +%d", more)
	}
	return append(row, timeCell(max(0, p.Ended.Sub(p.Began))), textCell(hosts), intCell(p.Ranks), textCell(fmt.Sprintf("%d-%d", p.First, p.Last)),
		timeCell(l.Noticing), timeCell(l.Ending), timeCell(l.Starting), timeCell(l.Repeated), textCell(p.Cause))
}

// hostsOf names the hosts of a run.
func hostsOf(run *ledger.Run) string {
	var names []string
	all := 0
	for i, rank := range run.Ranks {
		if i > 0 && rank.Host == run.Ranks[i-1].Host {
			continue
		}
		if all++; all <= ledger.MostPartHosts {
			names = append(names, rank.Host)
		}
	}
	if all > len(names) {
		names[len(names)-1] += fmt.Sprintf(" +%d", all-len(names))
	}
	return strings.Join(names, ",")
}
