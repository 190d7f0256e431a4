package doctor

import (
	"fmt"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

const (
	littleMemory = 512 << 20 // bytes that are left
	littleShared = 256 << 20 // bytes of /dev/shm; containers often have 64 MiB
)

// checkMemory finds the amount of memory and its limits.
func checkMemory(s *System, _ Wants) []Finding {
	m := s.Memory()
	text := fmt.Sprintf("%s of %s are available", ledger.Bytes(m.Available), ledger.Bytes(m.Total))
	if m.Group > 0 {
		text += ", the control group may have " + ledger.Bytes(m.Group)
	}
	if m.Space != probe.Unlimited {
		return note(text+", a process "+ledger.Bytes(m.Space)+" of addresses", "Go and MPI reserve more addresses than they use: ulimit -v unlimited")
	}
	if m.Available < littleMemory {
		return note(text, "choose small problems, or end what else runs here")
	}
	return ok(text)
}

// checkLocked checks the limit of locked memory, which fast networks need.
func checkLocked(s *System, _ Wants) []Finding {
	m := s.Memory()
	if m.Locked == probe.Unlimited {
		return ok("no limit on locked memory")
	}
	text := "at most " + ledger.Bytes(m.Locked) + " of locked memory"
	if s.exists("sys/class/infiniband") {
		return note(text, "InfiniBand wants more: ulimit -l unlimited, or memlock in limits.conf")
	}
	return ok(text + "; only InfiniBand wants more")
}

// checkShared checks the file system through which MPIs share memory.
func checkShared(s *System, _ Wants) []Finding {
	size, free, err := s.Space("/dev/shm")
	if err != nil {
		return note("/dev/shm: "+err.Error(), "MPIs share memory of a node there; migbsp's own shared memory does without")
	}
	text := fmt.Sprintf("/dev/shm has %s, %s of them free", ledger.Bytes(size), ledger.Bytes(free))
	if free < littleShared {
		return note(text, "MPIs share memory there: remove what is left of old runs, or start the container with --shm-size=1g")
	}
	return ok(text)
}
