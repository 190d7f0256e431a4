package bsplib

import "github.com/migbsp/migbsp/internal/drain"

// Drains is the set of hosts that a run must leave on request from outside its program, for
// example by an administrator or a batch system. All processes leave these hosts at the end of
// a stage, and none moves there while they are in the set. Any goroutine may use a Drains at
// any time. In an MPI run all ranks have one, and rank 0's counts.
type Drains struct{ hosts drain.Hosts }

// DrainedHost is a host that a run must leave, and the source of the request, which may be "".
type DrainedHost = drain.Host

// Set replaces the set of hosts to leave. Hosts that the run does not use are ignored. A Set
// that would leave no host is refused, and the previous one stays in effect.
func (d *Drains) Set(hosts ...DrainedHost) { d.hosts.Set(hosts...) }
