package watch

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Monitor reports a rank that others wait for, in a run whose ranks are goroutines of this Go
// program. It replaces the watcher of ranks that are processes, and prints the same reports. It also
// names the process that the rank runs, and its line.
type Monitor struct {
	Program string
	Out     io.Writer
	After   time.Duration // for which ranks wait before the first report; 0: 30 s

	mu     sync.Mutex
	ranks  []*monitored
	teller teller
}

// Crew gives access to a rank's processes.
type Crew interface {
	// Turn returns the process that the rank runs, and the number of the rank's processes.
	Turn() (pid, procs int)
	// Where returns the process's current line, and the operation that it waits for. Either is "" if
	// unknown. The call stops the run for some milliseconds.
	Where() (line, waits string)
}

// monitored is a rank.
type monitored struct {
	rank  int
	host  string
	pulse *Pulse
	crew  Crew

	word   uint64
	since  time.Time // when the word changed last
	pid    int
	turned time.Time // when the word or the process changed last
}

// Add adds a rank, before its first superstep.
func (m *Monitor) Add(rank int, host string, pulse *Pulse, crew Crew) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ranks = append(m.ranks, &monitored{rank: rank, host: host, pulse: pulse, crew: crew, pid: -1})
}

// Start starts the monitor. stop ends it.
func (m *Monitor) Start() (stop func()) {
	if m.After == 0 {
		m.After = slowAfter
	}
	m.teller = teller{program: m.Program, out: m.Out, patience: m.After}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		looks := time.NewTicker(min(beat, m.After/4))
		defer looks.Stop()
		for {
			select {
			case <-over:
				return
			case now := <-looks.C:
				m.look(now)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// look reads the progress of all ranks, and reports slow ranks.
func (m *Monitor) look(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := new(holdup)
	for _, r := range m.ranks {
		word, stage := r.pulse.read()
		pid, procs := r.crew.Turn()
		if word != r.word {
			r.word, r.since, r.turned = word, now, now
		}
		if pid != r.pid {
			r.pid, r.turned = pid, now
		}
		unchanged := now.Sub(r.since)
		if word <= awayWord || unchanged < m.After {
			continue
		}
		if _, waits := stepOf(word); waits {
			h.Waited = max(h.Waited, unchanged)
			h.Waits++
			continue
		}
		if h.Slows++; len(h.Slow) == slowTold {
			continue
		}
		s := slow{Rank: r.rank, Host: r.host, For: unchanged, Place: placeOf(word, stage)}
		if len(m.teller.episode) == 0 && (unchanged >= m.teller.patience) {
			line, waits := r.crew.Where()
			s.process = processText(pid, line, waits)
			s.stuck = now.Sub(r.turned) >= m.teller.patience && (procs > 1 || waits != "")
		}
		h.Slow = append(h.Slow, s)
	}
	m.teller.tell(h, now)
}

// processText names a process, and its line and operation if known.
func processText(pid int, line, waits string) string {
	text := fmt.Sprintf(", process %d", pid)
	if line != "" {
		text += " at " + line
	}
	if waits != "" {
		text += " (" + waits + ")"
	}
	return text
}

// read returns the pulse of a rank of this Go program. The rank writes the words without the
// synchronisation that the race detector requires, because that would take as long as a superstep.
//
//go:norace
//go:noinline
func (p *Pulse) read() (word, stage uint64) { return p.word, p.stage }
