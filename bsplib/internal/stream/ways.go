package stream

import (
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Ways counts the bytes that leave and reach the rank in a superstep, for each class of link
// (ledger.Way); the account estimates g from them. All bytes count, including the headers of streams
// and slots of collectives, because they take time too. The zero Ways does not count.
type Ways struct {
	class   []ledger.Way // by rank
	out, in [ledger.Ways]int64
	carried [ledger.Ways]int64
}

// Classify starts counting. way returns the link class for each of the ranks.
func (w *Ways) Classify(ranks int, way func(to int) ledger.Way) {
	w.class = make([]ledger.Way, ranks)
	for to := range w.class {
		w.class[to] = way(to)
	}
}

// Sent counts bytes sent to a rank outside the lanes, and Received bytes received from one.
func (w *Ways) Sent(to, n int) {
	if w.class != nil {
		w.out[w.class[to]] += int64(n)
	}
}

// Received: see Sent.
func (w *Ways) Received(from, n int) {
	if w.class != nil {
		w.in[w.class[from]] += int64(n)
	}
}

// Read counts bytes that a process has read from the memory of a rank on its node.
func (w *Ways) Read(from, n int) {
	if w.class != nil && w.class[from] == ledger.WithinNode {
		w.in[ledger.WithinNode] += int64(n)
	}
}

// Leaving counts the bytes that a lane will send to the participating ranks, and Arrived the bytes
// that it received.
func (w *Ways) Leaving(lane *mpi.Lane, here []int) {
	if w.class == nil {
		return
	}
	for _, to := range here {
		w.out[w.class[to]] += int64(len(lane.Out[to].Bytes))
	}
}

// Arrived: see Leaving.
func (w *Ways) Arrived(lane *mpi.Lane, here []int) {
	if w.class == nil {
		return
	}
	for _, from := range here {
		w.in[w.class[from]] += int64(len(lane.In[from]))
	}
}

// Carried ends the count of a superstep. It returns for each link class the larger of the bytes sent
// and received, runs included; nil if counting is off. The result is valid until the next call.
func (w *Ways) Carried(o *Outboxes) *[ledger.Ways]int64 {
	if w.class == nil {
		return nil
	}
	if o.Runs != nil {
		for _, to := range o.Here {
			w.out[w.class[to]] += int64(o.boxes[to].past)
			o.boxes[to].past = 0
		}
	}
	for way := range w.out {
		w.carried[way] = max(w.out[way], w.in[way])
	}
	clear(w.out[:])
	clear(w.in[:])
	return &w.carried
}
