package checkpoint

import "syscall"

// hostMemory returns the bytes of memory and swap space of this host, or 0 if they are not
// known.
func hostMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64((uint64(info.Totalram) + uint64(info.Totalswap)) * uint64(info.Unit))
}
