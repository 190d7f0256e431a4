package collective

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// New makes a rank's part. where is the rank of each process, as it is now whenever a collective
// is called. caught makes what an operation has panicked with in a barrier into what its process
// is to panic with.
func New(comm mpi.Comm, s *stream.Stream, where []int32, caught func(v any) any) *Rank {
	r := &Rank{comm: comm, stream: s, where: where, caught: caught}
	r.connectFolding()
	return r
}

// connectFolding finds out whether exchanges fold, while all ranks take part.
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

// Look asks for what the others have laid: it comes while the barrier goes on.
func (r *Rank) Look() {
	const few = 8
	if len(r.stream.Out.Here) > few {
		return
	}
	for _, rank := range r.stream.Out.Here {
		if head := r.headOf(rank, r.step()); head != nil {
			memory.Prefetch(unsafe.Pointer(head))
		}
	}
}

// Called reports whether the rank takes part in a collective in this superstep. Look, Before and End
// are for those.
func (r *Rank) Called(step int) bool { return r.laidIn == step }

// Before prepares for the delivery of what has arrived: what is read from the program's memory
// after that is copied first if something is to be written there.
func (r *Rank) Before() {
	s := r.shelf(r.step())
	if s.kept == nil {
		return
	}
	reads := func(to unsafe.Pointer, n int) bool { return memory.Overlap(to, n, memory.At(s.kept), len(s.kept)) }
	if r.stream.Writes(reads) {
		s.kept = slices.Clone(s.kept)
	}
}

// End ends the exchange for a collective, when all has come. samples are those of the rank's
// processes, nil if nothing is measured.
func (r *Rank) End(samples []*loads.Sample) error {
	s := r.shelf(r.step())
	if r.folder != nil {
		r.stream.Ways.Received(r.folder.At, len(r.folder.Made))
	}
	if err := r.swap(s); err != nil {
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
