package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
)

// windUp is the time that abandoned cases may take to end their records.
const windUp = 500 * time.Millisecond

// sweep runs cases on all processors. The results are in their order. It returns within windUp
// after ctx ends.
//
// Errors: the error of the first case that fails, with the case's name if there are several. Later
// cases are abandoned.
func sweep[C fmt.Stringer, R any](ctx context.Context, cases []C, run func(ctx context.Context, c C) (R, error)) ([]R, error) {
	n := len(cases)
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
		case err != nil && n > 1:
			return nil, fmt.Errorf("%v: %w", cases[i], err)
		case err != nil:
			return nil, err
		}
	}
	return results, nil
}

// mostCases bounds the cases of a command line, against typing errors.
const mostCases = 100_000

// alternatives expands a text with | in its figures: lu:n=1|2,p=3|4 becomes lu:n=1,p=3 and
// lu:n=1,p=4 and lu:n=2,p=3 and lu:n=2,p=4, the last figure changing fastest. Words between : and ,
// may have alternatives too.
//
// Errors: an empty alternative, with its column, and too many of them.
func alternatives(text string) ([]string, error) {
	all := []string{""}
	for at := 0; at <= len(text); {
		end := at + strings.IndexAny(text[at:]+",", ":,")
		part, last := text[at:end], ""
		if end < len(text) {
			last = text[end : end+1]
		}
		name, figure, found := strings.Cut(part, "=")
		if !found {
			name, figure = "", part
		} else {
			name += "="
		}
		values := strings.Split(figure, "|")
		column := at + len(name)
		for _, value := range values {
			if len(values) > 1 && strings.TrimSpace(value) == "" {
				return nil, fmt.Errorf("%q: column %d: expected a value on each side of |", text, column+1)
			}
			column += len(value) + 1
		}
		if len(all)*len(values) > mostCases {
			return nil, fmt.Errorf("%q: column %d: that makes more than %d cases", text, at+1, mostCases)
		}
		longer := make([]string, 0, len(all)*len(values))
		for _, before := range all {
			for _, value := range values {
				longer = append(longer, before+name+value+last)
			}
		}
		all, at = longer, end+1
	}
	return all, nil
}

// listed returns the texts between ; with all their alternatives.
func listed(text string) ([]string, error) {
	var all []string
	for part := range strings.SplitSeq(text, ";") {
		some, err := alternatives(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(all) > mostCases {
			return nil, fmt.Errorf("%q: that makes more than %d cases", text, mostCases)
		}
	}
	return all, nil
}
