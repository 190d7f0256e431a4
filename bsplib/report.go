package bsplib

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func (app *application) printBanner(cfg Config) {
	if app.lead && cfg.emulates() && !app.flags.quiet {
		fmt.Fprintf(os.Stderr, "EMULATED platform %s: %d ranks in %d Sets; times are those of the platform, not of this machine.\n",
			filepath.Base(cfg.Platform.Name), len(app.comms), len(cfg.Platform.Sets))
	}
}

// A process sends so many bytes where g is measured, fewer where many processes
// do.
const (
	mostProbed = 32 << 10
	allProbed  = 8 << 20
)

// probeMachine measures g and l with a little program on the run's own ranks
// and processes. All ranks get process 0's result.
func (app *application) probeMachine() (ledger.Machine, *Error) {
	procs := app.config.Procs
	words := max(1, min(mostProbed, allProbed/procs)/8)
	figures := make([]float64, 2)
	failure := app.start(Config{Procs: procs}, stateless(func(p *Proc) error {
		x := Register(p, make([]int64, words))
		values := make([]int64, words)
		to := (p.Pid() + p.NProcs()/2) % p.NProcs()
		p.Sync()
		empty := typical(p, func() {})
		full := typical(p, func() { x.Put(to, 0, values...) })
		if p.Pid() == 0 {
			figures[0], figures[1] = max(0, (full-empty).Seconds()/float64(8*words)), empty.Seconds()
		}
		return nil
	}))
	if c := app.config.Comm; c != nil && failure == nil {
		first := int(blocks(procs, c.Size())[0])
		if err := c.Broadcast(first, bytesOf(figures)); err != nil {
			return ledger.Machine{}, &Error{Kind: Engine, Pid: -1, Rank: c.Rank(), Text: err.Error(), Err: err}
		}
	}
	return ledger.Machine{PerByte: figures[0], L: figures[1], From: "measured after the run"}, failure
}

// typical is the median time of a superstep with step in it, once warm.
func typical(p *Proc, step func()) time.Duration {
	times := make([]time.Duration, 63)
	for range times {
		step()
		p.Sync()
	}
	for i := range times {
		begin := p.Time()
		step()
		p.Sync()
		times[i] = p.Time() - begin
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// watchSignals ends the program on an interrupt or a request to terminate. The
// result function stops watching.
func (app *application) watchSignals() func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	go func() {
		s, ok := (<-signals).(syscall.Signal)
		if !ok {
			return
		}
		what := "without a result"
		if app.ended.Load() != nil {
			what = "with a result, without its account"
		}
		fmt.Fprintf(app.stderr(), "%s: ended by signal %d (%v) after %s, %s\n",
			app.name, int(s), s, ledger.Seconds(time.Since(start)), what)
		app.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
