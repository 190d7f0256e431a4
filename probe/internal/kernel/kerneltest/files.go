// Package kerneltest describes machines to tests.
package kerneltest

import "testing/fstest"

// Names of files with the limits of a process.
const (
	Online = "sys/devices/system/cpu/online"
	Status = "proc/self/status"
	Group  = "proc/self/cgroup"
)

// Files makes a file system from pairs of a name and a content.
func Files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}
