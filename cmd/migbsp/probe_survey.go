package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/probe/survey"
)

// mostSets is the maximum number of Sets that have columns in a table of links.
const mostSets = 3

// surveyText has tables of hosts and links.
func surveyText(s *survey.Survey) string {
	links := ""
	switch {
	case len(s.Links) > 0 && len(s.Sets) > mostSets:
		links = "\n" + linkList(s)
	case len(s.Links) > 0:
		links = "\n" + linkMatrix(s)
	}
	return hostReports(s) + hostNetworks(s) + links + missingText(s.Missing) + fmt.Sprintf("\n Ranks: %d on %d hosts in %d Sets (%s).\n Messages: %s.\n",
		len(s.Ranks), len(s.Hosts), len(s.Sets), ledger.Printable(s.Origin), s.Engine)
}

// hostReports returns a table of the computing power of the hosts.
func hostReports(s *survey.Survey) string {
	var rows [][]string
	for i := range s.Hosts {
		h := &s.Hosts[i]
		others := "-"
		if h.Load.Over > 0 {
			others = wholePercent(h.Busy)
		}
		memory := "-"
		if h.Memory.Available > 0 {
			memory = ledger.Bytes(h.Memory.Available)
		}
		rows = append(rows, []string{
			h.Name, h.Set, rankList(h.Ranks), fmt.Sprintf("%.3g", h.Usable), fmt.Sprintf("%.2f", h.Relative),
			wholePercent(h.Share), others, memory,
		})
	}
	return text.Rows([]string{"host", "Set", "ranks", "cores", "speed", "got", "others", "memory"}, rows, 0, 1)
}

// hostNetworks returns a table of the interfaces by which the hosts reach each other, or "" if none
// is known.
func hostNetworks(s *survey.Survey) string {
	var rows [][]string
	for i := range s.Hosts {
		h := &s.Hosts[i]
		is := h.Interface()
		if is == nil {
			continue
		}
		in, out, lost, to := "-", "-", "-", "-"
		if f := is.Flow; f != nil {
			in, out = scaled(f.Received, "B/s"), scaled(f.Sent, "B/s")
		}
		if packets, known := h.Lost(); known {
			lost = strconv.FormatInt(packets, 10)
		}
		if h.Route != nil {
			to = h.Route.Host
		}
		rows = append(rows, []string{h.Name, to, is.Name, dash(is.Kind), lineText(is), in, out, lost})
	}
	if len(rows) == 0 {
		return ""
	}
	return "\n" + text.Rows([]string{"host", "to", "via", "kind", "rate", "in now", "out now", "lost"}, rows, 0, 1, 2, 3)
}

func wholePercent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// rankList returns ascending ranks, as 0-3,8; if they have too many parts, only their number.
func rankList(ranks []int) string {
	const parts = 3
	var list []string
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		text := strconv.Itoa(ranks[i])
		if end > i {
			text += "-" + strconv.Itoa(ranks[end])
		}
		list = append(list, text)
		i = end + 1
	}
	if len(list) > parts {
		return fmt.Sprintf("%d ranks", len(ranks))
	}
	return strings.Join(list, ",")
}

// wayText returns a link in a cell of a table.
func wayText(l *survey.LinkReport) (latency, rate string) {
	if l == nil {
		return "-", "-"
	}
	rate = "-"
	if l.Rate > 0 {
		rate = bitRate(l.Rate)
	}
	return seconds(l.Latency), rate
}

// linkMatrix has a row for each sending Set.
func linkMatrix(s *survey.Survey) string {
	header := []string{"from \\ to"}
	var rows [][]string
	for _, from := range s.Sets {
		header = append(header, from.Name)
		row := []string{from.Name}
		for _, to := range s.Sets {
			text := "-"
			if l := s.Link(from.Name, to.Name); l != nil {
				latency, rate := wayText(l)
				text = latency + ", " + rate
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return text.Rows(header, rows, 0)
}

// linkList has a row for each link.
func linkList(s *survey.Survey) string {
	var rows [][]string
	for i := range s.Links {
		l := &s.Links[i]
		latency, rate := wayText(l)
		rows = append(rows, []string{l.From, l.To, latency, rate})
	}
	return text.Rows([]string{"from", "to", "latency", "rate"}, rows, 0, 1)
}
