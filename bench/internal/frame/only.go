package frame

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// Only returns the choice of -only: the one of that name, and all if the name is empty.
func Only[T any](all []T, name string, nameOf func(T) string) ([]T, error) {
	if name == "" {
		return all, nil
	}
	var names []string
	for i, t := range all {
		if nameOf(t) == name {
			return all[i : i+1], nil
		}
		names = append(names, nameOf(t))
	}
	return nil, fmt.Errorf("-only %s: expected %s", name, strings.Join(names, ", "))
}

// AtOnce does n things on all processors. It calls begins for each in their order, in the
// caller's goroutine. Once one has failed the context of the others ends, and its error is
// returned.
func AtOnce(ctx context.Context, n int, begins func(i int), do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		begins(i)
		next <- i
	}
	close(next)
	group.Wait()
	defer cancel(nil)
	return context.Cause(ctx)
}
