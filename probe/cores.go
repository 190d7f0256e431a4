package probe

import (
	"io/fs"
	"runtime"
	"strconv"
	"strings"
)

// Cores says how many cores there are for the programs of this user.
type Cores struct {
	Online  int     `json:"online"`          // the machine's
	Allowed int     `json:"allowed"`         // that this process may run on
	Quota   float64 `json:"quota,omitempty"` // that its control group may use at a time; 0: all
}

// CoresOf reads what the files of a machine say of its cores, and asks Go
// where they say nothing.
func CoresOf(root fs.FS) Cores {
	c := Cores{
		Online:  count(firstLine(root, "sys/devices/system/cpu/online")),
		Allowed: count(allowedList(root)),
		Quota:   quota(root),
	}
	if c.Allowed == 0 {
		c.Allowed = runtime.NumCPU()
	}
	c.Online = max(c.Online, c.Allowed)
	return c
}

// Usable is how many ranks can compute at a time.
func (c Cores) Usable() float64 {
	if c.Quota > 0 {
		return min(c.Quota, float64(c.Allowed))
	}
	return float64(c.Allowed)
}

// allowedList is the kernel's list of the cores that this process may run on,
// such as 0-3,8; "" if it does not say.
func allowedList(root fs.FS) string { return field(root, "proc/self/status", "Cpus_allowed_list") }

// allowedCores are the numbers of those cores, none if they are not known.
func allowedCores(root fs.FS) []int { return numbers(allowedList(root)) }

// count is how many numbers a list such as 0-3,8 has, 0 if it is no such list.
func count(list string) int {
	n := 0
	for _, s := range spans(list) {
		n += s[1] - s[0] + 1
	}
	return n
}

// numbers are those of a list such as 0-3,8; none if it is no such list.
func numbers(list string) []int {
	var all []int
	for _, s := range spans(list) {
		for n := s[0]; n <= s[1]; n++ {
			all = append(all, n)
		}
	}
	return all
}

// spans are the first and last numbers of the parts of a list, which ascend; none
// if it is no such list.
func spans(list string) [][2]int {
	var all [][2]int
	last := -1
	for span := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(span), "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || from <= last || to < from || to >= maxCores {
			return nil
		}
		all, last = append(all, [2]int{from, to}), to
	}
	return all
}

// maxCores bounds what is believed of a list of cores.
const maxCores = 1 << 20
