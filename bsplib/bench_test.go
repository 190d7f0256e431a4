package bsplib_test

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// superstep measures one superstep of a program that calls step and then Sync.
func superstep(b *testing.B, procs int, step func(p *bsplib.Proc, x bsplib.Area[int64], q bsplib.Queue[int64, int64], to int)) {
	b.ReportAllocs()
	must.Do(b, bsplib.Run(bsplib.Config{Procs: procs}, func(p *bsplib.Proc, _ *none) error {
		x := bsplib.Register(p, make([]int64, 100_000))
		q := bsplib.NewQueue[int64, int64](p)
		p.Sync()
		to := (p.Pid() + 1) % p.NProcs()
		for range 3 {
			step(p, x, q, to)
			p.Sync()
		}
		if p.Pid() == 0 {
			b.ResetTimer()
		}
		for range b.N {
			step(p, x, q, to)
			p.Sync()
		}
		if p.Pid() == 0 {
			b.StopTimer()
		}
		return nil
	}))
}

func BenchmarkEmptySuperstep(b *testing.B) {
	for _, procs := range []int{1, 2, 4, 16, 64} {
		b.Run(fmt.Sprintf("%dProcs", procs), func(b *testing.B) {
			superstep(b, procs, func(*bsplib.Proc, bsplib.Area[int64], bsplib.Queue[int64, int64], int) {})
		})
	}
}

func BenchmarkSmall(b *testing.B) {
	into := make([][]int64, 2)
	for i := range into {
		into[i] = make([]int64, 100_000)
	}
	for _, n := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("Put/%d", n), func(b *testing.B) {
			superstep(b, 2, func(_ *bsplib.Proc, x bsplib.Area[int64], _ bsplib.Queue[int64, int64], to int) {
				for i := range n {
					x.Put(to, i, int64(i))
				}
			})
		})
		b.Run(fmt.Sprintf("PutScattered/%d", n), func(b *testing.B) {
			superstep(b, 2, func(_ *bsplib.Proc, x bsplib.Area[int64], _ bsplib.Queue[int64, int64], to int) {
				at := 1
				for i := range n {
					at = at * 75 % 65537
					x.Put(to, at, int64(i))
				}
			})
		})
		b.Run(fmt.Sprintf("Get/%d", n), func(b *testing.B) {
			superstep(b, 2, func(p *bsplib.Proc, x bsplib.Area[int64], _ bsplib.Queue[int64, int64], to int) {
				for i := range n {
					x.Get(to, i, into[p.Pid()][i:i+1])
				}
			})
		})
		b.Run(fmt.Sprintf("Send/%d", n), func(b *testing.B) {
			superstep(b, 2, func(_ *bsplib.Proc, _ bsplib.Area[int64], q bsplib.Queue[int64, int64], to int) {
				sum := int64(0)
				for tag, v := range q.All() {
					sum += tag + v[0]
				}
				for i := range n {
					q.Send(to, int64(i), sum)
				}
			})
		})
	}
}

func BenchmarkLarge(b *testing.B) {
	for _, n := range []int{1 << 20, 64 << 20} {
		for _, kind := range []string{"Put", "HPPut", "Get", "HPGet"} {
			b.Run(fmt.Sprintf("%s/%dMiB", kind, n>>20), func(b *testing.B) {
				b.SetBytes(int64(n))
				bsplib.Run(bsplib.Config{Procs: 2}, func(p *bsplib.Proc, _ *none) error {
					x := bsplib.Register(p, make([]byte, n))
					mine := make([]byte, n)
					for i := range mine {
						mine[i] = 1
					}
					p.Sync()
					step := func() {
						if p.Pid() == 0 {
							switch kind {
							case "Put":
								x.Put(1, 0, mine...)
							case "HPPut":
								x.HPPut(1, 0, mine...)
							case "Get":
								x.Get(1, 0, mine)
							case "HPGet":
								x.HPGet(1, 0, mine)
							}
						}
						p.Sync()
					}
					step()
					step()
					if p.Pid() == 0 {
						b.ResetTimer()
					}
					for range b.N {
						step()
					}
					return nil
				})
			})
		}
	}
}
