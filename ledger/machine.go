package ledger

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger/fit"
)

// Way is a class of links between ranks, from near to far.
type Way int

// The classes of links.
const (
	WithinRank Way = iota
	WithinNode
	WithinSet // between nodes
	BetweenSets
	Ways int = fit.Ways
)

var wayNames = [Ways]string{"within a rank", "within a node", "within a Set", "between Sets"}

// String returns the name of the class.
func (w Way) String() string {
	if w < 0 || int(w) >= Ways {
		return "on an unknown way"
	}
	return wayNames[w]
}

// Machine is the parameters of the BSP cost model. Supersteps take
//
//	L + Latency with messages + sum of g*h over the classes of links
//
// where h is the largest of max(sent, received) of any rank on a class of links.
type Machine struct {
	PerByte float64 `json:"g"` // seconds for a byte: with Classes, the mean over all bytes that left ranks
	L       float64 `json:"l"` // seconds for an empty superstep
	// Latency is the number of additional seconds of a superstep with messages,
	// if it is known separately from l.
	Latency float64 `json:"latency,omitempty"`
	From    string  `json:"from"` // source: FromRun, FromMeasuring, both, the platform

	Classes    []LinkClass `json:"classes,omitempty"`    // classes used by the run; none in old records
	LError     float64     `json:"l_error,omitempty"`    // standard error of L
	R2         float64     `json:"r2,omitempty"`         // part of the differences between supersteps that the model explains
	Supersteps int         `json:"supersteps,omitempty"` // that it was fitted to; 0 if it was not
}

// LinkClass is the time of a byte on a class of links.
type LinkClass struct {
	Way     Way     `json:"way"`
	PerByte float64 `json:"g"`
	Error   float64 `json:"error,omitempty"` // standard error of PerByte
	From    string  `json:"from"`
}

// The sources of the figures of a Machine.
const (
	FromRun       = "fitted to the run"
	FromMeasuring = "measured after the run"
)

// Predict returns the communication time in seconds that the model gives supersteps.
func (m *Machine) Predict(s *Step) float64 { return m.transfer(s) + m.barriers(s) }

// transfer returns the part of Predict for the bytes.
func (m *Machine) transfer(s *Step) float64 {
	if len(m.Classes) == 0 {
		return m.PerByte * float64(s.H)
	}
	seconds := 0.0
	for _, c := range m.Classes {
		seconds += c.PerByte * float64(s.Ways[c.Way])
	}
	return seconds
}

// barriers returns the part of Predict that does not depend on the bytes.
func (m *Machine) barriers(s *Step) float64 {
	return m.L*float64(s.Count) + m.Latency*float64(s.Talks)
}

// String returns g and l, if they are evident, with their source.
func (m *Machine) String() string {
	var ways, parts []string
	fitted := false
	for _, c := range m.Classes {
		if c.Way != WithinRank {
			ways = append(ways, fmt.Sprintf("%.3g ns/B %s", c.PerByte*1e9, c.Way))
		}
		fitted = fitted || c.From == FromRun
	}
	if len(m.Classes) == 0 && m.PerByte > 0 {
		ways = append(ways, fmt.Sprintf("%.3g ns/B", m.PerByte*1e9))
	}
	if len(ways) > 0 {
		parts = append(parts, "g = "+strings.Join(ways, ", "))
	}
	if m.L > 0 {
		parts = append(parts, "l = "+SecondsOf(m.L))
	}
	if m.Latency > 0 {
		parts = append(parts, SecondsOf(m.Latency)+" more where anything is sent")
	}
	if len(parts) == 0 {
		return "neither g nor l shows (" + m.From + ")"
	}
	text := strings.Join(parts, ", ") + " (" + m.From
	if m.Supersteps > 0 {
		text += ": " + Count(m.Supersteps, "superstep")
	}
	if fitted {
		text += fmt.Sprintf(", R2 %.2f", m.R2)
	}
	return text + ")"
}
