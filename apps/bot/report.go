package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

// row is the result of a policy.
type row struct {
	policy  string
	seconds float64 // from the first request to the last result
	bound   float64 // for which the same workers at the speeds that they showed would compute
	stats   bag.Stats
	total   tally // over ranks
	tallies []tally
}

// ended adds the ranks' tallies under a policy.
func (m *master) ended(policy string, tallies []tally) {
	r := row{policy: policy, stats: m.stats, tallies: tallies}
	rate, workers, idle := 0.0, 0, 0
	for _, t := range tallies {
		r.seconds = max(r.seconds, t.End)
		r.total.Tasks += t.Tasks
		r.total.Busy += t.Busy
		r.total.Chunks += t.Chunks
		r.total.Messages += t.Messages
		r.total.Bytes += t.Bytes
		r.total.Across += t.Across
		if !t.Works {
			continue
		}
		workers++
		if t.Busy > 0 {
			rate += float64(t.Tasks) / t.Busy
		} else {
			idle++
		}
	}
	if busy := workers - idle; busy > 0 {
		rate *= float64(workers) / float64(busy) // a worker that got no task counts as the others' mean
		r.bound = float64(m.job.Tasks-len(m.earlier)) / rate
	}
	m.rows = append(m.rows, r)
	m.sums = append(m.sums, m.all.sum.Sum64())
}

// report prints the tables, passes on the result and returns the number of errors.
func (m *master) report() (wrong int) {
	if err := m.journal.close(); err != nil {
		fmt.Fprintf(os.Stderr, "bot: -journal: the journal is not complete: %v\n", err)
	}
	m.listFailures()
	to := io.Writer(os.Stdout)
	if len(m.job.Command) > 0 {
		to = os.Stderr
	}
	if !m.quiet && m.job.Tasks > 0 {
		m.table(to)
	}
	if len(m.job.Command) > 0 {
		return m.all.failed + m.different()
	}
	differ, err := m.recompute()
	if err == nil && m.job.Zoom != nil && *pictures != "" {
		err = m.draw()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "bot: %v\n", err)
		differ++
	}
	last := &m.rows[len(m.rows)-1]
	result := bsplib.Result{
		Title: "Bag of tasks", Size: m.job.text(), Seconds: last.seconds,
		Details: []bsplib.Detail{{Name: "Policy", Value: last.policy}},
		Checks: []bsplib.ResultCheck{
			{Name: "tasks without a result", Value: float64(m.job.Tasks - m.all.done), Passed: m.all.done == m.job.Tasks},
			{Name: "tasks that come out differently a second time", Value: float64(differ), Passed: differ == 0},
		},
		Checksum: fmt.Sprintf("%016x", m.sums[len(m.sums)-1]),
	}
	if m.job.Spin != nil {
		for task := range m.job.Tasks {
			result.Work += m.job.Spin.Size * m.job.Spin.amount(task)
		}
		result.Unit = "flop"
	}
	if len(m.rows) > 1 {
		n := m.different()
		result.Checks = append(result.Checks, bsplib.ResultCheck{Name: "policies with other results", Value: float64(n), Passed: n == 0})
		wrong += n
	}
	m.b.Report(result)
	return wrong + differ + m.job.Tasks - m.all.done
}

// different counts policies whose results differ from the first one's.
func (m *master) different() (n int) {
	for _, sum := range m.sums {
		if sum != m.sums[0] {
			n++
		}
	}
	return n
}

// recompute computes some tasks once more, and counts the different results.
func (m *master) recompute() (differ int, err error) {
	run := m.job.runner()
	for i := range min(4, m.job.Tasks) {
		task := i * (m.job.Tasks - 1) / max(1, min(4, m.job.Tasks)-1)
		o, _ := run.run(task, "", func() bool { return false })
		if kept := m.all.outcomes[task]; kept == nil || !bytes.Equal(o.Out, kept.Out) {
			differ++
		}
	}
	return differ, nil
}

// draw writes the images.
func (m *master) draw() error {
	z := m.job.Zoom
	for frame := range z.Frames {
		rows := make([][]byte, z.Height)
		for y := range rows {
			o := m.all.outcomes[frame*z.Height+y]
			if o == nil {
				return fmt.Errorf("-png %s: row %d of image %d has no result", *pictures, y, frame)
			}
			rows[y] = o.Out
		}
		if err := z.draw(frameName(*pictures, frame, z.Frames), frame, rows); err != nil {
			return fmt.Errorf("-png: %w", err)
		}
	}
	return nil
}

// listFailures lists the tasks that failed permanently, with reasons; their output has been written
// in order.
func (m *master) listFailures() {
	const most = 20
	listed := 0
	for task := range m.job.Tasks {
		o := m.all.failures[task]
		if o == nil || !m.all.ended[task] {
			continue
		}
		if listed++; listed > most {
			continue
		}
		what := ""
		if len(m.inputs) > 0 {
			what = fmt.Sprintf(" (%.60q)", m.inputs[task])
		}
		fmt.Fprintf(os.Stderr, "bot: task %d%s has failed %s: %s\n", task+1, what, times(m.options.retries+1), o.Problem)
	}
	if listed > most {
		fmt.Fprintf(os.Stderr, "bot: ... and %d more tasks\n", listed-most)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// table prints a row for each policy and, with a single policy, one for each rank.
func (m *master) table(w io.Writer) {
	label := ""
	if m.b.Runtime().Emulated() {
		label = " on the EMULATED platform"
	}
	fmt.Fprintf(w, "%s%s\n", m.job.text(), label)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "policy\ttime s\t/bound\tchunks\tmessages\tbetween Sets\tcopied\tlost\tretried\tidle at end s\t")
	for _, r := range m.rows {
		ratio := "-"
		if r.bound > 0 {
			ratio = fmt.Sprintf("%.3f", r.seconds/r.bound)
		}
		fmt.Fprintf(t, "%s\t%.4g\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.3g\t\n", r.policy, r.seconds, ratio, r.stats.Chunks,
			r.total.Messages, r.total.Across, r.stats.Copies, r.stats.Lost, r.stats.Retried, r.longestIdle())
	}
	t.Flush()
	if len(m.rows) > 1 {
		return
	}
	r := &m.rows[0]
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nrank\thost\tSet\tchunks\ttasks\tbusy s\tbusy %\tidle at end s\t")
	for _, y := range r.tallies {
		part := 0.0
		if r.seconds > 0 {
			part = 100 * min(1, y.Busy/r.seconds)
		}
		end := fmt.Sprintf("%.3g", max(0, r.seconds-y.End))
		if !y.Works {
			end = "gives"
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%.4g\t%.0f\t%s\t\n", y.Rank, shown(y.Host), y.Set, y.Chunks, y.Tasks, y.Busy, part, end)
	}
	t.Flush()
}

// longestIdle returns the time from when the first worker had no more tasks to the end.
func (r *row) longestIdle() (idle float64) {
	for _, t := range r.tallies {
		if t.Works {
			idle = max(idle, r.seconds-t.End)
		}
	}
	return idle
}

// shown is a host's name as it may be printed.
func shown(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '?'
		}
		return r
	}, name)
}
