package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

// clusterFlags say what is known of the machine and what is to be found out.
type clusterFlags struct {
	sets  string
	probe string
}

func (f *clusterFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.sets, "sets", "", "under MPI: `file` that says which host belongs to which Set, or NAME=HOSTS;NAME=HOSTS (default: #@set lines of -hosts, or the batch system)")
	flags.StringVar(&f.probe, "probe", "0.5%", "`part` of the time that measuring the machine may take while the program runs, and under MPI measure speeds and links before; off: neither")
}

// readSets reads what the settings say about Sets. What MIGBSP_SETS says counts
// less than the file of hosts: see hostfile.Clues.
func (app *application) readSets() error {
	text := app.flags.sets
	if text == "" || app.setting("sets").Origin == hostfile.SetsVariable {
		return nil
	}
	if app.config.Comm == nil {
		return fmt.Errorf("%s: without MPI all ranks are on this host; -hosts describes a platform to emulate", app.written("sets"))
	}
	var err error
	if strings.Contains(text, "=") {
		app.config.Sets, err = hostfile.ParseSets("-sets", text)
	} else {
		app.config.Sets, err = hostfile.ReadSets(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("sets"), err)
	}
	return nil
}

// readProbe finds out how much measuring is wanted.
func (app *application) readProbe() error {
	share, err := shareOf(app.flags.probe)
	if err != nil {
		return fmt.Errorf("%s: expected a part such as 0.5%%, or off", app.written("probe"))
	}
	app.config.Probe = share
	if share == 0 {
		app.config.Probe = -1
	}
	return nil
}

// shareOf reads a part of a whole: 0.5%, 0.005 or off.
func shareOf(text string) (float64, error) {
	if text == "off" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 0.5) {
		return 0, errors.New("not a part")
	}
	return share, nil
}
