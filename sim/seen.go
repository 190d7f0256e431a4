package sim

import "github.com/migbsp/migbsp/rebalancer"

// Seen is the platform as rescheduling sees it: a rank for each host, speeds of
// which 1 is Reference, and links between Sets as their managers have them.
func (p *Platform) Seen(barrier Barrier) (rebalancer.Platform, error) { return p.ranks(barrier) }
