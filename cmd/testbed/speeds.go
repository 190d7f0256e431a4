//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/load"
)

// pieces are the pieces of work for the measurement of speeds.
var pieces = []struct {
	each    time.Duration
	repeats int
}{{5 * time.Millisecond, 45}, {20 * time.Millisecond, 27}}

// checkSpeeds has all hosts work at the same time.
func checkSpeeds(arguments []string) error {
	if err := take(arguments); err != nil {
		return err
	}
	call, err := control.Ask(control.Request{Do: control.Status})
	if err != nil {
		return err
	}
	call.Close()
	hosts := call.Status.Hosts
	rows := make([][]string, len(hosts))
	for i, h := range hosts {
		rows[i] = []string{h.Name, strconv.Itoa(h.Processor), h.Speed.String()}
	}
	head := []string{"HOST", "CORE", "ASKED"}
	for _, piece := range pieces {
		head = append(head, fmt.Sprintf("BY %v OF WORK", piece.each))
		columns, err := workEverywhere(hosts, piece.each, piece.repeats)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i] = append(rows[i], columns[i])
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	fmt.Fprintln(table, "median, and what 80 of 100 pieces of work are between; all hosts at once")
	return table.Flush()
}

// workEverywhere returns for each host the part of its processor that it received.
func workEverywhere(hosts []control.Host, each time.Duration, repeats int) ([]string, error) {
	results := make([]string, len(hosts))
	failed := make(chan error, len(hosts))
	for i, h := range hosts {
		go func() {
			took, err := workOn(h.Name, each, repeats)
			if err == nil {
				slices.Sort(took)
				speed := func(at int) string { return percent(each.Seconds() / took[at].Seconds()) }
				results[i] = fmt.Sprintf("%s (%s to %s)", speed(repeats/2), speed(repeats-1-repeats/10), speed(repeats/10))
			}
			failed <- err
		}()
	}
	var err error
	for range hosts {
		err = errors.Join(err, <-failed)
	}
	return results, err
}

// workOn measures on one host.
func workOn(host string, each time.Duration, repeats int) ([]time.Duration, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	code, err := launch.On(host, writer, nil, control.Binary, "work", each.String(), strconv.Itoa(repeats))
	writer.Close()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("working on %s ends with code %d: %s", host, code, strings.TrimSpace(string(text)))
	}
	var took []time.Duration
	for _, field := range strings.Fields(string(text)) {
		d, err := time.ParseDuration(field)
		if err != nil {
			return nil, err
		}
		took = append(took, d)
	}
	if len(took) != repeats {
		return nil, fmt.Errorf("%d times from %s, expected %d", len(took), host, repeats)
	}
	return took, nil
}

// work is the part of checkSpeeds that runs on a host.
func work(arguments []string) error {
	each, err := time.ParseDuration(arguments[0])
	if err != nil {
		return err
	}
	repeats, err := strconv.Atoi(arguments[1])
	if err != nil {
		return err
	}
	for _, took := range load.Work(each, repeats) {
		fmt.Println(took)
	}
	return nil
}
