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
		Allowed: count(field(root, "proc/self/status", "Cpus_allowed_list")),
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

// count is how many numbers a list such as 0-3,8 has, 0 if it is no such list.
func count(list string) int {
	n := 0
	for span := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(span), "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || from < 0 || to < from || to >= maxCores {
			return 0
		}
		n += to - from + 1
	}
	return n
}

// maxCores bounds what is believed of a list of cores.
const maxCores = 1 << 20
