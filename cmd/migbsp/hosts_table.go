package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// writeHostTables prints hosts, Sets, and links where there are several Sets.
func writeHostTables(w io.Writer, d *hostsDescription) error {
	if err := d.writeHosts(w); err != nil {
		return err
	}
	if err := d.writeSets(w); err != nil {
		return err
	}
	if len(d.Links) > 0 {
		if err := d.writeLinks(w); err != nil {
			return err
		}
	}
	text := "No figures of a platform: without MPI, only the number of ranks is used."
	if d.Emulated {
		text = "Without MPI a platform to emulate; speed 1 is a core of the machine that does."
	}
	if d.Barrier > 0 {
		text += "\n Each superstep has a barrier of " + seconds(d.Barrier) + "."
	}
	if d.Job != "" {
		text = "Hosts: " + d.Job + ".\n " + text
	}
	_, err := fmt.Fprintf(w, "\n Ranks: %d on %d hosts in %d Sets.\n Sets: %s.\n %s\n", d.Ranks, len(d.Hosts), len(d.Sets), d.SetsBy, text)
	return err
}

func (d *hostsDescription) writeHosts(w io.Writer) error {
	var rows [][]string
	for _, h := range d.Hosts {
		ranks := "-"
		switch {
		case h.Slots == 1:
			ranks = strconv.Itoa(h.First)
		case h.Slots > 1:
			ranks = fmt.Sprintf("%d-%d", h.First, h.First+h.Slots-1)
		}
		rows = append(rows, []string{h.Name, h.Set, strconv.Itoa(h.Slots), ranks, strconv.FormatFloat(h.Speed, 'g', 4, 64), size(h.Memory)})
	}
	return text.WriteRows(w, []string{"host", "Set", "slots", "ranks", "speed", "memory"}, rows, 0, 1)
}

func (d *hostsDescription) writeSets(w io.Writer) error {
	var rows [][]string
	for _, s := range d.Sets {
		from := "no line #@set"
		switch {
		case s.Line > 0 && d.ownSets:
			from = "line " + strconv.Itoa(s.Line)
		case s.Line > 0:
			from = "see below"
		}
		rows = append(rows, []string{
			s.Name, fmt.Sprintf("%s (rank %d)", s.Manager, s.ManagerRank), strconv.Itoa(s.Hosts), strconv.Itoa(s.Ranks),
			bitRate(s.Rate), seconds(s.Latency), from,
		})
	}
	fmt.Fprintln(w)
	return text.WriteRows(w, []string{"Set", "manager", "hosts", "ranks", "rate", "latency", "from"}, rows, 0, 1, 6)
}

func (d *hostsDescription) writeLinks(w io.Writer) error {
	var rows [][]string
	for _, l := range d.Links {
		from := "the Sets' own"
		if l.Line > 0 {
			from = "line " + strconv.Itoa(l.Line)
		}
		rows = append(rows, []string{l.A + " - " + l.B, bitRate(l.Rate), seconds(l.Latency), from})
	}
	fmt.Fprintln(w)
	return text.WriteRows(w, []string{"link", "rate", "latency", "from"}, rows, 0, 3)
}

// bitRate prints a rate of bytes as networks are named, in bits.
func bitRate(bytes float64) string { return scaled(8*bytes, "b/s") }

func size(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return ledger.Bytes(bytes)
}
