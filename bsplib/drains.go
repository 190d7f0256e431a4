package bsplib

import "github.com/migbsp/migbsp/internal/drain"

// Drains are the hosts that a run leaves because someone outside of its program says so: who
// looks after the machines, or a batch system. All processes leave them when a stage ends,
// and none comes there until they are left out again. Any goroutine may use it at any time;
// in an MPI run that of the rank with number 0 counts, and all ranks have one.
type Drains struct{ hosts drain.Hosts }

// DrainedHost is a host that a run is to leave, and who says so, "" if that needs no
// mention.
type DrainedHost = drain.Host

// Set says which hosts are to be left, instead of those of the last Set. Hosts that the run
// is not on are no matter. A Set that would leave no host is refused: then those of the
// one before count.
func (d *Drains) Set(hosts ...DrainedHost) { d.hosts.Set(hosts...) }
