package probe

import (
	"cmp"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Cores has the numbers of cores for the programs of this user.
type Cores struct {
	Online  int     `json:"online"`          // the machine's
	Allowed int     `json:"allowed"`         // that this process may run on
	Quota   float64 `json:"quota,omitempty"` // that its control group may use at a time; 0: all
}

// CoresOf reads the cores from the files of a machine, and asks Go if the files do not have
// them.
func CoresOf(root fs.FS) Cores {
	c := Cores{
		Online:  len(kernel.Numbers(kernel.FirstLine(root, "sys/devices/system/cpu/online"))),
		Allowed: len(kernel.Numbers(kernel.AllowedCores(root))),
		Quota:   quota(root),
	}
	c.Allowed = cmp.Or(c.Allowed, runtime.NumCPU())
	c.Online = max(c.Online, c.Allowed)
	return c
}

// Usable returns the number of ranks that can compute at a time.
func (c Cores) Usable() float64 {
	if c.Quota > 0 {
		return min(c.Quota, float64(c.Allowed))
	}
	return float64(c.Allowed)
}

// quota returns the number of cores that the control groups of this process may use at a
// time, 0 without a quota.
func quota(root fs.FS) float64 {
	least := 0.0
	take := func(cores float64) {
		if cores > 0 && (least == 0 || cores < least) {
			least = cores
		}
	}
	for _, dir := range kernel.Groups(root, "") {
		limit, period, _ := strings.Cut(kernel.FirstLine(root, dir+"/cpu.max"), " ")
		take(cores(limit, period))
	}
	for _, dir := range kernel.Groups(root, "cpu") {
		take(cores(kernel.FirstLine(root, dir+"/cpu.cfs_quota_us"), kernel.FirstLine(root, dir+"/cpu.cfs_period_us")))
	}
	return least
}

// cores returns the quota of time in a period, in cores, or 0 if it is not limited.
func cores(quota, period string) float64 {
	q, err := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}
