package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer"
)

// gatherReports brings the reports of all ranks to each manager, first to the
// manager of the rank's Set, then from each manager to all. Other ranks get none.
func (r *rank) gatherReports(asked bool) ([]rebalancer.Report, *Error) {
	b, me := r.balance, r.comm.Rank()
	sets := len(b.platform.Sets)
	mine := []rebalancer.Report{b.controller.Report([]rebalancer.RankState{b.rankState(r, asked)}, r.detail)}
	if err := control.Send(r.calls, b.manager(b.platform.Ranks[me].Set), &mine); err != nil {
		return nil, r.engineError(err)
	}
	b.talk = talk{}
	reports, err := r.receiveReports(0)
	if err == nil && sets > 1 {
		for set := 0; set < sets && r.managing(); set++ {
			if err := control.Send(r.calls, b.manager(set), &reports); err != nil {
				return nil, r.engineError(err)
			}
		}
		reports, err = r.receiveReports(sets - 1)
	}
	if err != nil {
		return nil, r.engineError(err)
	}
	for i := range reports {
		if rank := reports[i].Ranks[0].Rank; b.manager(b.platform.Ranks[rank].Set) != rank {
			b.talk.count(1, reports[i].Size())
		}
	}
	return reports, nil
}

// receiveReports ends an exchange of reports. It counts what has arrived as sent
// to so many other ranks.
func (r *rank) receiveReports(others int) (all []rebalancer.Report, err error) {
	if _, err := r.calls.Exchange(0); err != nil {
		return nil, err
	}
	err = control.Each(r.calls, func(_ int, some *[]rebalancer.Report) error {
		if others > 0 {
			r.balance.talk.count(others, others*wire.Size(some))
		}
		all = append(all, *some...)
		return nil
	})
	return all, err
}
