package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// Bag writes the record of a simulated bag of tasks into a directory, which it makes if
// needed. Each worker is a rank with a process, and the whole bag is one superstep, with
// the time that each worker computed and waited. The result has a table of the workers.
//
// Errors: the directory cannot be written to, or has a record already; or two Sets of the
// platform have no route.
func Bag(dir string, about About, c *sim.BagConfig, result *sim.BagResult) error {
	seen, err := waysOf(c.Platform, sim.Barrier{})
	if err != nil {
		return err
	}
	recorder, err := ledger.Create(dir, nil)
	if err != nil {
		return err
	}
	var book ledger.Account
	book.Recorder = recorder.Unhurried()
	book.Enter(about.run(workersIn(&seen, c), &seen))
	book.Enter(bagStep(c, result))
	book.Stop(result.Time)
	book.Result = &ledger.Result{
		Title: about.Title, Size: fmt.Sprintf("%d tasks", c.Bag.Tasks), Seconds: result.Time, Work: c.Bag.Work(), Unit: "op",
		Details: bagDetails(result), Tables: []ledger.ResultTable{Workers(c, result)},
	}
	book.Result.Finite()
	end := &ledger.End{Supersteps: 1, At: result.Time, Result: book.Result}
	if err := book.Recorder.Close(end, tell.Of(&book, end).Summary()); err != nil {
		return fmt.Errorf("the record of the simulated bag is not complete: %w", err)
	}
	return nil
}

// workersIn makes each worker a rank of the platform, and returns where their processes are.
func workersIn(seen *rebalancer.Platform, c *sim.BagConfig) []int32 {
	ranks := make([]rebalancer.Rank, len(c.Where))
	where := make([]int32, len(c.Where))
	for i, host := range c.Where {
		ranks[i], where[i] = seen.Ranks[host], int32(i)
		ranks[i].Speed = c.Platform.Hosts[host].Speed / sim.Reference
	}
	for set := range seen.Sets { // managers are ranks there
		seen.Sets[set].Manager = max(0, slices.IndexFunc(ranks, func(r rebalancer.Rank) bool { return r.Set == set }))
	}
	seen.Ranks = ranks
	return where
}

// bagStep returns the account of the whole bag.
func bagStep(c *sim.BagConfig, result *sim.BagResult) *ledger.Step {
	e := &ledger.Step{
		First: 1, Last: 1, Count: 1, Site: "bag", Total: duration(result.Time), Ranks: len(result.Workers),
		Work: make([]time.Duration, len(result.Workers)), SlowestRank: -1, Slowest: -1, Talks: 1,
		H: int64(result.Bytes),
	}
	for i, w := range result.Workers {
		busy := min(e.Total, duration(w.Busy))
		enterWork(e, i, busy, i, busy)
	}
	e.Comm = e.Total - e.WorkMax
	e.Least = min(e.WorkMax, duration(result.Bound))
	return e
}

// bagDetails returns facts for readers.
func bagDetails(r *sim.BagResult) []ledger.Detail {
	return []ledger.Detail{
		{Name: "Time over the bound", Value: fmt.Sprintf("%.3f", r.Time/r.Bound)},
		{Name: "Bound", Value: fmt.Sprintf("%.4g s", r.Bound)},
		{Name: "Chunks", Value: fmt.Sprint(r.Stats.Chunks)},
		{Name: "Copies of late chunks", Value: fmt.Sprint(r.Stats.Copies)},
		{Name: "Results dropped", Value: fmt.Sprint(r.Stats.Duplicate)},
		{Name: "Messages", Value: fmt.Sprintf("%d, %s", r.Messages, ledger.Bytes(int64(r.Bytes)))},
		{Name: "Between Sets", Value: fmt.Sprintf("%d, %s", r.Crossing.Messages, ledger.Bytes(int64(r.Crossing.Bytes)))},
	}
}

// Workers returns a table with a row for each worker.
func Workers(c *sim.BagConfig, result *sim.BagResult) ledger.ResultTable {
	t := ledger.ResultTable{Title: "Workers", Header: []string{"worker", "host", "speed", "chunks", "tasks", "busy s", "busy", "idle at the end s"}, Text: []int{1}}
	for i, w := range result.Workers {
		h := &c.Platform.Hosts[w.Host]
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(i), h.Name, fmt.Sprintf("%.4g", h.Speed/sim.Reference), fmt.Sprint(w.Chunks), fmt.Sprint(w.Tasks),
			fmt.Sprintf("%.4g", w.Busy), fmt.Sprintf("%.1f %%", 100*w.Busy/max(result.Time, 1e-300)), fmt.Sprintf("%.4g", w.Idle),
		})
	}
	return t
}
