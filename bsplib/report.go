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

// machine is what the cost model needs to know of the machine: measured, or as
// an emulated platform has it.
func (app *application) machine() (ledger.Machine, *Error) {
	if !app.config.emulates() {
		return app.probeMachine()
	}
	m := ledger.Machine{From: "the emulated platform: g of the slowest Set, l of the longest way"}
	p := platformOf(app.config.Platform)
	for a := range p.Sets {
		m.PerByte = max(m.PerByte, p.Links[a][a].PerByte)
		for b := range p.Sets {
			m.L = max(m.L, p.Links[a][b].Latency+p.Barrier)
		}
	}
	return m, nil
}

// probeMachine measures g and l with a little program on the run's own ranks
// and processes. All ranks get rank 0's result.
func (app *application) probeMachine() (ledger.Machine, *Error) {
	m := ledger.Machine{From: "measured after the run"}
	cfg := Config{Procs: app.config.Procs}
	failure := app.start(cfg, stateless(func(p *Proc) error {
		const words = 4096
		x := Register(p, make([]int64, words))
		values := make([]int64, words)
		to := (p.Pid() + p.NProcs()/2) % p.NProcs()
		p.Sync()
		empty := typical(p, func() {})
		full := typical(p, func() { x.Put(to, 0, values...) })
		if p.Pid() == 0 {
			m.L = empty.Seconds()
			m.PerByte = max(0, (full-empty).Seconds()/(8*words))
		}
		return nil
	}))
	return m, failure
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
		fmt.Fprintf(app.stderr(), "%s: ended by signal %d (%v) after %s, without a result\n",
			app.name, int(s), s, ledger.Seconds(time.Since(start)))
		app.breakRecord(exitSignal+int(s), fmt.Sprintf("ended by signal %d (%v)", int(s), s))
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
