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

// printAccount prints the balance table and what its predictions rest on.
func (app *application) printAccount(book *ledger.Book, m ledger.Machine) {
	fmt.Println()
	if err := book.WriteTable(os.Stdout, app.flags.table, m); err != nil {
		fmt.Fprintf(os.Stderr, "%s: printing the table: %v\n", app.name, err)
		return
	}
	perByte := float64(m.G) / (1 << 30)
	if app.config.emulates() {
		fmt.Printf("\n %d processes; all times are those of the emulated platform %s, %d ranks; g = %.3g ns/B and l = %s in its slowest Set.\n",
			app.config.Procs, filepath.Base(app.config.Platform.Name), len(app.comms), perByte, ledger.Seconds(m.L))
	} else {
		fmt.Printf("\n %d processes; %s; g = %.3g ns/B and l = %s measured after the run.\n",
			app.config.Procs, app.comms[0].Engine(), perByte, ledger.Seconds(m.L))
	}
	fmt.Println(" w: work per rank; imb: w max / w avg; h: bytes of the process that sends or receives most;")
	fmt.Println(" comm: shortest barrier of any rank; total: rank 0's time.")
	fmt.Println()
	if err := book.WriteCalls(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: printing the rescheduling calls: %v\n", app.name, err)
	}
	if book.Emulation != nil {
		book.Emulation.WriteTo(os.Stdout)
	}
}

// printBanner says what the reader must know before the first figure: that
// times are not this machine's.
func (app *application) printBanner(cfg Config) {
	if app.lead && cfg.emulates() && !app.flags.quiet {
		fmt.Printf("EMULATED platform %s: %d ranks in %d Sets; times are those of the platform, not of this machine.\n",
			filepath.Base(cfg.Platform.Name), len(app.comms), len(cfg.Platform.Sets))
	}
}

// machine is what the cost model needs to know of the machine: measured, or as
// an emulated platform has it.
func (app *application) machine() (ledger.Machine, *Error) {
	if !app.config.emulates() {
		return app.probeMachine()
	}
	var m ledger.Machine
	p := platformOf(app.config.Platform)
	for a := range p.Sets {
		link := p.Links[a][a]
		m.G = max(m.G, seconds(link.PerByte*(1<<30)))
		m.L = max(m.L, seconds(link.Latency+p.Barrier))
	}
	return m, nil
}

// probeMachine measures g and l with a little program on the run's own ranks
// and processes. All ranks get rank 0's result.
func (app *application) probeMachine() (ledger.Machine, *Error) {
	var m ledger.Machine
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
			m.L = empty
			m.G = max(0, (full-empty)*(1<<30)/(8*words))
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
		os.Exit(exitSignal + int(s))
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
