package ledger

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"
)

// Emulation is the account of a run on an emulated platform, whose time is not
// this machine's.
type Emulation struct {
	Platform string
	With     time.Duration // the run as it was
	Without  time.Duration // the same work and messages, had no process moved and nobody decided
	Least    time.Duration // lower bound: no mapping of the processes is faster
	Calls    time.Duration // part of With that deciding took
	Moves    time.Duration // and moving
}

// Gain is the part of the time without moves that they saved.
func (e *Emulation) Gain() float64 { return share(e.Without-e.With, e.Without) }

// Possible is the part that no more than could be saved.
func (e *Emulation) Possible() float64 { return share(e.Without-e.Least, e.Without) }

func share(part, whole time.Duration) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// WriteTo prints the account in two lines.
func (e *Emulation) WriteTo(w io.Writer) (int64, error) {
	n, err := fmt.Fprintf(w, " emulated on %s: %.5g s with rescheduling (deciding %.3g s, moving %.3g s), %.5g s without: %.1f%% saved\n"+
		" lower bound %.5g s (of each superstep the longest process or all work over all speed): at most %.1f%% can be saved\n",
		e.Platform, e.With.Seconds(), e.Calls.Seconds(), e.Moves.Seconds(), e.Without.Seconds(), 100*e.Gain(),
		e.Least.Seconds(), 100*e.Possible())
	return int64(n), err
}

// emulationLines finds the figures in what WriteTo prints.
var emulationLines = regexp.MustCompile(` emulated on (\S+): (\S+) s with rescheduling \(deciding (\S+) s, moving (\S+) s\), (\S+) s without: .*\n lower bound (\S+) s`)

// ReadEmulation finds the account of an emulated run in a program's output.
func ReadEmulation(output string) (Emulation, error) {
	m := emulationLines.FindStringSubmatch(output)
	if m == nil {
		return Emulation{}, errors.New("ledger: there is no account of an emulated run in the output")
	}
	e := Emulation{Platform: m[1]}
	for i, to := range []*time.Duration{&e.With, &e.Calls, &e.Moves, &e.Without, &e.Least} {
		seconds, err := strconv.ParseFloat(m[2+i], 64)
		if err != nil {
			return e, fmt.Errorf("ledger: the account of an emulated run has a time of %q s", m[2+i])
		}
		*to = time.Duration(seconds * 1e9)
	}
	return e, nil
}
