package sim

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteCSV writes a workload and where its processes are at first, for ReadCSV and
// for other simulators.
func WriteCSV(w io.Writer, load Workload, p *Platform, where []int32) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "steps,%d\n", load.Steps())
	for pid, host := range where {
		fmt.Fprintf(out, "map,%d,%s\n", pid, p.Hosts[host].Name)
	}
	for pid := range load.Processes() {
		if bytes := load.State(pid); bytes > 0 {
			fmt.Fprintf(out, "state,%d,%g\n", pid, bytes)
		}
	}
	var s Step
	state := make([]float64, load.Processes())
	for pid := range state {
		state[pid] = load.State(pid)
	}
	for k := range load.Steps() {
		s.clear(load.Processes())
		if err := load.Fill(k, &s); err != nil {
			return err
		}
		for pid, operations := range s.Work {
			if operations > 0 {
				fmt.Fprintf(out, "work,%d,%d,%g\n", k+1, pid, operations)
			}
		}
		for _, m := range s.Messages {
			fmt.Fprintf(out, "msg,%d,%d,%d,%g\n", k+1, m.From, m.To, m.Bytes)
		}
		for _, m := range s.Moves {
			fmt.Fprintf(out, "mig,%d,%d,%s,%g\n", k+1, m.Pid, p.Hosts[m.Host].Name, m.Bytes)
		}
		for pid := range state {
			if bytes := s.state(load, pid); bytes != state[pid] {
				fmt.Fprintf(out, "states,%d,%d,%g\n", k+1, pid, bytes)
				state[pid] = bytes
			}
		}
		if site := strings.Join(strings.Fields(s.Site), " "); site != "" {
			fmt.Fprintf(out, "site,%d,%s\n", k+1, site)
		}
		if s.Over > 0 {
			fmt.Fprintf(out, "over,%d,%g\n", k+1, s.Over)
		}
	}
	return out.Flush()
}
