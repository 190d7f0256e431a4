package sim

import "github.com/migbsp/migbsp/rebalancer"

// Call is what a rescheduling call takes at time 0, moves left out, with processes where
// they are, so many bytes of reports, and this decision. ranks is what p.Seen has.
func Call(p *Platform, ranks rebalancer.Platform, where []int32, said int, d *rebalancer.Decision) (*CallRecord, error) {
	s := &simulation{
		Config:  &Config{Platform: p, Where: where},
		m:       newMachine(p, where, Barrier{}),
		balance: &balance{platform: ranks, onHost: make([]int, len(p.Hosts)), gone: make([]bool, len(p.Hosts))},
	}
	record := new(CallRecord)
	if err := s.talk(record, said, d); err != nil {
		return nil, err
	}
	record.Took = s.m.now
	return record, nil
}
