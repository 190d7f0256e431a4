// Package report is what bench/exchange/ranks prints.
package report

import "github.com/migbsp/migbsp/bench/exchange/traffic"

// Report is of one run. Times are in microseconds.
type Report struct {
	Engine  string               `json:"engine"`
	Shape   traffic.Shape        `json:"shape"`
	Message Message              `json:"message,omitzero"` // of two ranks only
	Times   map[string][]float64 `json:"times"`            // of a superstep, by name, in the order of the rounds
}

// Message is what one between two ranks costs.
type Message struct {
	RoundTrip float64 `json:"round_trip"` // of a byte
	Send      float64 `json:"send"`       // of the processor
	Receive   float64 `json:"receive"`
	Gap       float64 `json:"gap"` // of several at once, from one to the next
	PerByte   float64 `json:"per_byte"`
	Byte      float64 `json:"byte"`    // of each processor, a byte of a message
	Copying   float64 `json:"copying"` // of the processor, a byte in memory
}

// Names of what is measured.
const (
	Empty          = "empty"
	Barrier        = "MPI_Barrier"
	Halo           = "halo"
	HaloByHand     = "halo by hand"
	HaloAndBarrier = "halo by hand, MPI_Barrier"
	AllToAll       = "all to all"
	AllToAllByHand = "all to all by hand"
	Turn           = "turn" // to look for a message in vain and pass the core on
)
