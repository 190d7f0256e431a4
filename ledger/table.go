package ledger

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// Machine is what a probe found of the machine: the parameters of the BSP cost
// model.
type Machine struct {
	G time.Duration // for 1 GiB sent or received by a process
	L time.Duration // for an empty superstep
}

// Predict is the communication time that the model gives steps supersteps with
// h bytes in all.
func (m Machine) Predict(h int64, steps int) time.Duration {
	return time.Duration(float64(m.G)*float64(h)/(1<<30)) + m.L*time.Duration(steps)
}

// Views are the tables that WriteTable knows.
var Views = []string{"sites", "steps", "none"}

// WriteTable prints the balance of the run: with view "sites" a row for each
// call site, with "steps" one for each superstep (or window of supersteps, in
// long runs), with "none" nothing.
func (b *Book) WriteTable(w io.Writer, view string, m Machine) error {
	switch view {
	case "none":
		return nil
	case "steps":
		return b.writeSteps(w, m)
	default:
		return b.writeSites(w, m)
	}
}

var columns = []string{"steps", "w max", "w avg", "w min", "imb", "idle", "h/step", "g*h+l", "comm", "total", "slowest"}

func (b *Book) writeSites(w io.Writer, m Machine) error {
	t := NewTable(w, append([]string{"where"}, columns...), 0, len(columns))
	for i, s := range b.sites {
		if err := t.Append(b.row(s, m, b.place(s.Site), b.usualSlowest(i))); err != nil {
			return err
		}
	}
	if len(b.sites) > 1 {
		t.Footer(b.row(b.Total(), m, "all", ""))
	}
	return t.Render()
}

func (b *Book) writeSteps(w io.Writer, m Machine) error {
	t := NewTable(w, append([]string{"step", "where"}, columns...), 0, 1, len(columns)+1)
	for _, win := range b.windows {
		where := b.place(win.Site)
		if win.Mixed {
			where = "several"
		}
		row := b.row(win.Step, m, where, slowestName(win.Step))
		if err := t.Append(append([]string{strconv.Itoa(win.First)}, row...)); err != nil {
			return err
		}
	}
	return t.Render()
}

func (b *Book) row(s Step, m Machine, where, slowest string) []string {
	return []string{
		where, strconv.Itoa(s.Count),
		Seconds(s.WorkMax), Seconds(s.WorkAvg()), Seconds(s.WorkMin),
		fmt.Sprintf("%.2f", s.Imbalance()), fmt.Sprintf("%.1f%%", 100*s.Idle()),
		Bytes(s.H / int64(s.Count)), Seconds(m.Predict(s.H, s.Count)), Seconds(s.Comm), Seconds(s.Total),
		slowest,
	}
}

// usualSlowest names the process that was slowest most often at a site.
func (b *Book) usualSlowest(site int) string {
	best, times := -1, 0
	for pid, n := range b.slowest[site] {
		if n > times || n == times && pid < best {
			best, times = pid, n
		}
	}
	if best < 0 {
		return "-"
	}
	return fmt.Sprintf("p%d in %.0f%%", best, 100*float64(times)/float64(b.sites[site].Count))
}

func slowestName(s Step) string {
	if s.Slowest < 0 {
		return "-"
	}
	return fmt.Sprintf("p%d@r%d", s.Slowest, s.SlowestRank)
}

// Seconds prints a duration with three digits and a unit.
func Seconds(d time.Duration) string {
	x, unit := float64(d), "ns"
	for _, u := range []string{"us", "ms", "s"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	return digits(x) + " " + unit
}

// Bytes prints a number of bytes with three digits and a unit.
func Bytes(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1024, u
	}
	return digits(x) + " " + unit
}

func digits(x float64) string {
	switch {
	case x == float64(int64(x)) && x < 1000:
		return strconv.Itoa(int(x))
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}
