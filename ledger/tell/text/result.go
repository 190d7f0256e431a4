package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// WriteResult prints the program's result and its platform. The name of the account's table
// determines the amount: with "none" only the program's own report, with "full" all, in the format
// customary since NPB and HPL, and else at most 8 lines.
func WriteResult(w io.Writer, v *tell.View, display Display, table string) error {
	out := &printer{w: w}
	r := v.Account.Result
	switch {
	case table == "none":
		if r == nil {
			return nil
		}
		out.line("%s", ledger.Printable(strings.TrimSpace(r.Title+"  "+r.Size)))
		if r.Seconds > 0 {
			text := fmt.Sprintf("time      %s s%s", tell.PlainSeconds(r.Seconds), v.Clock())
			if rate, unit := tell.Rate(r, 1); unit != "" {
				text += ", " + rate + " " + unit
			}
			out.line("%s", ledger.Printable(text))
		}
	case table == "full":
		out.line(" %s  %s", display.bold(ledger.Printable(tell.Title(v.Account))), v.Account.Run().Started.UTC().Format(time.RFC3339))
		for _, line := range pairs(display, v.Facts()) {
			out.line("%s", line)
		}
	default:
		writeShortResult(out, v, display)
		return out.err
	}
	if r == nil {
		return out.err
	}
	for _, t := range r.Tables {
		if out.line(" %s", t.Title); out.err == nil {
			out.err = WriteRows(w, t.Header, t.Rows, t.Text...)
		}
	}
	for _, c := range r.Checks {
		out.line("%s", ledger.Printable(c.String()))
	}
	if r.Checksum != "" {
		out.line("checksum  %s", ledger.Printable(r.Checksum))
	}
	return out.err
}

// writeShortResult prints the result in at most resultLines lines: checks that have failed
// come first, and the last details and checks are left out.
func writeShortResult(out *printer, v *tell.View, display Display) {
	r := v.Account.Result
	if r == nil {
		r = &ledger.Result{}
	}
	head := tell.Title(v.Account)
	if r.Size != "" {
		head += ", " + r.Size
	}
	out.sentence(display, display.bold, "%s", head)
	out.sentence(display, plain, "%s on %s, -balance %s", ledger.Count(v.Account.Run().Procs, "process"), ledger.Count(len(v.Account.Run().Ranks), "rank")+v.InSets(), v.Account.Run().Strategy)
	left := resultLines - 3 // these two and the checksum
	checks := slices.Clone(r.Checks)
	slices.SortStableFunc(checks, func(a, b ledger.Check) int { return cmp.Compare(passed[a.Passed], passed[b.Passed]) })
	more := max(0, len(checks)-(left-1))
	if more == 1 {
		more = 0
	}
	checks = checks[:len(checks)-more]
	left -= len(checks)
	if more > 0 {
		left--
	}
	details := pairs(display, r.Details)
	for _, line := range details[:min(len(details), left)] {
		out.line("%s", line)
	}
	for _, c := range checks {
		out.line("%s", ledger.Printable(c.String()))
	}
	if more > 0 {
		out.line("check     %d more: -table full", more)
	}
	if r.Checksum != "" {
		out.line("checksum  %s", ledger.Printable(r.Checksum))
	}
}

// passed has checks that have failed before others.
var passed = map[bool]int{true: 1}
