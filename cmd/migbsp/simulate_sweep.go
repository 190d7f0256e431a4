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

// sweep runs the cases on all processors. The results are in the order of the cases.
// It returns soon after ctx ends: within windUp.
//
// Errors: that of the first case that fails, which it names if there are others. Cases
// after it are given up.
func sweep(ctx context.Context, cases []*simulatedCase, run func(ctx context.Context, c *simulatedCase) (*sim.Result, error)) ([]*sim.Result, error) {
	results, errs := make([]*sim.Result, len(cases)), make([]error, len(cases))
	stops := make([]context.CancelFunc, len(cases))
	contexts := make([]context.Context, len(cases))
	for i := range cases {
		contexts[i], stops[i] = context.WithCancel(ctx)
		defer stops[i]()
	}
	next := make(chan int, len(cases))
	for i := range cases {
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cases)) {
		workers.Go(func() {
			for i := range next {
				if errs[i] = contexts[i].Err(); errs[i] != nil {
					continue
				}
				if results[i], errs[i] = run(contexts[i], cases[i]); errs[i] != nil {
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
	for i, err := range errs {
		switch {
		case err != nil && len(cases) > 1:
			return nil, fmt.Errorf("%v: %w", cases[i], err)
		case err != nil:
			return nil, err
		}
	}
	return results, nil
}
