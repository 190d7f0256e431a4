package bsplib

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// g is measured with this many bytes from each process, fewer where many processes send
// or where fewer take longEnough.
const (
	mostProbed  = 32 << 10
	leastProbed = 512
	allProbed   = 8 << 20
	longEnough  = 10 * time.Millisecond
)

// measureMachine measures g and l with a little program on a run's own ranks and
// processes. All ranks get process 0's result.
func measureMachine(comms []mpi.Comm, comm mpi.Comm, procs int, alarm func(*Error)) (ledger.Machine, *Error) {
	words := max(1, min(mostProbed, allProbed/procs)/8)
	figures := make([]float64, 2)
	failure := runOn(comms, Config{Procs: procs}, stateless(func(p *Proc) error {
		x := Register(p, make([]int64, words))
		values := make([]int64, words)
		to := (p.Pid() + p.NProcs()/2) % p.NProcs()
		p.Sync()
		empty := typical(p, func() {})
		n := min(leastProbed/8, words)
		send := func() { x.Put(to, 0, values[:n]...) }
		for n < words && agreed(p, send) < longEnough {
			n = min(8*n, words)
		}
		full := typical(p, send)
		if p.Pid() == 0 {
			figures[0], figures[1] = max(0, (full-empty).Seconds()/float64(8*n)), empty.Seconds()
		}
		return nil
	}), alarm, alarm)
	if comm != nil && failure == nil {
		first := int(blocks(procs, comm.Size())[0])
		if err := comm.Broadcast(first, bytesOf(figures)); err != nil {
			return ledger.Machine{}, &Error{Kind: KindEngine, Pid: -1, Rank: comm.Rank(), Text: err.Error(), Err: err}
		}
	}
	return ledger.Machine{PerByte: figures[0], L: figures[1], From: "measured after the run"}, failure
}

// A figure is the median of this many supersteps, of fewer where these take longer in all
// than enoughProbing.
const (
	mostTimes     = 63
	leastTimes    = 5
	enoughProbing = 50 * time.Millisecond
)

// typical is the median time of a superstep with step in it, once warm.
func typical(p *Proc, step func()) time.Duration {
	n := int(max(leastTimes, min(mostTimes, enoughProbing/max(1, agreed(p, step)))))
	for range n {
		timed(p, step)
	}
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = timed(p, step)
	}
	slices.Sort(times)
	return times[n/2]
}

// agreed is the time of a superstep with step in it, after a first one that does not
// count, as process 0 sees it.
func agreed(p *Proc, step func()) time.Duration {
	timed(p, step)
	took := []time.Duration{timed(p, step)}
	Broadcast(p, 0, took)
	return took[0]
}

func timed(p *Proc, step func()) time.Duration {
	begin := p.Time()
	step()
	p.Sync()
	return p.Time() - begin
}
