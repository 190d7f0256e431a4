package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// write prints the figures.
func (s *settings) write(w io.Writer, all []figures) error {
	switch s.format {
	case "json":
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(all)
	case "csv":
		return writeCSV(w, all)
	}
	fmt.Fprintf(w, "Report, merge and decide take a processor so long here, the median of %d; the rest is reckoned for the platform.\n", s.rounds)
	var rows [][]string
	for _, f := range all {
		rows = append(rows, []string{
			strconv.Itoa(f.Processes), strconv.Itoa(f.Hosts), strconv.Itoa(f.Sets), f.Balance,
			seconds(f.Report), seconds(f.Merge), seconds(f.Decide), strconv.Itoa(f.Moves),
			fmt.Sprintf("%.0f B", float64(f.Said)/float64(f.Processes)), amount(float64(f.Heard)),
			strconv.Itoa(f.Messages), amount(f.Bytes), seconds(f.Call), seconds(f.Deciding),
		})
	}
	return ledger.WriteRows(w, []string{
		"processes", "hosts", "Sets", "balance", "report", "merge", "decide", "moves", "each", "decision", "messages", "bytes", "call", "deciding",
	}, rows, 3)
}

func writeCSV(w io.Writer, all []figures) error {
	out := csv.NewWriter(w)
	out.Write([]string{"processes", "hosts", "sets", "balance", "report", "merge", "decide", "moves", "said", "heard", "messages", "bytes", "call", "deciding"})
	for _, f := range all {
		out.Write([]string{
			strconv.Itoa(f.Processes), strconv.Itoa(f.Hosts), strconv.Itoa(f.Sets), f.Balance, exact(f.Report), exact(f.Merge), exact(f.Decide),
			strconv.Itoa(f.Moves), strconv.Itoa(f.Said), strconv.Itoa(f.Heard), strconv.Itoa(f.Messages), exact(f.Bytes), exact(f.Call), exact(f.Deciding),
		})
	}
	out.Flush()
	return out.Error()
}

func seconds(s float64) string { return ledger.Seconds(time.Duration(s * 1e9)) }
func exact(x float64) string   { return strconv.FormatFloat(x, 'g', -1, 64) }

// amount is a number of bytes in the largest unit of which there is one.
func amount(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	at := 0
	for n >= 1000 && at+1 < len(units) {
		n, at = n/1000, at+1
	}
	return fmt.Sprintf("%.3g %s", n, units[at])
}
