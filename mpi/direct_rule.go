//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"path/filepath"
)

// directRule is what the environment says of runs and of ordinary memory.
type directRule struct {
	mode   directMode
	attach bool
}

// directMode is the way of runs between nodes.
type directMode int

const (
	directOff    directMode = iota // none: all goes through lanes
	directPieces                   // memory of the heap through pieces of the arena
	directOn                       // all memory is given to the library
)

func directFromEnv() (directRule, error) {
	rule := directRule{directOn, true}
	switch s := os.Getenv("MIGBSP_DIRECT"); s {
	case "", "auto":
		if hasAdapter() {
			rule.mode = directPieces
		}
	case "on":
	case "pieces":
		rule.mode = directPieces
	case "off":
		rule.mode = directOff
	default:
		return rule, fmt.Errorf("mpi: MIGBSP_DIRECT is %q, want auto, on, pieces or off", s)
	}
	switch s := os.Getenv("MIGBSP_ATTACH"); s {
	case "", "on":
	case "off":
		rule.attach = false
	default:
		return rule, fmt.Errorf("mpi: MIGBSP_ATTACH is %q, want on or off", s)
	}
	return rule, nil
}

// adapters are where Linux shows devices with which MPI libraries register memory.
var adapters = []string{
	"/sys/class/infiniband/*", "/sys/class/cxi/*", "/dev/hfi1*", "/dev/kgni*", "/dev/bxi*", "/dev/myri*", "/dev/knem",
}

func hasAdapter() bool {
	for _, pattern := range adapters {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return true
		}
	}
	return false
}
