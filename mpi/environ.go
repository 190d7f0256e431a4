//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

// setting holds the environment's settings for the MPI engine: see Open.
type setting struct {
	nodes  int // ranks of a node at most
	apart  string
	wait   idle.Mode
	direct directMode
	attach bool
	radix  int // 0: by the measured cost of messages
}

func settingFromEnv() (s setting, err error) {
	s = setting{nodes: maxMembers, direct: directOn}
	if hasAdapter() {
		s.direct = directPieces
	}
	choice := func(name string, words ...string) int { // the first word is the default
		text := os.Getenv(name)
		i := slices.Index(words, text)
		if text != "" && i < 0 && err == nil {
			last := len(words) - 1
			err = fmt.Errorf("mpi: %s is %q, want %s or %s", name, text, strings.Join(words[:last], ", "), words[last])
		}
		return max(i, 0)
	}
	number := func(name, want string, least int) int {
		text := os.Getenv(name)
		n, wrong := strconv.Atoi(text)
		switch {
		case text == "" || text == "auto" && least > 1:
			return 0
		case (wrong != nil || n < least) && err == nil:
			err = fmt.Errorf("mpi: %s is %q, want %s", name, text, want)
		}
		return n
	}
	if choice("MIGBSP_SHM", "on", "off") > 0 {
		s.nodes, s.apart = 1, "MIGBSP_SHM=off"
	} else if n := number("MIGBSP_NODE_SIZE", "a number of ranks", 1); n > 0 {
		s.nodes, s.apart = min(n, maxMembers), fmt.Sprint("MIGBSP_NODE_SIZE=", n)
	}
	s.wait = idle.Mode(choice("MIGBSP_WAIT", "auto", "spin", "yield", "nap"))
	switch choice("MIGBSP_DIRECT", "auto", "on", "pieces", "off") {
	case 1:
		s.direct = directOn
	case 2:
		s.direct = directPieces
	case 3:
		s.direct = directOff
	}
	s.attach = choice("MIGBSP_ATTACH", "on", "off") == 0
	s.radix = number("MIGBSP_RADIX", "auto or a number from 2 on", 2)
	return s, err
}

// directMode is the method of sending runs between nodes.
type directMode int

const (
	directOff    directMode = iota // none: all goes through lanes
	directPieces                   // memory of the heap through pieces of the arena
	directOn                       // all memory is given to the library
)

// adapters are the paths of devices on Linux that need registered memory.
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
