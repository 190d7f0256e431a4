package hostfile

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// FormatSlurmList writes names of hosts as Slurm does, so that ParseSlurmList gives the
// same names in the same order: n003, n001, n002 is n[003,001-002]. Only numbers at the end
// of names are put into brackets: before Slurm 23.11 a name may not go on after them.
func FormatSlurmList(hosts []string) string {
	var text strings.Builder
	for from := 0; from < len(hosts); {
		if from > 0 {
			text.WriteByte(',')
		}
		from += foldHosts(&text, hosts[from:])
	}
	return text.String()
}

// foldHosts writes the first host and the following ones that fit into its brackets, and
// returns their number.
func foldHosts(text *strings.Builder, hosts []string) int {
	prefix, first, ok := cutNumber(hosts[0])
	if !ok {
		text.WriteString(hosts[0])
		return 1
	}
	spans, count := []span{first}, 1
	for _, host := range hosts[1:min(len(hosts), maxHosts)] {
		before, next, ok := cutNumber(host)
		if !ok || before != prefix {
			break
		}
		if last := &spans[len(spans)-1]; next.low == last.high+1 && next.width == max(last.width, len(strconv.FormatInt(next.low, 10))) {
			last.high = next.low
		} else {
			spans = append(spans, next)
		}
		count++
	}
	if count == 1 {
		text.WriteString(hosts[0])
		return 1
	}
	var parts []string
	for _, s := range spans {
		parts = append(parts, s.text())
	}
	fmt.Fprintf(text, "%s[%s]", prefix, strings.Join(parts, ","))
	return count
}

// cutNumber cuts the number off a name's end, if it can stand in brackets.
func cutNumber(name string) (prefix string, number span, ok bool) {
	prefix = strings.TrimRight(name, "0123456789")
	digits := name[len(prefix):]
	value, err := parseDigits(digits)
	if err != nil || prefix == "" || strings.Contains(name, ":") {
		return name, span{}, false
	}
	return prefix, span{low: value, high: value, width: len(digits)}, true
}

// text is "007" or "01-16".
func (s span) text() string {
	low := fmt.Sprintf("%0*d", s.width, s.low)
	if s.low == s.high {
		return low
	}
	return fmt.Sprintf("%s-%0*d", low, s.width, s.high)
}

// SlurmList returns the file's hosts as FormatSlurmList writes them, each once.
func (f *File) SlurmList() string {
	names := make([]string, len(f.Hosts))
	for i, h := range f.Hosts {
		names[i] = h.Name
	}
	return FormatSlurmList(names)
}

// WriteSlurm writes the file as one for SLURM_HOSTFILE: a line for each slot, and Sets and
// figures in comments. Parse by the Rules with Form SlurmHosts gives the same File except
// users and limits of slots, which Slurm does not have. Hosts without slots and IPv6
// addresses cannot be written.
func (f *File) WriteSlurm(w io.Writer) error {
	for _, h := range f.Hosts {
		switch {
		case h.Slots == 0:
			return fmt.Errorf("host %s has no slots, which Slurm cannot say: leave it out", h.Name)
		case strings.Contains(h.Name, ":"):
			return fmt.Errorf("host %s: Slurm knows hosts by name", h.Name)
		}
	}
	_, err := io.WriteString(w, f.written(func(h *Host) string { return strings.Repeat(h.Name+"\n", h.Slots) }))
	return err
}
