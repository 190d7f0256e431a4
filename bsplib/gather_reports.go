package bsplib

import (
	"encoding/binary"

	"github.com/migbsp/migbsp/rebalancer"
)

// gatherReports brings the reports of all ranks to each manager.
func (r *rank) gatherReports(asked bool) ([]rebalancer.Report, *Error) {
	b, me := r.balance, r.comm.Rank()
	b.talk = talk{}
	report := b.controller.Report([]rebalancer.RankState{b.rankState(r, asked)}, r.detail)
	mine, err := report.AppendBinary(nil)
	if err != nil {
		return nil, r.engineError(err)
	}
	boss := b.manager(b.platform.Ranks[me].Set)
	out := &r.side.Out[boss]
	out.Grow(len(mine) + 8)
	out.Bytes = binary.NativeEndian.AppendUint64(out.Bytes, uint64(len(mine)))
	out.Bytes = append(out.Bytes, mine...)
	if err := r.confer(); err != nil {
		return nil, err
	}
	if !r.managing() {
		if len(b.platform.Sets) > 1 {
			return nil, r.confer()
		}
		return nil, nil
	}
	if len(b.platform.Sets) > 1 {
		if err := r.shareReports(); err != nil {
			return nil, err
		}
	}
	return r.readReports()
}

// shareReports gives all managers what this one has from its Set.
func (r *rank) shareReports() *Error {
	b := r.balance
	for set := range b.platform.Sets {
		out := &r.side.Out[b.manager(set)]
		for _, in := range r.side.In {
			out.Grow(len(in))
			out.Bytes = append(out.Bytes, in...)
		}
	}
	if err := r.confer(); err != nil {
		return err
	}
	b.talk = talk{}
	others := len(b.platform.Sets) - 1
	for _, in := range r.side.In {
		if len(in) > 0 {
			b.talk.count(others, others*len(in))
		}
	}
	return nil
}

// readReports also counts the reports on their way to the managers: those of
// all ranks but the managers themselves.
func (r *rank) readReports() ([]rebalancer.Report, *Error) {
	var reports []rebalancer.Report
	for _, in := range r.side.In {
		for len(in) > 0 {
			n := int(*wordAt(in, 0))
			var report rebalancer.Report
			if err := report.UnmarshalBinary(in[8 : 8+n]); err != nil {
				return nil, r.engineError(err)
			}
			reports = append(reports, report)
			if rank := report.Ranks[0].Rank; r.balance.manager(r.balance.platform.Ranks[rank].Set) != rank {
				r.balance.talk.count(1, n)
			}
			in = in[8+n:]
		}
	}
	return reports, nil
}
