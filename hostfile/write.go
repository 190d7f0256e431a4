package hostfile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WriteTo writes the file in canonical form, which Open MPI reads. Parse by the same Rules
// gives the same File, except Name, Lines and Warnings.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, f.written(launcherLine))
	return int64(n), err
}

// written returns the file with lines of hosts as the launcher wants them.
func (f *File) written(line func(*Host) string) string {
	text := &strings.Builder{}
	if f.barrierGiven || f.Barrier != 0 {
		fmt.Fprintf(text, "#@platform barrier=%s\n", formatDuration(f.Barrier))
	}
	if f.sorted() {
		f.writeSections(text, line)
	} else {
		f.writeMembers(text, line)
	}
	for _, l := range f.Links {
		fmt.Fprintf(text, "#@link %s %s rate=%s latency=%s%s\n",
			f.Sets[l.A].Name, f.Sets[l.B].Name, formatRate(l.Rate), formatDuration(l.Latency), l.Share.written())
	}
	return text.String()
}

// launcherLine returns a line for Open MPI.
func launcherLine(h *Host) string {
	line := fmt.Sprintf("%s slots=%d", h.Name, h.Slots)
	if h.User != "" {
		line = h.User + "@" + line
	}
	if h.MaxSlots > 0 {
		line += fmt.Sprintf(" max_slots=%d", h.MaxSlots)
	}
	return line + "\n"
}

// WriteHydra writes the file in the form of hydra, the launcher of MPICH: as for Open MPI,
// but without limits on slots, which hydra does not have. Hosts without slots and
// addresses of IPv6 cannot be written.
func (f *File) WriteHydra(w io.Writer) error {
	for _, h := range f.Hosts {
		switch {
		case h.Slots == 0:
			return fmt.Errorf("host %s has no slots, which hydra cannot say: leave it out", h.Name)
		case strings.Contains(h.Name, ":"):
			return fmt.Errorf("host %s: hydra takes what follows the first colon for a count; use a name", h.Name)
		}
	}
	_, err := io.WriteString(w, f.written(func(h *Host) string {
		line := fmt.Sprintf("%s:%d", h.Name, h.Slots)
		if h.User != "" {
			line += " user=" + h.User
		}
		return line + "\n"
	}))
	return err
}

// sorted reports whether the hosts stand in the order of their Sets.
func (f *File) sorted() bool {
	return slices.IsSortedFunc(f.Hosts, func(a, b Host) int { return a.Set - b.Set })
}

// writeSections writes each Set above its hosts.
func (f *File) writeSections(text *strings.Builder, line func(*Host) string) {
	set := -1
	for i := range f.Hosts {
		if h := &f.Hosts[i]; h.Set != set {
			set = h.Set
			f.writeSet(text, set, "")
		}
		f.writeHost(text, i, line)
	}
}

// writeMembers writes all Sets with the names of their hosts, and then the hosts.
func (f *File) writeMembers(text *strings.Builder, line func(*Host) string) {
	nodes := make([][]string, len(f.Sets))
	for _, h := range f.Hosts {
		nodes[h.Set] = append(nodes[h.Set], h.Name)
	}
	for set := range f.Sets {
		f.writeSet(text, set, " nodes="+strings.Join(nodes[set], ","))
	}
	for i := range f.Hosts {
		f.writeHost(text, i, line)
	}
}

// writeSet writes a Set's line, unless the Set has no figures to write.
func (f *File) writeSet(text *strings.Builder, set int, nodes string) {
	s := &f.Sets[set]
	figures := s.figures()
	if len(f.Sets) == 1 && s.Name == DefaultSet && figures == 0 && s.Manager == "" {
		return
	}
	fmt.Fprintf(text, "#@set %s", s.Name)
	if s.Manager != "" {
		fmt.Fprintf(text, " manager=%s", s.Manager)
	}
	if figures&speedGiven != 0 {
		fmt.Fprintf(text, " speed=%s", formatSpeed(s.Speed))
	}
	if figures&rateGiven != 0 {
		fmt.Fprintf(text, " rate=%s", formatRate(s.Rate))
	}
	if figures&latencyGiven != 0 {
		fmt.Fprintf(text, " latency=%s", formatDuration(s.Latency))
	}
	if figures&memoryGiven != 0 {
		fmt.Fprintf(text, " memory=%s", formatMemory(s.Memory))
	}
	text.WriteString(nodes + "\n")
}

// writeHost writes a host's line, and one for its own figures if it has any.
func (f *File) writeHost(text *strings.Builder, host int, line func(*Host) string) {
	h := &f.Hosts[host]
	text.WriteString(line(h))
	figures := h.figures(&f.Sets[h.Set])
	if figures == 0 && h.Share.File == "" {
		return
	}
	fmt.Fprintf(text, "#@host %s", h.Name)
	if figures&speedGiven != 0 {
		fmt.Fprintf(text, " speed=%s", formatSpeed(h.Speed))
	}
	if figures&memoryGiven != 0 {
		fmt.Fprintf(text, " memory=%s", formatMemory(h.Memory))
	}
	text.WriteString(h.Share.written() + "\n")
}

func formatSpeed(speed float64) string { return strconv.FormatFloat(speed, 'g', -1, 64) }

// formatDuration is in ASCII.
func formatDuration(d time.Duration) string { return strings.Replace(d.String(), "µ", "u", 1) }

// formatRate uses the first unit in which the rate is a short number of 1 or
// more that is read as the same rate.
func formatRate(rate float64) string {
	const short = 7
	for _, u := range rateUnits {
		number := strconv.FormatFloat(rate/u.scale, 'f', -1, 64)
		if read, ok := parseScaled(number+u.name, rateUnits); ok && read == rate && rate >= u.scale && len(number) <= short {
			return number + u.name
		}
	}
	return strconv.FormatFloat(rate, 'g', -1, 64) + "B/s"
}

// formatMemory uses the largest binary unit that gives a whole number.
func formatMemory(bytes int64) string {
	if bytes == 0 {
		return "0"
	}
	for _, u := range memoryUnits {
		if scale := int64(u.scale); bytes%scale == 0 {
			return strconv.FormatInt(bytes/scale, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + "B"
}
