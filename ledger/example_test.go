package ledger_test

import (
	"fmt"
	"os"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// record writes the record of a run of two supersteps on two ranks, as -run-dir does.
func record(dir string) error {
	r, err := ledger.Create(dir, func(err error) { fmt.Println(err) })
	if err != nil {
		return err
	}
	r.Begin(&ledger.Run{
		Schema: ledger.Schema, Program: "rod", Engine: "in-process", Procs: 4, Strategy: "off",
		Ranks: []ledger.Rank{{Host: "alpha", Speed: 1}, {Host: "beta", Speed: 0.5}},
		Sets:  []ledger.Set{{Name: "all"}}, Links: [][]ledger.Link{{{}}}, Mapping: ledger.Mapping{{0, 2}, {1, 2}},
	})
	const ms = time.Millisecond
	for step, work := range [][]time.Duration{{10 * ms, 20 * ms}, {6 * ms, 18 * ms}} {
		r.Enter(&ledger.Step{
			First: step + 1, Last: step + 1, Count: 1, Site: "main.go:49", At: time.Duration(step) * 21 * ms,
			Ranks: 2, Work: work, WorkMax: work[1], Longest: work[1], WorkMin: work[0], WorkSum: work[0] + work[1],
			SlowestRank: 1, Slowest: 3, SlowestWork: work[1] / 2, Total: work[1] + ms,
		})
	}
	return r.Close(&ledger.End{At: 0.04, Supersteps: 2}, nil)
}

// Read reads the record of a run, as `migbsp report` does. The example prints the slowest rank of
// each superstep, and its imbalance.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := record(dir); err != nil {
		fmt.Println(err)
		return
	}

	history, err := ledger.Read(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(history.Account.Run().Program, "on", len(history.Account.Run().Ranks), "ranks: ended", history.End != nil)
	for _, s := range history.Steps {
		fmt.Printf("superstep %d at %s: process %d on %s, imbalance %.2f\n",
			s.First, s.Site, s.Slowest, history.Account.Run().Ranks[s.SlowestRank].Host, s.Imbalance())
	}
	// Output:
	// rod on 2 ranks: ended true
	// superstep 1 at main.go:49: process 3 on beta, imbalance 1.33
	// superstep 2 at main.go:49: process 3 on beta, imbalance 1.50
}
