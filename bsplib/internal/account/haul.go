package account

import (
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// A superstep's haul is what the platform says that its messages take between the ranks where
// their processes began: the slowest line or link of that superstep. A mean of the traffic
// would not do. Where another process sends each time, as in an LU decomposition, it has all
// lines carry a little at once, and each superstep has one of them carry everything.
//
// Each rank notes whole supersteps: for what its processes have received, parcels from the
// rank where the sender began to the one where the receiver did. All ranks note the same
// supersteps, drawn by their numbers, as many as take haulShare of the time. Rank 0 makes a
// flow of each, and of that its haul; the shadow estimates the others by their bytes.
type hauls struct {
	on      bool // processes may move to other hosts
	now     bool // the superstep under way is noted
	stride  int  // one in so many is, on average
	most    int  // of a batch
	noted   int  // of this batch
	parcels []parcel
	at      []int32       // by rank: its parcel for one receiving rank, from the front of parcels
	took    time.Duration // to note those of the batch

	// on rank 0
	platform *rebalancer.Platform
	flow     rebalancer.Flow
	times    []float64 // by superstep of the batch: its haul in seconds, unknown where it was not noted
	read     []int     // by rank: parcels of its batch that are entered
	told     int       // the stride that all ranks know
}

// parcel is what went from the processes of a rank to those of another, had none moved.
type parcel struct {
	step     int32 // of the batch
	from, to int32
	bytes    float32
}

// unknown is the haul of a superstep that was not noted.
const unknown = -1

const (
	// haulShare is the part of the time that noting hauls may take.
	haulShare = 1. / 500
	// The first supersteps, which say most of what the run would take without moves, are all
	// noted, and some of those that follow before rank 0 knows what noting takes.
	firstHauls  = 64
	firstStride = 8
	mostStride  = 1 << 20
	// mostParcels bounds what waits for a batch on all ranks: 16 MiB. Of a superstep a rank
	// has as many as there are ranks that sent something to it, at most sendersTold.
	mostParcels = 1 << 20
	sendersTold = 64
)

// open begins, before a superstep. Between the ranks of one host there are no lines.
func (h *hauls) open(platform *rebalancer.Platform, hosts []string, step int) {
	copied, ranks := *platform, len(platform.Ranks)
	h.on = slices.ContainsFunc(hosts, func(host string) bool { return host != hosts[0] })
	h.platform, h.flow = &copied, platform.NewFlow()
	h.stride, h.told, h.most = firstStride, firstStride, max(4, mostParcels/(ranks*min(ranks, sendersTold)))
	h.at, h.read = make([]int32, ranks), make([]int, ranks)
	h.next(step)
}

// next tells which superstep comes.
func (h *hauls) next(step int) {
	h.now = h.on && h.noted < h.most && (step <= firstHauls || h.draws(step))
}

// draws reports whether a superstep is one of those that are noted, without a period that a
// program's might fit.
func (h *hauls) draws(step int) bool {
	return (uint64(step)*0x9E3779B97F4A7C15>>32)%uint64(h.stride) == 0
}

// note takes down what the processes of a rank received in a superstep of the batch.
func (h *hauls) note(step int, samples []*Sample, home []int32) {
	begin := len(h.parcels)
	to, first := int32(-1), begin
	for _, s := range samples {
		if home[s.Pid] != to {
			to, first = home[s.Pid], len(h.parcels)
		}
		for _, t := range s.Traffic {
			from := home[t.Pid]
			if from == to || t.Bytes == 0 {
				continue
			}
			if i := int(h.at[from]); i >= first && i < len(h.parcels) && h.parcels[i].from == from {
				h.parcels[i].bytes += float32(t.Bytes)
				continue
			}
			h.at[from] = int32(len(h.parcels))
			h.parcels = append(h.parcels, parcel{step: int32(step), from: from, to: to, bytes: float32(t.Bytes)})
		}
	}
	h.parcels = h.parcels[:begin+len(thin(h.parcels[begin:], len(h.at), sendersTold))]
	h.noted++
}

// thin leaves at most as many parcels, which stand for the others: those that go some distances
// between ranks, the same ones everywhere, so that no rank sends more for it.
func thin(all []parcel, ranks, most int) []parcel {
	if len(all) <= most {
		return all
	}
	every := int32((len(all) + most - 1) / most)
	total, left := float32(0), float32(0)
	kept := all[:0]
	for _, p := range all {
		total += p.bytes
		if (p.from-p.to+int32(ranks))%int32(ranks)%every == every/2 {
			left += p.bytes
			kept = append(kept, p)
		}
	}
	if left == 0 { // there is none at such a distance
		kept = all[:most]
		for _, p := range kept {
			left += p.bytes
		}
	}
	for i := range kept {
		kept[i].bytes *= total / left
	}
	return kept
}

// of is the haul of the i-th superstep of the batch.
func (h *hauls) of(i int) float64 {
	if !h.on {
		return unknown
	}
	return h.times[i]
}

// enter finds the hauls of a batch, on rank 0, and from what that takes how many are to be noted.
func (h *hauls) enter(a *Account) {
	if !h.on {
		return
	}
	begun := a.settings.Clock.Wall()
	h.times = h.times[:0]
	clear(h.read)
	noted, took := 0, time.Duration(0)
	for i := range a.steps {
		haul := float64(unknown)
		if a.steps[i].noted != 0 {
			haul, noted = h.timeOf(a.shipments, i), noted+1
		}
		h.times = append(h.times, haul)
	}
	for i := range a.shipments {
		for _, t := range a.shipments[i].Noting {
			took = max(took, t)
		}
	}
	took += a.settings.Clock.Wall() - begun
	if n := len(a.steps); noted > 0 && n > 1 {
		passed := float64(a.steps[n-1].begun-a.steps[0].begun) / float64(n-1)
		stride := float64(took) / float64(noted) / max(1, haulShare*passed)
		h.stride = int(math.Exp2(math.Ceil(math.Log2(max(1, min(stride, mostStride))))))
	}
}

// timeOf is the haul of the i-th superstep of the batch.
func (h *hauls) timeOf(shipments []shipment, i int) float64 {
	f := &h.flow
	clear(f.Sent)
	clear(f.Received)
	clear(f.Between)
	for rank := range shipments {
		parcels := shipments[rank].Parcels
		k := h.read[rank]
		for ; k < len(parcels) && int(parcels[k].step) <= i; k++ {
			h.platform.Add(f, int(parcels[k].from), int(parcels[k].to), int64(parcels[k].bytes))
		}
		h.read[rank] = k
	}
	return h.platform.Time(f)
}

// orders are what rank 0 tells the others in an exchange: how wide windows of loads are, and
// the stride of hauls.
type orders struct{ Width, Stride int }

// tell has rank 0 tell the others what has changed; all is true if some may not know the rest.
func (a *Account) tell(all bool) error {
	width := a.loads.width
	if book := a.settings.Book; book == nil {
		return nil
	} else if a.loads.on {
		width = max(a.settings.LeastWindow, book.Recorder.LoadWidth())
	}
	if width == a.loads.width && a.hauls.stride == a.hauls.told && !all {
		return nil
	}
	o := orders{Width: width, Stride: a.hauls.stride}
	a.loads.width, a.hauls.told = width, a.hauls.stride
	for to := 1; to < len(a.speeds); to++ {
		if !a.present(to) {
			continue
		}
		if err := control.Send(a.settings.Control, to, &o); err != nil {
			return err
		}
	}
	return nil
}

// hear takes what rank 0 tells.
func (a *Account) hear() error {
	return control.Each(a.settings.Control, func(_ int, o *orders) error {
		a.loads.width, a.hauls.stride = o.Width, o.Stride
		return nil
	})
}
