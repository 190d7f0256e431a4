package main

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

func machineText(m *survey.Machine) string {
	return factsText(factsOf(m)) + "\n" + speedText(&m.Speed) + "\n" + interfacesText(m.Interfaces) + trafficText(m.Interfaces) + missingText(m.Missing)
}

// missingText lists the unknown figures, or returns "".
func missingText(missing []string) string {
	list := ""
	for _, text := range missing {
		list += "\n not known: " + ledger.Printable(text)
	}
	if list != "" {
		list = "\n" + strings.TrimPrefix(list, "\n") + "\n"
	}
	return list
}

func factsOf(m *survey.Machine) [][2]string {
	facts := [][2]string{
		{"host", m.Name},
		{"system", strings.TrimSpace(m.Platform + " " + m.Kernel)},
		{"processor", dash(m.Processor)},
		{"cores", coresText(m.Cores)},
	}
	if a := m.Available; a.Over > 0 {
		facts = append(facts, [2]string{"available", fmt.Sprintf("a busy thread got %.1f%% of a core for %s, and was kept from it for %s at most", 100*a.Share, seconds(a.Over), seconds(a.Away))})
	}
	if t := m.Throttling; t != nil && t.Periods > 0 {
		facts = append(facts, [2]string{"quota", throttlingText(t, m.ThrottlingBusy)})
	}
	facts = append(facts, [2]string{"memory", memoryText(m.Memory)})
	if c := m.Clock; c.Step > 0 {
		facts = append(facts, [2]string{"clock", fmt.Sprintf("of threads: steps of %s, read in %s", seconds(c.Step), seconds(c.Read))})
	}
	return append(facts, [2]string{"load", loadText(&m.Load, m.Cores)})
}

func loadText(l *survey.Load, c probe.Cores) string {
	text := fmt.Sprintf("%.2f %.2f %.2f (means of 1, 5, 15 minutes)", l.One, l.Five, l.Fifteen)
	if l.Over > 0 {
		text += fmt.Sprintf("; others used %.1f%% of the cores for the last %s", 100*l.Others, seconds(l.Over))
		if c.Allowed < c.Online {
			text += fmt.Sprintf(", and %.1f%% of those that are allowed", 100*l.Allowed)
		}
	}
	if l.Stolen > 0 {
		text += fmt.Sprintf(" (%.1f%% went to the host of this virtual machine)", 100*l.Stolen)
	}
	return text
}

func coresText(c probe.Cores) string {
	text := fmt.Sprintf("%.3g usable at a time: %d online, %d allowed by affinity", c.Usable(), c.Online, c.Allowed)
	if c.Quota > 0 {
		return text + fmt.Sprintf(", quota of the control group %.3g", c.Quota)
	}
	return text + ", no quota"
}

// throttlingText is about the quota since the group is there, and while a thread
// was kept busy.
func throttlingText(all, busy *survey.Throttling) string {
	text := fmt.Sprintf("used up in %d of %d periods, for %s in all", all.Throttled, all.Periods, seconds(all.Time))
	if busy != nil {
		text += fmt.Sprintf("; just now in %d of %d, for %s", busy.Throttled, busy.Periods, seconds(busy.Time))
	}
	return text
}

func memoryText(m probe.Memory) string {
	text := fmt.Sprintf("%s available of %s", ledger.Bytes(m.Available), ledger.Bytes(m.Total))
	if m.Group > 0 {
		text += "; limit of the control group " + ledger.Bytes(m.Group)
	}
	return text + "; address space " + limitText(m.Space) + ", locked " + limitText(m.Locked)
}

func limitText(n int64) string {
	if n == probe.Unlimited {
		return "unlimited"
	}
	return "up to " + ledger.Bytes(n)
}

func speedText(s *probe.Speed) string {
	row := func(name string, r probe.Rate, unit string) []string {
		return []string{name, scaled(r.PerSecond, unit), fmt.Sprintf("%.1f%%", 100*r.Spread)}
	}
	return text.Rows([]string{"speed of a core", "rate", "spread"}, [][]string{
		row("operations that wait for each other", s.Dependent, "FLOP/s"),
		row("several at a time", s.Independent, "FLOP/s"),
		row("copying memory", s.Copy, "B/s"),
	}, 0)
}

// lineText returns the rate of a link, if it is known.
func lineText(is *survey.Interface) string {
	if limit := is.Limit(); limit > 0 {
		return scaled(float64(limit), "b/s")
	}
	return "-"
}

func interfacesText(all []survey.Interface) string {
	var rows [][]string
	for i := range all {
		is := &all[i]
		state, address := "down", "-"
		if is.Up {
			state = "up"
		}
		if len(is.Addresses) > 0 {
			address = is.Addresses[0]
		}
		rows = append(rows, []string{is.Name, state, dash(is.Kind), fmt.Sprint(is.MTU), lineText(is), address})
	}
	return text.Rows([]string{"interface", "", "kind", "MTU", "rate", "address"}, rows, 0, 1, 2, 5)
}

// trafficText returns the traffic of the interfaces that are up, if it is known.
func trafficText(all []survey.Interface) string {
	var rows [][]string
	for _, is := range all {
		c := is.Counters
		if c == nil || !is.Up {
			continue
		}
		in, out, lost := "-", "-", "-"
		if f := is.Flow; f != nil {
			in, out, lost = scaled(f.Received, "B/s"), scaled(f.Sent, "B/s"), fmt.Sprint(f.Errors+f.Dropped)
		}
		rows = append(rows, []string{is.Name, ledger.Bytes(c.Received), ledger.Bytes(c.Sent), fmt.Sprint(c.Errors + c.Dropped), in, out, lost})
	}
	if len(rows) == 0 {
		return ""
	}
	return "\n" + text.Rows([]string{"traffic", "received", "sent", "lost", "in now", "out now", "lost now"}, rows, 0)
}
