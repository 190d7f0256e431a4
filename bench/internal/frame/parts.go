package frame

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// Parts are the parts of a program with settings S, which run one after the other or alone.
type Parts[S any] []Part[S]

// Part is one of them, by its name for -only.
type Part[S any] struct {
	Name, About string
	Run         func(context.Context, S, *Session) error
}

// List has a line for each part, as -help shows them.
func (ps Parts[S]) List() string {
	widest := 0
	for _, p := range ps {
		widest = max(widest, len(p.Name))
	}
	var text strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&text, "  %-*s  %s\n", widest, p.Name, p.About)
	}
	return text.String()
}

// Only is the part of that name, and all if the name is empty.
func (ps Parts[S]) Only(name string) (Parts[S], error) {
	return Only(ps, name, func(p Part[S]) string { return p.Name })
}

// Run runs them in their order, until one fails.
func (ps Parts[S]) Run(ctx context.Context, settings S, session *Session) error {
	for _, p := range ps {
		session.Progress("%s", p.Name)
		if err := p.Run(ctx, settings, session); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

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
