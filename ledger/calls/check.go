package calls

import (
	"fmt"

	"github.com/migbsp/migbsp/rebalancer"
)

// check refuses a start that no run has written.
func (s *Start) check() error {
	p := &s.Platform
	ranks, sets := len(p.Ranks), len(p.Sets)
	switch {
	case s.Format != format:
		return fmt.Errorf("the form of this file is %d; this version reads %d", s.Format, format)
	case len(s.Where) > MostProcesses:
		return fmt.Errorf("a run of %d processes; calls are kept of %d at most", len(s.Where), MostProcesses)
	case ranks == 0 || sets == 0 || len(s.Where) == 0:
		return fmt.Errorf("a run of %d processes on %d ranks in %d Sets", len(s.Where), ranks, sets)
	}
	if err := checkLinks(p.Links, p.Lines, ranks, sets); err != nil {
		return err
	}
	if p.Arrivals != nil {
		if err := checkSquare("arrivals", p.Arrivals, sets); err != nil {
			return err
		}
	}
	for set, is := range p.Sets {
		if is.Manager < 0 || is.Manager >= ranks {
			return fmt.Errorf("the manager of Set %d is rank %d, of %d", set, is.Manager, ranks)
		}
	}
	for rank, is := range p.Ranks {
		if is.Set < 0 || is.Set >= sets {
			return fmt.Errorf("rank %d is in Set %d, of %d", rank, is.Set, sets)
		}
	}
	for pid, rank := range s.Where {
		if rank < 0 || int(rank) >= ranks {
			return fmt.Errorf("process %d is on rank %d, of %d", pid, rank, ranks)
		}
	}
	return nil
}

// checkLinks refuses links that do not join the Sets, and lines that are not of the ranks.
func checkLinks(links [][]rebalancer.Link, lines []float64, ranks, sets int) error {
	if len(lines) > 0 && len(lines) != ranks {
		return fmt.Errorf("lines of %d ranks, of %d", len(lines), ranks)
	}
	return checkSquare("links", links, sets)
}

func checkSquare[T any](name string, rows [][]T, sets int) error {
	if len(rows) != sets {
		return fmt.Errorf("%s of %d Sets, of %d", name, len(rows), sets)
	}
	for _, row := range rows {
		if len(row) != sets {
			return fmt.Errorf("%s to %d Sets, of %d", name, len(row), sets)
		}
	}
	return nil
}

// check refuses a call that is not of the run, whose processes are on the ranks of where.
func (c *Call) check(run *Start, where []int32) error {
	s := &c.Snapshot
	ranks, sets := len(run.Platform.Ranks), len(run.Platform.Sets)
	if c.Links != nil || c.Lines != nil {
		links := c.Links
		if links == nil {
			links = run.Platform.Links
		}
		if err := checkLinks(links, c.Lines, ranks, sets); err != nil {
			return err
		}
	}
	if len(s.Ranks) != ranks || len(s.Processes) != len(run.Where) {
		return fmt.Errorf("reports of %d ranks and %d processes; the run has %d and %d",
			len(s.Ranks), len(s.Processes), ranks, len(run.Where))
	}
	for rank := range s.Ranks {
		if s.Ranks[rank].Rank != rank {
			return fmt.Errorf("rank %d is reported as the %d-th", s.Ranks[rank].Rank, rank)
		}
	}
	for i := range s.Processes {
		x := &s.Processes[i]
		if x.Pid != i || x.Rank != int(where[i]) {
			return fmt.Errorf("process %d is reported on rank %d as the %d-th; it is on rank %d", x.Pid, x.Rank, i, where[i])
		}
		if err := checkProcess(x, len(s.Classes), len(run.Where), ranks, sets); err != nil {
			return fmt.Errorf("process %d: %w", i, err)
		}
	}
	for _, a := range s.Audits {
		if a.Rank < 0 || a.Rank >= ranks {
			return fmt.Errorf("samples of rank %d, of %d", a.Rank, ranks)
		}
		for _, part := range a.Parts {
			if part.Home < 0 || part.Home >= ranks || len(part.Work) > len(a.Wall) || len(part.Wait) > len(a.Wall) {
				return fmt.Errorf("%d and %d samples of work of rank %d, of %d ranks and %d samples", len(part.Work), len(part.Wait), part.Home, ranks, len(a.Wall))
			}
		}
	}
	for _, m := range c.Moves {
		if m.Pid < 0 || m.Pid >= len(s.Processes) || m.To < 0 || m.To >= ranks || m.From < 0 || m.From >= ranks {
			return fmt.Errorf("process %d moves from rank %d to %d, of %d processes and %d ranks", m.Pid, m.From, m.To, len(s.Processes), ranks)
		}
	}
	return nil
}

// checkProcess refuses the report of a process with figures of ranks, Sets, processes and
// supersteps that do not exist.
func checkProcess(x *rebalancer.Process, columns, procs, ranks, sets int) error {
	if len(x.RecentWork) > columns || x.SinceMove < 0 || x.SinceMove > len(x.RecentWork) {
		return fmt.Errorf("work of %d supersteps, %d of them since its move; expected at most %d", len(x.RecentWork), x.SinceMove, columns)
	}
	if x.Told != nil && len(x.Told.Recent) > columns {
		return fmt.Errorf("loads of %d supersteps; expected at most %d", len(x.Told.Recent), columns)
	}
	if x.Request < -1 || x.Request >= ranks {
		return fmt.Errorf("it asks for rank %d, of %d", x.Request, ranks)
	}
	if x.Best.Set < -1 || x.Best.Set >= sets {
		return fmt.Errorf("its best Set is %d, of %d", x.Best.Set, sets)
	}
	for _, from := range x.Sets {
		if from.Set < 0 || from.Set >= sets {
			return fmt.Errorf("it receives from Set %d, of %d", from.Set, sets)
		}
	}
	for _, from := range x.Partners {
		if from.Pid < 0 || from.Pid >= procs {
			return fmt.Errorf("it receives from process %d, of %d", from.Pid, procs)
		}
	}
	return nil
}
