package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/migbsp/migbsp/sim"
)

// windUp is how long cases may take to end their records when they are given up.
const windUp = 500 * time.Millisecond

// sweep runs the cases on all processors: see sweepAll. An error names the case where there
// are several.
func sweep(ctx context.Context, cases []*simulatedCase, run func(ctx context.Context, c *simulatedCase) (*sim.Result, error)) ([]*sim.Result, error) {
	return sweepAll(ctx, len(cases), func(ctx context.Context, i int) (*sim.Result, error) {
		r, err := run(ctx, cases[i])
		if err != nil && len(cases) > 1 {
			err = fmt.Errorf("%v: %w", cases[i], err)
		}
		return r, err
	})
}

// sweepAll runs n cases on all processors. The results are in their order. It returns soon
// after ctx ends: within windUp.
//
// Errors: the error of the first case that fails. Cases after it are given up.
func sweepAll[R any](ctx context.Context, n int, run func(ctx context.Context, i int) (R, error)) ([]R, error) {
	results, errs := make([]R, n), make([]error, n)
	stops := make([]context.CancelFunc, n)
	contexts := make([]context.Context, n)
	for i := range n {
		contexts[i], stops[i] = context.WithCancel(ctx)
		defer stops[i]()
	}
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := range next {
				if errs[i] = contexts[i].Err(); errs[i] != nil {
					continue
				}
				if results[i], errs[i] = run(contexts[i], i); errs[i] != nil {
					for _, stop := range stops[i:] {
						stop()
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	select {
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(windUp):
		}
		return nil, ctx.Err()
	case <-done:
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}
