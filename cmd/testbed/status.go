//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
)

func status(arguments []string) error {
	asJSON := len(arguments) == 1 && strings.TrimLeft(arguments[0], "-") == "json"
	if !asJSON {
		if err := take(arguments); err != nil {
			return err
		}
	}
	call, err := control.Ask(control.Request{Do: control.Status})
	if err != nil {
		return err
	}
	call.Close()
	if asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(call.Status)
	}
	return writeStatus(os.Stdout, call.Status, time.Now())
}

func writeStatus(w io.Writer, s *control.State, now time.Time) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "HOST\tCLUSTER\tADDRESS\tCORE\tSLOTS\tSPEED\tRECEIVED\tTHROTTLED\tCPU TIME\tHOG\tPROCESSES")
	for _, h := range s.Hosts {
		received, throttled, hog, processes := "-", "-", "-", fmt.Sprint(h.Processes)
		if h.Received > 0 {
			received, throttled = percent(float64(h.Received)), percent(h.Throttled)
		}
		if h.Hog > 0 {
			hog = h.Hog.String()
		}
		if !h.Up {
			processes = "gone"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%v\t%s\t%s\t%v\t%s\t%s\n", h.Name, h.Cluster, h.Address, h.Processor, h.Slots,
			h.Speed, received, throttled, h.Used.Round(time.Millisecond), hog, processes)
	}
	fmt.Fprintln(table, "\nLINK\tRATE\tLATENCY")
	for _, l := range s.Lines {
		latency := "-"
		if l.Latency > 0 {
			latency = l.Latency.String()
		}
		fmt.Fprintf(table, "%s\t%v\t%s\n", l.Name, l.Rate, latency)
	}
	if len(s.Jobs) > 0 {
		fmt.Fprintln(table, "\nJOB\tPROCESSES\tFOR\tCOMMAND")
	}
	for _, j := range s.Jobs {
		fmt.Fprintf(table, "%d\t%d\t%v\t%s\n", j.Number, j.Processes, now.Sub(j.Since).Round(time.Second), strings.Join(j.Command, " "))
	}
	fmt.Fprintf(table, "\nup for %v\n", now.Sub(s.Since).Round(time.Second))
	return table.Flush()
}

func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }
