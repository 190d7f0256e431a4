package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// New returns a rank's part in collectives. where is the rank of each process; the caller keeps it
// up to date. caught converts the panic value of an operation in a barrier to the panic value of
// the process.
func New(comm mpi.Comm, s *stream.Stream, where []int32, caught func(v any) any) *Rank {
	r := &Rank{comm: comm, stream: s, where: where, caught: caught}
	r.connectFolding()
	return r
}

// connectFolding sets up folding if exchanges fold. All ranks participate at this time.
func (r *Rank) connectFolding() {
	folder := r.stream.Data.Fold
	if folder == nil {
		return
	}
	folder.By = r.fold
	if folder.Most > 0 {
		r.folder, r.foldsAtFirst = folder, folder.Most
	}
}

// Look prefetches the other ranks' headers during the barrier.
func (r *Rank) Look() {
	const few = 8
	if len(r.stream.Out.Here) > few {
		return
	}
	for _, rank := range r.stream.Out.Here {
		if head := r.headerOf(rank, r.step()); head != nil {
			memory.Prefetch(unsafe.Pointer(head))
		}
	}
}

// Called reports whether the rank is in a collective in this superstep. Only then may Look, Before
// and End be called.
func (r *Rank) Called(step int) bool { return r.lastStep == step }

// Before prepares for the delivery of arrived data. It copies program memory that is read after the
// delivery if the delivery writes to it.
func (r *Rank) Before() {
	s := r.exchangeOf(r.step())
	if s.kept == nil {
		return
	}
	reads := func(to unsafe.Pointer, n int) bool { return memory.Overlap(to, n, memory.At(s.kept), len(s.kept)) }
	if r.stream.Writes(reads) {
		s.kept = slices.Clone(s.kept)
	}
}

// End completes the exchange for a collective after all data have arrived. samples are the samples
// of the rank's processes, nil without measurements.
func (r *Rank) End(samples []*loads.Sample) error {
	s := r.exchangeOf(r.step())
	if r.folder != nil {
		r.stream.Ways.Received(r.folder.At, len(r.folder.Made))
	}
	if err := r.exchangeAnnounced(s); err != nil {
		return err
	}
	if err := r.cross(s); err != nil {
		return err
	}
	if samples != nil && s.begun {
		r.enterCollective(s, samples)
	}
	return nil
}
