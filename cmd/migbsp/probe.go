package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

var probeCommand = cli.Command{
	Name:    "probe",
	Summary: "measures what this machine gives: speed, load, memory, network",
	About: `Measures speed by three small loops on one core: floating-point operations that
wait for each other, the same several at a time, and copying memory. They take
the time of their own thread, so that what else runs matters little to them; the
share that others use is measured beside it. The spread of a rate is by which
part of it the middle half of the rounds differ.

What the machine or the rights of the user do not let it see is left open, and
said below the tables.`,
	Examples: []cli.Example{
		{Line: "migbsp probe", Does: "tables"},
		{Line: "mpirun -npernode 1 migbsp probe -format json", Does: "a JSON value from each node"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		format := formatFlag(flags)
		watch := flags.Duration("watch", 250*time.Millisecond, "how long to watch the load, such as `10s`")
		return func(ctx context.Context, streams cli.Streams, _ []string) error {
			if *watch <= 0 {
				return cli.Usagef("-watch %v: the time must be longer than 0", *watch)
			}
			m := probe.This(ctx, *watch)
			if err := ctx.Err(); err != nil {
				return err
			}
			if *format == "json" {
				return writeJSON(streams.Out, m)
			}
			return writeMachine(streams.Out, &m)
		}
	},
}

func writeMachine(w io.Writer, m *probe.Machine) error {
	if err := writeFacts(w, factsOf(m)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := writeSpeed(w, &m.Speed); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := writeInterfaces(w, m.Interfaces); err != nil {
		return err
	}
	for i, text := range m.Missing {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, " not known: %s\n", text); err != nil {
			return err
		}
	}
	return nil
}

func factsOf(m *probe.Machine) [][2]string {
	facts := [][2]string{
		{"host", m.Name},
		{"system", strings.TrimSpace(m.Platform + " " + m.Kernel)},
		{"processor", dash(m.Processor)},
		{"cores", coresText(m.Cores)},
		{"memory", memoryText(m.Memory)},
	}
	if c := m.Clock; c.Step > 0 {
		facts = append(facts, [2]string{"clock", fmt.Sprintf("of threads: steps of %s, read in %s", seconds(c.Step), seconds(c.Read))})
	}
	l := m.Load
	text := fmt.Sprintf("%.2f %.2f %.2f (means of 1, 5, 15 minutes)", l.One, l.Five, l.Fifteen)
	if l.Over > 0 {
		text += fmt.Sprintf("; others used %.1f%% of the cores for the last %s", 100*l.Others, seconds(l.Over))
	}
	if l.Stolen > 0 {
		text += fmt.Sprintf(" (%.1f%% went to the host of this virtual machine)", 100*l.Stolen)
	}
	return append(facts, [2]string{"load", text})
}

func coresText(c probe.Cores) string {
	text := fmt.Sprintf("%.3g usable at a time: %d online, %d allowed by affinity", c.Usable(), c.Online, c.Allowed)
	if c.Quota > 0 {
		return text + fmt.Sprintf(", quota of the control group %.3g", c.Quota)
	}
	return text + ", no quota"
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

func writeSpeed(w io.Writer, s *probe.Speed) error {
	row := func(name string, r probe.Rate, unit string) []string {
		return []string{name, scaled(r.PerSecond, unit), fmt.Sprintf("%.1f%%", 100*r.Spread)}
	}
	return ledger.WriteRows(w, []string{"speed of a core", "rate", "spread"}, [][]string{
		row("operations that wait for each other", s.Dependent, "FLOP/s"),
		row("several at a time", s.Independent, "FLOP/s"),
		row("copying memory", s.Copy, "B/s"),
	}, 0)
}

func writeInterfaces(w io.Writer, all []probe.Interface) error {
	var rows [][]string
	for _, is := range all {
		state, rate, address := "down", "-", "-"
		if is.Up {
			state = "up"
		}
		if is.Rate > 0 {
			rate = scaled(float64(is.Rate), "b/s")
		}
		if len(is.Addresses) > 0 {
			address = is.Addresses[0]
		}
		received, sent, wrong := "-", "-", "-"
		if c := is.Counters; c != nil {
			received, sent, wrong = ledger.Bytes(c.Received), ledger.Bytes(c.Sent), fmt.Sprint(c.Errors+c.Dropped)
		}
		rows = append(rows, []string{is.Name, state, fmt.Sprint(is.MTU), rate, received, sent, wrong, address})
	}
	return ledger.WriteRows(w, []string{"interface", "", "MTU", "rate", "received", "sent", "lost", "address"}, rows, 0, 1, 7)
}
