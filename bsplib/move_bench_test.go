package bsplib_test

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// BenchmarkMove measures a stage at whose end a process goes to the other rank.
func BenchmarkMove(b *testing.B) {
	type state struct{ Data []byte }
	for _, size := range []int{0, 1 << 10, 1 << 20, 64 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			must.Do(b, bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2}, func(p *bsplib.Proc, s *state) error {
				if p.Fresh() && p.Pid() == 1 {
					s.Data = make([]byte, size)
				}
				for range p.Stages(b.N) {
					if p.Pid() == 1 {
						p.Migrate(bsplib.OnRank(1 - p.Rank()))
					}
				}
				return nil
			}))
		})
	}
}
