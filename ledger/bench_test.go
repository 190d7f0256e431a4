package ledger_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

// BenchmarkStep is what the account of a superstep costs rank 0: in memory, and
// with a line in the record.
func BenchmarkStep(b *testing.B) {
	for _, ranks := range []int{2, 64, 1000} {
		s := &Step{Count: 1, Site: "file.go:10", Ranks: ranks, Work: make([]time.Duration, ranks), WorkMax: 123456, H: 1000}
		for rank := range s.Work {
			s.Work[rank] = time.Duration(100000 + 1234*rank)
		}
		run := TwoRanks()
		run.Ranks = make([]Rank, ranks)
		for _, record := range []bool{false, true} {
			b.Run(fmt.Sprintf("ranks=%d/record=%t", ranks, record), func(b *testing.B) {
				account := new(Account)
				if record {
					account.Recorder = NewRecorder(discard{}, nil).Unhurried()
				}
				account.Enter(run)
				if record {
					account.Recorder.Most(1 << 60) // a line for each superstep
				}
				b.ResetTimer()
				for n := range b.N {
					s.First, s.Last = n+1, n+1
					account.Enter(s)
				}
			})
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }
