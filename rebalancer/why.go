package rebalancer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Why prints a decision and its reasons.
//
// It returns the errors of w.
func (d *Decision) Why(w io.Writer, p *Platform) error {
	out := new(text)
	balance := "not balanced"
	if d.Balanced {
		balance = "balanced"
	}
	out.print("call %d after superstep %d: alpha %d > %d, D %.3g > %.3g, the last superstep was %s; next call after superstep %d",
		d.Call, d.Step, d.Before.Alpha, d.After.Alpha, d.Before.D, d.After.D, balance, d.Next)
	if o := d.Outcome; o != nil {
		out.print("  call %d: %.4g s predicted to be saved in %d supersteps, %.4g s realised, %.4g s spent on the moves",
			o.Call, o.Predicted, o.Steps, o.Realised, o.Cost)
	}
	out.verdicts(d, p)
	f := d.Forecast
	switch {
	case len(d.Moves) == 0:
		out.print("  nothing moves: %s", d.WhyNone)
	case f.Horizon > 0:
		out.print("  %d processes move, %d bytes: the next %d supersteps take %.4g s instead of %.4g s, for %.3g s of moving",
			len(d.Moves), d.bytes(), f.Horizon, f.After, f.Before, f.Cost)
	default:
		out.print("  %d processes move, %d bytes", len(d.Moves), d.bytes())
	}
	if w := d.Prediction; w.High > 0 {
		out.print("  foretold by %s: a superstep takes %.4g s, %.4g s to %.4g s in 4 of 5 cases", w.By, d.foretold(), w.Low, w.High)
	}
	if t := d.Foretelling; t != nil {
		out.print("  %s\n", t)
	}
	b := d.Bound
	out.print("  a superstep takes %.4g s before the call and at least %.4g s on any mapping: gap %.3g%% (longest process %.4g s, all work over all speed %.4g s)",
		b.Step, b.Least, 100*ratioOr(b.Step-b.Least, b.Step, 0), b.Longest, b.Share)
	if d.UnexplainedTime > 0 {
		out.print("  supersteps take %.3g s longer than speeds and links explain, more than before: %.3g s for those to come", d.Learned.Unexplained, d.UnexplainedTime)
	}
	out.speeds(&d.Learned)
	if b.Split >= 0 {
		out.print("  process %d is the limit: only splitting it would help", b.Split)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// speeds prints the ranks' effective speeds if they differ.
func (out *text) speeds(m *Learned) {
	all := make([]float64, len(m.Speeds))
	for rank, speed := range m.Speeds {
		all[rank] = speed * m.Available[rank]
	}
	if len(all) > 0 && slices.Min(all) < slices.Max(all) {
		some, more := all[:min(len(all), 16)], ""
		if len(all) > len(some) {
			more = fmt.Sprintf(" and %d more", len(all)-len(some))
		}
		out.print("  by speed and share of their cores the ranks have %.3g%s", some, more)
	}
}

func (d *Decision) bytes() int64 {
	n := int64(0)
	for _, m := range d.Moves {
		n += m.Bytes
	}
	return n
}

// text builds lines of text.
type text struct{ strings.Builder }

// print writes a line. It wraps at 80 columns and indents continuation lines by two.
func (out *text) print(format string, args ...any) {
	all := fmt.Sprintf(format, args...)
	indent := all[:len(all)-len(strings.TrimLeft(all, " "))]
	line := indent
	for i, word := range strings.Fields(all) {
		switch {
		case i == 0:
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 80:
			fmt.Fprintln(out, line)
			line = indent + "  "
		default:
			line += " "
		}
		line += word
	}
	fmt.Fprintln(out, line)
}

// verdicts prints the processes that move, and then those that came closest, up to a dozen.
func (out *text) verdicts(d *Decision, p *Platform) {
	if len(d.Verdicts) == 0 {
		return
	}
	from := make(map[int]int)
	for _, m := range d.Moves {
		from[m.Pid] = m.From
	}
	sorted := slices.Clone(d.Verdicts)
	slices.SortStableFunc(sorted, func(a, b Verdict) int {
		switch {
		case a.Moves && !b.Moves:
			return -1
		case b.Moves && !a.Moves:
			return 1
		}
		return cmp.Compare(b.Potential.PM(), a.Potential.PM())
	})
	shown := min(len(sorted), max(12, len(d.Moves)))
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  process\tSet\tComp\tComm\tMem\tPM\tt1\tt2")
	for _, v := range sorted[:shown] {
		q := v.Potential
		set := "-"
		if q.Set >= 0 && q.Set < len(p.Sets) {
			set = p.Sets[q.Set].Name
		}
		fmt.Fprintf(t, "  %d\t%s\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\n", v.Pid, set, q.Comp, q.Comm, q.Mem, q.PM(), v.T1, v.T2)
	}
	t.Flush()
	rows := strings.Split(table.String(), "\n")
	for i, row := range rows[:shown+1] {
		fmt.Fprintln(out, strings.TrimRight(row, " "))
		if i == 0 {
			continue
		}
		if v := sorted[i-1]; v.Moves {
			out.print("    goes from %s to %s: %s", rankName(p, from[v.Pid]), rankName(p, v.To), v.Rule)
		} else {
			out.print("    stays: %s", v.Rule)
		}
	}
	if more := len(sorted) - shown; more > 0 {
		out.print("  and %d more that stay", more)
	}
}

// rankName is a rank's number, with its host where that is known.
func rankName(p *Platform, rank int) string {
	if rank >= 0 && rank < len(p.Ranks) && p.Ranks[rank].Host != "" {
		return fmt.Sprintf("%d@%s", rank, p.Ranks[rank].Host)
	}
	return fmt.Sprint(rank)
}
